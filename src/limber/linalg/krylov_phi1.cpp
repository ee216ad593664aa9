#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/dense_exponential.hpp"
#include "limber/linalg/phi1.hpp"

namespace limber {
namespace {

constexpr int motion_points = 32;  // points at which the projected motion of a sub-step is looked at
constexpr double rounding_unit = std::numeric_limits<double>::epsilon();

/// ‖A‖₂, from below but closely, by power iterations on AᵀA.
double spectral_norm(const Matrix& A) {
  Vector x = Vector::Ones(A.cols());
  for (Index i = 0; i < x.size(); ++i) x[i] += 0.5 * std::sin(static_cast<double>(3 * i));
  double size = 0;
  for (int k = 0; k < 6; ++k) {
    x.normalize();
    const Vector y = A * x;
    size = y.norm();
    if (!(size > 0) || !std::isfinite(size)) return size;
    x = A.transpose() * y;
  }
  return size;
}

/// About the largest modulus of an eigenvalue, from above.
double spectral_radius(const Matrix& H) {
  const Matrix H2 = H * H, H4 = H2 * H2, H8 = H4 * H4;
  const double power = H8.norm(), plain = H.norm();
  return std::isfinite(power) ? std::min(plain, std::pow(power, 1. / 8)) : plain;
}

/// Z V_m = V_m H + next v_{m+1} e_mᵀ
class Arnoldi {
 public:
  Arnoldi(Index n, int limit) : V(n, limit + 1), full_(Matrix::Zero(limit + 1, limit)) {}

  void start(const Vector& r, double size) {
    m = 0;
    full_.setZero();
    next = size;
    V.col(0) = r / size;
  }
  /// w = Z v_{m+1}. Made orthogonal twice, which is enough.
  void extend(Vector& w) {
    const double before = chunked_norm(w);
    ++m;
    for (int twice = 0; twice < 2; ++twice) {
      const Vector c = inner(V.leftCols(m), w);
      subtract(V.leftCols(m), c, w);
      full_.col(m - 1).head(m) += c;
    }
    next = chunked_norm(w);
    if (m == V.rows() || next <= 4 * rounding_unit * before) next = 0;  // the space is invariant
    full_(m, m - 1) = next;
    if (next > 0) V.col(m) = w / next;
  }
  Matrix H() const { return full_.topLeftCorner(m, m); }

  Matrix V;
  int m = 0;
  double next = 0;

 private:
  Matrix full_;
};

/// The longest part s of a sub-step for which the projected motion is accurate enough.
struct AccuratePart {
  double s = 0;      // 0: none
  double error = 0;  // ∫|residual(σ)| ‖e^{(s−σ)H}‖dσ
  double size = 0;   // of x on the way, times the growth from there on
  Vector y;          // the projected motion at s
};

/// x' = Zx + b on [0, 1], Z = hJ.
class FirstOrderFlow {
 public:
  FirstOrderFlow(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report)
      : J_(J), b_(b), h_(h), options_(options), report_(report), space_(b.size(), limit(b.size())) {}

  Vector run() {
    double share = 0.1;
    for (int pass = 0;; ++pass) {
      const Vector x = advance(share * options_.tolerance);
      const double size = chunked_norm(x), truncation = carried(&Substep::truncation);
      const double noise = carried(&Substep::rounding);
      report_.error = (truncation + noise) / size;
      if (report_.error <= options_.tolerance) return x;
      if (pass == 2 || !(noise < options_.tolerance * size)) fail("the tolerance is not reached", report_.error);
      share *= 0.3 * options_.tolerance * size / truncation;
    }
  }

 private:
  struct Substep {
    double truncation, rounding;
    double residual;  // ‖Zx + b‖ at its end
  };

  static int limit(Index n) { return static_cast<int>(std::min<Index>(n, n < 1000 ? 60 : 80)); }

  [[noreturn]] void fail(const std::string& why, double reached) const {
    throw StepFailure(fmt::format("φ₁(hJ)b: {} after {} products with J and {} sub-steps (at {:.3g} of the interval); "
                                  "relative error asked {:.1e}, reached {:.1e}",
                                  why, report_.products, report_.substeps, t_, options_.tolerance, reached),
                      static_cast<int>(std::min<long>(report_.products, std::numeric_limits<int>::max())), reached);
  }

  void product(const Vector& x, Vector& y) {
    heed_interrupts();
    if (report_.products >= options_.max_products)
      fail(fmt::format("the limit of {} products is exhausted", options_.max_products), 1);
    J_(x, y);
    y *= h_;
    ++report_.products;
  }

  Vector advance(double tolerance);
  AccuratePart build(const Vector& x, double remaining, double tolerance);
  AccuratePart reach(const Matrix& H, double tau, double tolerance) const;

  /// Errors of the sub-steps are carried on as residuals are.
  double carried(double Substep::*error) const {
    double sum = 0, largest_after = 0;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      largest_after = std::max(largest_after, step->residual);
      sum += (*step).*error * (step->residual > 0 ? largest_after / step->residual : 1);
    }
    return sum;
  }

