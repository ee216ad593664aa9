#include "limber/model/callback_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
namespace {

constexpr double to_rounding = 1e-15;  // refined once; the remaining error is due to the condition of the matrix

/// The values of A on the pattern of `onto`; false if an entry of A is outside it. Both are in order.
[[nodiscard]] bool place(const SparseMatrix& A, SparseMatrix& onto) {
  std::fill_n(onto.valuePtr(), onto.nonZeros(), 0.0);
  for (int j = 0; j < A.outerSize(); ++j) {
    int at = onto.outerIndexPtr()[j];
    const int end = onto.outerIndexPtr()[j + 1];
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      while (at < end && onto.innerIndexPtr()[at] < it.row()) ++at;
      if (at == end || onto.innerIndexPtr()[at] != it.row()) return false;
      onto.valuePtr()[at] = it.value();
    }
  }
  return true;
}

/// A with explicit zeros where only B has entries.
SparseMatrix on_union(const SparseMatrix& A, const SparseMatrix& B) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) entries.emplace_back(it.row(), j, it.value());
    for (SparseMatrix::InnerIterator it(B, j); it; ++it) entries.emplace_back(it.row(), j, 0.0);
  }
  SparseMatrix C(A.rows(), A.cols());
  C.setFromTriplets(entries.begin(), entries.end());
  return C;
}

/// ∂f/∂x along one unknown with step e: fourth order, extrapolated from the second-order differences D(e) and D(2e).
struct Difference {
  double step = 0;
  Vector slope;
  /// |D₄ − D(e)|/|slope|: e²/L² if f curves on the length L, noise/e if e is too small. ∞: not finite.
  double doubt = std::numeric_limits<double>::infinity();
  double rounding = 0;  // relative effect of the last digit of f on the slope
};

/// f as a function of one unknown, and the unknown's present value.
struct AlongOne {
  std::function<Vector(double x)> f;
  double now;
};

Difference difference_by(const AlongOne& along, double wanted) {
  const double x = along.now, e = (x + wanted) - x;  // the step actually taken in floating point
  if (e == 0) return {e, Vector::Zero(1), 0};
  const Vector far_up = along.f(x + 2 * e), far_down = along.f(x - 2 * e), up = along.f(x + e), down = along.f(x - e);
  const Vector near = (up - down) / (2 * e), far = (far_up - far_down) / (4 * e);
  Difference d{e, (4 * near - far) / 3};
  if (!far.allFinite() || !near.allFinite()) return d;
  const double size = std::max({largest_magnitude(d.slope), largest_magnitude(near), largest_magnitude(far)});
  d.doubt = size > 0 ? largest_magnitude(d.slope - near) / size : 0;
  const double unit = std::numeric_limits<double>::epsilon() * std::max(largest_magnitude(up), largest_magnitude(down));
  d.rounding = size > 0 ? unit / (e * size) : 0;
  return d;
}

// The fourth-order error is about the square of the doubt, here 1e-12.
constexpr double enough = 1e-6;
// Above this, f curves on a length far below the step, and the next step tried is a hundred times smaller.
constexpr double far_off = 1e-2;
constexpr double most_rounding = 1e-10;
constexpr int most_looks = 12, few_looks = 3;

/// Guesses the scale of f from x.
double first_step(const Vector& x) {
  const double size = largest_magnitude(x);
  return 1e-3 * (size > 0 && std::isfinite(size) ? size : 1);
}

/// The difference with a step suitable for f: close to the wanted step, shorter if f curves, longer if rounding of f
/// dominates.
Difference fitting_difference(const AlongOne& f, double wanted, int looks) {
  Difference best = difference_by(f, wanted);
  const double first = best.step;
  double e = wanted, last = best.doubt;
  bool noisy = false;
  for (int k = 0; k < looks && last > enough && !noisy; ++k) {
    e /= last > far_off ? 100 : 10;
    const Difference shorter = difference_by(f, e);
    const bool vanished = shorter.doubt == 0 && shorter.slope.isZero(0);  // the step vanishes in the rounding of x
    noisy = vanished || (last <= far_off && shorter.doubt >= last);
    last = shorter.doubt;
    if (!vanished && shorter.doubt < best.doubt) best = shorter;
  }
  if (best.step != first || !(noisy || best.rounding > most_rounding)) return best;
  for (int k = 0; k < looks; ++k) {
    const Difference longer = difference_by(f, 10 * best.step);
    const bool better = best.doubt > enough ? longer.doubt < best.doubt : longer.doubt <= enough;
    if (!better) break;
    best = longer;
    if (best.doubt <= enough && best.rounding <= most_rounding) break;
  }
  return best;
}

}  // namespace

CallbackSystem::CallbackSystem(const SparseMatrix& M, Functions functions)
    : functions_(std::move(functions)), mass_(in_order(M), Symmetry::general, "lu", to_rounding) {
  if (M.rows() != M.cols() || M.rows() == 0)
    throw InputError("M", fmt::format("a square matrix is needed, got {} × {}", M.rows(), M.cols()));
  if (mass_.matrix().nonZeros() == 0) throw InputError("M", "the mass matrix is zero");
  bool regular = false;
  failure_of([&] { regular = mass_.solve(Vector::Ones(M.rows())).allFinite(); });
  if (!regular) throw InputError("M", "the mass matrix is singular");
}

Vector CallbackSystem::force(const State& u) const {
  Vector f = functions_.force(u);
  if (f.size() != size()) throw InputError("force", fmt::format("returned {} numbers, expected {}", f.size(), size()));
  return f;
}

Vector CallbackSystem::linearize(const State& u, Definiteness, Tangent& T) {
  const auto checked = [&](const SparseMatrix& A, const char* name) {
    if (A.rows() != size() || A.cols() != size())
      throw InputError(name,
                       fmt::format("returned a {} × {} matrix, expected {} × {}", A.rows(), A.cols(), size(), size()));
    return in_order(A);
  };
  const SparseMatrix K =
      functions_.stiffness ? checked(functions_.stiffness(u), "stiffness") : difference(u, With::positions);
  const SparseMatrix D =
      functions_.damping ? checked(functions_.damping(u), "damping") : difference(u, With::velocities);
  const auto fit = [&] {
    T.K = T.D = mass();
    return place(K, T.K) && place(D, T.D);
  };
  if (!fit()) {
    mass_.widen(on_union(on_union(mass(), K), D));
    [[maybe_unused]] const bool all_fit = fit();
    assert(all_fit);
  }
  return force(u);
}

SparseMatrix CallbackSystem::difference(const State& u, With respect) {
  const Index n = size();
  Matrix A(n, n);
  State w = u;
  Vector& x = respect == With::positions ? w.q : w.v;
  std::vector<double>& steps = steps_[respect == With::positions ? 0 : 1];
  const bool known = !steps.empty();
  if (!known) steps.assign(static_cast<std::size_t>(n), first_step(x));
  for (Index j = 0; j < n; ++j) {
    const double x0 = x[j];
    const auto f = [&](double at) {
      x[j] = at;
      return force(w);
    };
    double& step = steps[static_cast<std::size_t>(j)];
    const Difference best = fitting_difference({f, x0}, step, known ? few_looks : most_looks);
    step = best.step;
    A.col(j) = -best.slope;
    x[j] = x0;
  }
  return A.sparseView(0, 0);
}

}  // namespace limber
