#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/exponential/dense_exponential.hpp"
#include "limber/linalg/exponential/phi1.hpp"

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

/// What a run gives, with estimates of its errors [2-norm].
struct Attempt {
  Vector x;
  double size = 0, truncation = 0, rounding = 0;
  double error() const { return (truncation + rounding) / size; }
};

/// x' = Zx + b on [0, 1], Z = hJ, in coordinates y with x = Sy, S = diag(scale) and the largest of them 1.
class FirstOrderFlow {
 public:
  FirstOrderFlow(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report,
                 const Vector& scale, double longest = 1)
      : J_(J),
        b_(b.cwiseQuotient(scale)),
        h_(h),
        options_(options),
        report_(report),
        scale_(scale),
        longest_(longest),
        space_(b.size(), limit(b.size())) {}

  enum class WithNoise { stop, go_on };
  /// Within the tolerance, or as near to it as rounding errors allow; where they are larger, stops at the first try or
  /// goes on with the truncation.
  Attempt run(WithNoise with_noise) {
    // Tolerances of sub-steps are relative to y, and ‖x‖ is what counts.
    double share = 0.1 * std::clamp(b_.cwiseProduct(scale_).norm() / b_.norm(), 1e-3, 1.0);
    for (int pass = 0;; ++pass) {
      Attempt a{scale_.cwiseProduct(advance(share * options_.tolerance)), 0, 0, 0};
      a.size = chunked_norm(a.x);
      a.truncation = carried(&Substep::truncation);
      a.rounding = carried(&Substep::rounding);
      const double allowed = options_.tolerance * a.size;
      if (a.truncation + std::min(a.rounding, allowed / 2) <= allowed || pass == 2) return a;
      if (with_noise == WithNoise::stop && !(a.rounding < allowed)) return a;
      share *= 0.3 * allowed / a.truncation;
      if (share * options_.tolerance < rounding_unit) return a;  // nothing would be gained
    }
  }

  [[noreturn]] void fail(const std::string& why, double reached) const {
    throw StepFailure(fmt::format("φ₁(hJ)b: {} after {} products with J and {} sub-steps (at {:.3g} of the interval); "
                                  "relative error asked {:.1e}, reached {:.1e}",
                                  why, report_.products, report_.substeps, now_.t, options_.tolerance, reached),
                      static_cast<int>(std::min<long>(report_.products, std::numeric_limits<int>::max())), reached);
  }

  /// y = S⁻¹ZSx
  void product(const Vector& x, Vector& y) {
    heed_interrupts();
    if (report_.products >= options_.max_products)
      fail(fmt::format("the limit of {} products is exhausted", options_.max_products), 1);
    J_(scale_.cwiseProduct(x), y);
    y = h_ * y.cwiseQuotient(scale_);
    ++report_.products;
  }

 private:
  struct Substep {
    double truncation, rounding;
    double residual;  // ‖Zx + b‖ at its end
  };

  static int limit(Index n) { return static_cast<int>(std::min<Index>(n, n < 1000 ? 60 : 80)); }

  Vector advance(double tolerance);
  AccuratePart build(const Vector& x, double remaining, double tolerance);
  AccuratePart reach(const Matrix& H, double tau, double tolerance) const;

  /// Errors of the sub-steps are carried on as residuals are.
  double carried(double Substep::*error) const {
    double sum = 0, largest_after = 0;
    for (std::size_t k = steps_.size(); k-- > 0;) {
      const Substep& step = steps_[k];
      largest_after = std::max(largest_after, step.residual);
      sum += step.*error * (step.residual > 0 ? largest_after / step.residual : 1);
    }
    return sum;
  }

  const LinearOperator& J_;
  Vector b_;
  double h_;
  const Phi1Options& options_;
  Phi1Report& report_;
  const Vector& scale_;
  double longest_;  // sub-step, of the interval
  Arnoldi space_;
  struct {
    double t = 0, size = 0, start_size = 0;
    Vector carried;  // Vᵀx, x the state at the start of the sub-step
  } now_;
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
  const Vector p = step * now_.start_size * E.topRightCorner(m, 1);
  AccuratePart best;
  Vector y = Vector::Zero(m);
  double growth = std::max(1.0, spectral_norm(power));
  std::vector<double> norms{growth};  // of the powers 1, 2, 4, …, at least 1
  std::vector<double> growths(motion_points + 1, 1.0), sizes(motion_points + 1, now_.size),
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
    sizes[j] = std::sqrt(std::max(0.0, now_.size * now_.size + 2 * now_.carried.dot(y) + y.squaredNorm()));
    if (!std::isfinite(sizes[j]) || !std::isfinite(growth)) break;
    double error = 0, noise = 0, size = 0;
    const bool last = now_.t + j * step >= 1 - 1e-12;  // otherwise there is time left to grow
    for (int i = 0; i <= j; ++i) {
      const double grown = growths[last ? j - i : j], weight = i == j ? step / 2 : step;
      error += weight * grown * residuals[i];
      noise += weight * grown * moves[i];
      size = std::max(size, grown * sizes[i]);
    }
    const double allowed = tolerance * j * step / (now_.t + j * step) * sizes[j];
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
    now_.carried = inner(space_.V.leftCols(space_.m), x);
    AccuratePart found = reach(H, tau, tolerance);
    if (found.s >= tau * (1 - 1e-12)) return found;
  }
  const Matrix H = space_.H();
  now_.carried = inner(space_.V.leftCols(space_.m), x);
  if (space_.next == 0) tau = std::min(remaining, longest_);
  if (space_.next > 0) tau = std::min(tau, space_.m * space_.m / spectral_radius(H));
  for (; tau > 1e-15 * remaining; tau /= motion_points) {
    AccuratePart found = reach(H, tau, tolerance);
    if (found.s > 0) return found;
  }
  fail("no sub-step is short enough", 1);
}