  const LinearOperator& J_;
  const Vector& b_;
  double h_;
  const Phi1Options& options_;
  Phi1Report& report_;
  Arnoldi space_;
  Vector carried_;  // Vᵀx, x the state at the start of the sub-step
  double t_ = 0, size_ = 0, start_size_ = 0;
  double guess_ = 1;  // the sub-step to try next
  std::vector<Substep> steps_;
};

/// Looks at the projected motion y' = Hy + β e₁ on a grid over [0, τ].
AccuratePart FirstOrderFlow::reach(const Matrix& H, double tau, double tolerance) const {
  const Index m = H.rows();
  const double step = tau / motion_points;
  Matrix A = Matrix::Zero(m + 1, m + 1);
  A.topLeftCorner(m, m) = step * H;
  A(0, m) = 1;
  const Matrix E = dense_exponential(A);
  if (!E.allFinite()) return {};
  Matrix power = E.topLeftCorner(m, m);
  const Matrix P = power;
  const Vector p = step * start_size_ * E.topRightCorner(m, 1);
  AccuratePart best;
  Vector y = Vector::Zero(m);
  double growth = std::max(1.0, spectral_norm(power));
  std::vector<double> norms{growth};  // of the powers 1, 2, 4, …, at least 1
  std::vector<double> growths(motion_points + 1, 1.0), sizes(motion_points + 1, size_),
      residuals(motion_points + 1, 0.0), moves(motion_points + 1, 0.0);
  for (int j = 1, doubled = 1; j <= motion_points; ++j) {
    y = P * y + p;
    if (j > doubled) {
      power = power * power;
      doubled *= 2;
      norms.push_back(std::max(1.0, spectral_norm(power)));
      growth = std::max(growth, norms.back());
    }
    double product = 1;  // power j is a product of those
    for (std::size_t k = 0; k < norms.size(); ++k)
      if ((j >> k & 1) != 0) product *= norms[k];
    growths[j] = std::max(growths[j - 1], std::min(growth, product));
    residuals[j] = space_.next * std::abs(y[m - 1]);
    moves[j] = y.norm();
    sizes[j] = std::sqrt(std::max(0.0, size_ * size_ + 2 * carried_.dot(y) + y.squaredNorm()));
    if (!std::isfinite(sizes[j]) || !std::isfinite(growth)) break;
    double error = 0, noise = 0, size = 0;
    const bool last = t_ + j * step >= 1 - 1e-12;  // otherwise there is time left to grow
    for (int i = 0; i <= j; ++i) {
      const double grown = growths[last ? j - i : j], weight = i == j ? step / 2 : step;
      error += weight * grown * residuals[i];
      noise += weight * grown * moves[i];
      size = std::max(size, grown * sizes[i]);
    }
    const double allowed = tolerance * j * step / (t_ + j * step) * sizes[j];
    if (error > std::max(allowed, 4 * rounding_unit * space_.next * noise)) continue;  // y has rounding errors too
    best = {j * step, error, size, y};
  }
  return best;
}

/// Extends the space until the whole of the sub-step that is tried is accurate, or the space is full: then the part of
/// it that is accurate counts.
AccuratePart FirstOrderFlow::build(const Vector& x, double remaining, double tolerance) {
  Vector v, w;
  const int most = static_cast<int>(space_.V.cols()) - 1;
  double tau = std::min(remaining, guess_);
  int look = 8;
  while (space_.m < most && space_.next > 0) {
    v = space_.V.col(space_.m);
    product(v, w);
    if (!w.allFinite()) fail("a product with J is not finite", 1);
    space_.extend(w);
    if (space_.m < look || space_.next == 0 || space_.m >= most) continue;
    look = space_.m + std::max(6, space_.m / 3);
    const Matrix H = space_.H();
    if (tau * spectral_radius(H) > space_.m * space_.m) continue;
    carried_ = inner(space_.V.leftCols(space_.m), x);
    const AccuratePart found = reach(H, tau, tolerance);
    if (found.s >= tau * (1 - 1e-12)) return found;
  }
  const Matrix H = space_.H();
  carried_ = inner(space_.V.leftCols(space_.m), x);
  if (space_.next == 0) tau = remaining;
  if (space_.next > 0) tau = std::min(tau, space_.m * space_.m / spectral_radius(H));
  for (; tau > 1e-15 * remaining; tau /= motion_points) {
    const AccuratePart found = reach(H, tau, tolerance);
    if (found.s > 0) return found;
  }
  fail("no sub-step is short enough", 1);
}

Vector FirstOrderFlow::advance(double tolerance) {
  const Index n = b_.size();
  Vector x = Vector::Zero(n), r = b_;
  t_ = size_ = 0;
  guess_ = 1;
  steps_.clear();
  start_size_ = chunked_norm(r);
  while (t_ < 1) {
    space_.start(r, start_size_);
    const double remaining = 1 - t_, tried = std::min(remaining, guess_);
    const AccuratePart step = build(x, remaining, tolerance);
    subtract(space_.V.leftCols(step.y.size()), -step.y, x);
    const bool last = step.s >= remaining * (1 - 1e-12);
    ++report_.substeps;
    // H has rounding errors of the order of ε‖H‖.
    const double rounding = rounding_unit * (4 + step.s * spectral_norm(space_.H())) * step.size;
    t_ = last ? 1 : t_ + step.s;
    size_ = chunked_norm(x);
    if (!std::isfinite(size_)) fail("the motion is not finite", 1);
    if (!last) {
      product(x, r);
      r += b_;
    }
    start_size_ = last ? start_size_ : chunked_norm(r);
    steps_.push_back({step.error, rounding, start_size_});
    if (last || start_size_ == 0) break;
    guess_ = step.s >= tried * (1 - 1e-12) ? 2 * step.s : 1.25 * step.s;
  }
  return x;
}

}  // namespace

Vector phi1(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report) {
  for (const double x : b)
    if (!std::isfinite(x)) throw InputError("b", fmt::format("has an entry {}, must be finite", x));
  if (!std::isfinite(h)) throw InputError("h", fmt::format("{}, must be finite", h));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InputError("tol", fmt::format("{} is outside (0, 1)", options.tolerance));
  report = {};
  const double size = b.stableNorm();
  if (b.size() == 0 || h == 0 || size == 0) return b;
  const Vector unit = b / size;
  return size * FirstOrderFlow(J, unit, h, options, report).run();
}

}  // namespace limber
