#include "limber/model/callback_system.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
namespace {

constexpr double to_rounding = 1e-15;  // refined once; what is left is what the condition of the matrix allows

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

}  // namespace

CallbackSystem::CallbackSystem(const SparseMatrix& M, Functions functions)
    : functions_(std::move(functions)), mass_(in_order(M), Symmetry::general, "lu", to_rounding) {
  if (M.rows() != M.cols() || M.rows() == 0)
    throw InputError("M", fmt::format("a square matrix is needed, got {} × {}", M.rows(), M.cols()));
  if (mass_.matrix().nonZeros() == 0) throw InputError("M", "the mass matrix is zero");
  try {
    if (mass_.solve(Vector::Ones(M.rows())).allFinite()) return;
  } catch (const StepFailure&) {
  }
  throw InputError("M", "the mass matrix is singular");
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

SparseMatrix CallbackSystem::difference(const State& u, With respect) const {
  const Index n = size();
  Matrix A(n, n);
  State w = u;
  Vector& x = respect == With::positions ? w.q : w.v;
  for (Index j = 0; j < n; ++j) {
    const double x0 = x[j];
    const double e = 1e-3 * std::max(1.0, std::abs(x0));
    const auto f = [&](double s) {
      x[j] = x0 + s * e;
      return force(w);
    };
    const Vector outer = f(2) - f(-2), inner = f(1) - f(-1);
    A.col(j) = (outer - 8 * inner) / (12 * e);  // −∂f/∂x
    x[j] = x0;
  }
  return A.sparseView(0, 0);
}

}  // namespace limber