Vector FirstOrderFlow::advance(double tolerance) {
  const Index n = b_.size();
  Vector x = Vector::Zero(n), r = b_;
  now_.t = now_.size = 0;
  guess_ = longest_;
  steps_.clear();
  now_.start_size = chunked_norm(r);
  while (now_.t < 1) {
    space_.start(r, now_.start_size);
    const double remaining = 1 - now_.t, tried = std::min(remaining, guess_);
    const AccuratePart step = build(x, remaining, tolerance);
    subtract(space_.V.leftCols(step.y.size()), -step.y, x);
    const bool last = step.s >= remaining * (1 - 1e-12);
    ++report_.substeps;
    // H has rounding errors of the order of ε‖H‖.
    const double rounding = rounding_unit * (4 + step.s * spectral_norm(space_.H())) * step.size;
    now_.t = last ? 1 : now_.t + step.s;
    now_.size = chunked_norm(x);
    if (!std::isfinite(now_.size)) fail("the motion is not finite", 1);
    if (!last) {
      product(x, r);
      r += b_;
    }
    now_.start_size = last ? now_.start_size : chunked_norm(r);
    steps_.push_back({step.error, rounding, now_.start_size});
    if (last || now_.start_size == 0) break;
    guess_ = std::min(longest_, step.s >= tried * (1 - 1e-12) ? 2 * step.s : 1.25 * step.s);
  }
  return x;
}

/// ±1, as if by chance.
Vector signs(Index n, int seed) {
  Vector z(n);
  for (Index i = 0; i < n; ++i)
    z[i] = std::sin(static_cast<double>((i + 1) * (i + 1) + seed) * 0.7548776662) < 0 ? -1 : 1;
  return z;
}

/// S such that the rows of S⁻¹JS have about equal norms, from products with J alone (after T.-Y. Chen and J. Demmel
/// 2000; the roots keep [[0, I], [−K, 0]] from swinging), as long as that makes the whole matrix smaller: its size in
/// Frobenius' norm is the mean size of what it makes of signs. 1 where S would not help much.
Vector balanced(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report) {
  constexpr int rounds = 6, samples = 2;
  const Index n = b.size();
  Vector scale = Vector::Ones(n), best = scale, y;
  double first = 0, smallest = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    FirstOrderFlow flow(J, b, h, options, report, scale);
    Vector rows = Vector::Zero(n);
    for (int k = 0; k < samples; ++k) {
      flow.product(signs(n, samples * round + k), y);
      rows += y.cwiseAbs2();
    }
    const double size = std::sqrt(rows.sum());
    if (!std::isfinite(size)) flow.fail("a product with J is not finite", 1);
    if (round == 0) first = size;
    if (!(size < 0.7 * smallest)) break;
    smallest = size;
    best = scale;
    const double typical = size / std::sqrt(static_cast<double>(n));
    for (Index i = 0; i < n; ++i)
      if (rows[i] > 0) scale[i] *= std::sqrt(std::clamp(std::sqrt(rows[i]) / typical, 1e-8, 1e8));
    scale /= scale.maxCoeff();
    scale = scale.cwiseMax(1e-12);
  }
  return smallest < 0.25 * first ? best : Vector::Ones(n);
}

/// Other coordinates, and with them other rounding errors.
Vector varied(const Vector& scale) {
  Vector other = scale;
  for (Index i = 0; i < other.size(); ++i) other[i] *= 1 - 0.25 * (1 + std::sin(static_cast<double>(5 * i + 1)));
  return other / other.maxCoeff();
}

}  // namespace

Vector phi1(const LinearOperator& J, const Vector& b, double h, const Phi1Options& options, Phi1Report& report) {
  for (const double x : b)
    if (!std::isfinite(x)) throw InputError("b", fmt::format("has an entry {}, must be finite", x));
  if (!std::isfinite(h)) throw InputError("h", fmt::format("{}, must be finite", h));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InputError("tol", fmt::format("{} is outside (0, 1)", options.tolerance));
  report = {};
  const double size = scaled_norm(b);
  if (b.size() == 0 || h == 0 || size == 0) return b;
  const Vector unit = b / size;
  Vector scale = Vector::Ones(b.size());
  using WithNoise = FirstOrderFlow::WithNoise;
  Attempt a;
  // Rounding errors may also look like growth.
  const auto failed = failure_of([&] { a = FirstOrderFlow(J, unit, h, options, report, scale).run(WithNoise::stop); });
  if (failed || !(a.error() <= options.tolerance)) {  // ε‖Z‖ is large: perhaps only in these coordinates
    scale = balanced(J, unit, h, options, report);
    if (failed && scale.minCoeff() == 1) failed->again();
    a = FirstOrderFlow(J, unit, h, options, report, scale).run(WithNoise::go_on);
  }
  if (!(a.error() <= options.tolerance)) {
    // The estimate is a bound. What the answer loses shows when it is computed in another way, with shorter sub-steps.
    const Vector other = varied(scale);
    FirstOrderFlow flow(J, unit, h, options, report, other, 0.5);
    a.rounding = std::min(a.rounding, 2 * chunked_norm(a.x - flow.run(WithNoise::go_on).x));
    if (!(a.error() <= options.tolerance)) flow.fail("the tolerance is not reached", a.error());
  }
  report.error = a.error();
  return size * a.x;
}

}  // namespace limber
