#include "limber/gradient/least_squares.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/gradient/scaling.hpp"

namespace limber {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct FitPoint {
  Vector u, r;
  Matrix J;               // ∂r/∂u
  double sum = no_value;  // ‖r‖²; infinite: it could not be evaluated
  bool failed() const { return sum == no_value; }
};

/// The s with the least ½ sᵀH s + gᵀs between low and high, for a positive definite H. Each round solves for the free
/// variables; those outside go to their bound, and those that a bound pulls at become free. After a few rounds one
/// variable changes at a time, which ends for certain (Murty) unless rounding decides; then the last round serves.
Vector minimum_in_box(const Matrix& H, const Vector& g, const Vector& low, const Vector& high) {
  const Index n = g.size(), most_rounds = 100 + 10 * n;
  Eigen::VectorXi side = Eigen::VectorXi::Zero(n);  // −1, 1: at the lower, the upper bound
  Vector s;
  bool settled = false;
  for (Index round = 0; round < most_rounds && !settled; ++round) {
    std::vector<Index> free, held;
    for (Index i = 0; i < n; ++i) (side[i] == 0 ? free : held).push_back(i);
    s = (side.array() < 0).select(low, (side.array() > 0).select(high, Vector::Zero(n)));
    if (!free.empty()) {
      const Vector pull = g(free) + H(free, held) * s(held);
      s(free) = -Matrix(H(free, free)).ldlt().solve(pull);
    }
    const Vector uphill = H * s + g;
    settled = true;
    for (Index i = 0; i < n && (settled || round < n); ++i) {
      const int now = side[i];
      if (now == 0)
        side[i] = s[i] < low[i] ? -1 : s[i] > high[i] ? 1 : 0;
      else if (now * uphill[i] > 0)
        side[i] = 0;
      settled = settled && side[i] == now;
    }
  }
  return s.cwiseMax(low).cwiseMin(high);
}

/// Evaluates points.
class Evaluator : public Trials {
 public:
  Evaluator(const LeastSquaresFunction& function, const Scaling& scaling, const LeastSquaresOptions& options)
      : Trials(scaling, options.max_evaluations, watch_of(options)), function_(function), scaling_(scaling) {}

  FitPoint operator()(const Vector& u) {
    FitPoint point{u, {}, {}};
    const Vector x = scaling_.values(u);
    make(x, [&] {
      LeastSquaresValue value = function_(x);
      if (!std::isfinite(value.residual.squaredNorm()) || !value.jacobian.allFinite())
        throw StepFailure("the residual or its derivative is not finite");
      point.J = value.jacobian * scaling_.slope(x).asDiagonal();
      point.sum = value.residual.squaredNorm();
      point.r = std::move(value.residual);
      return point.sum;
    });
    return point;
  }

 private:
  static Watch watch_of(const LeastSquaresOptions& options) {
    if (!options.go_on) return {};
    return [&options](int evaluation, double sum, const Vector& x) { return options.go_on({evaluation, sum, x}); };
  }

  const LeastSquaresFunction& function_;
  const Scaling& scaling_;
};

/// The best of all starts. Throws the failure of the first if none succeeds.
FitPoint best_start(Evaluator& evaluate, const Scaling& scaling, const Vector& start, int starts) {
  const Vector low = scaling.low(), high = scaling.high();
  FitPoint best = evaluate(scaling.scaled(start));
  const auto failed = evaluate.failure();
  for (int k = 1; k < starts && evaluate.stopped().empty(); ++k) {
    FitPoint other = evaluate(low + halton(k, low.size()).cwiseProduct(high - low));
    if (other.sum < best.sum) best = std::move(other);
  }
  if (best.failed()) throw explained(*failed, scaling.text(start));
  return best;
}

double largest(const Vector& s) { return s.lpNorm<Eigen::Infinity>(); }

/// Steps from `best` down to the least sum of squares.
class Descent {
 public:
  Descent(Evaluator& evaluate, const Scaling& scaling, double tolerance, FitPoint best)
      : evaluate_(evaluate),
        low_(scaling.low()),
        high_(scaling.high()),
        longest_change_(scaling.longest_change()),
        tolerance_(tolerance),
        best_(std::move(best)) {}

  void run() {
    while (reason_.empty() && evaluate_.stopped().empty()) improve();
    if (reason_.empty()) reason_ = evaluate_.stopped();
  }
  const FitPoint& best() const { return best_; }
  bool converged() const { return converged_; }
  const std::string& reason() const { return reason_; }

 private:
  static constexpr double least_damping = 1e-12;

  void improve() {
    const Vector whole = step(least_damping);
    if (fall(whole) <= tolerance_ * best_.sum) return converge("the sum of squares can hardly fall any further");
    if (largest(whole) <= tolerance_) return converge("the values hardly change any more");
    Vector s = step(damping_);
    while (length(s) > longest_) s = step(damping_ *= 10);
    if (largest(s) <= tolerance_) {
      reason_ = evaluate_.failure() ? "closer to the least sum of squares the run fails"
                                    : "no step lowers the sum of squares any further";
      return;
    }
    FitPoint next = shortened(s, at(s));
    const double ratio = (best_.sum - next.sum) / fall(s);  // 1: as the derivatives promise
    if (ratio > 1e-4) {
      best_ = std::move(next);
      damping_ = std::max(least_damping, damping_ * std::max(.1, 1 - std::pow(2 * ratio - 1, 3)));
      longest_ = std::numeric_limits<double>::infinity();
    } else if (!next.failed() && largest(whole) <= std::sqrt(tolerance_)) {
      converge("the sum of squares falls no further within the accuracy of the run");
    } else {
      damping_ *= 10;
      longest_ = length(s) / 2;
    }
  }

  FitPoint at(const Vector& s) { return evaluate_((best_.u + s).cwiseMax(low_).cwiseMin(high_)); }

  /// A long step that does not lead where the derivatives promise may have gone past a valley: it becomes half as long
  /// for as long as that is better. Returns where it leads.
  FitPoint shortened(Vector& s, FitPoint next) {
    constexpr double is_long = .5, off = .25;
    while (!next.failed() && next.sum < best_.sum && evaluate_.stopped().empty() &&
           s.cwiseQuotient(longest_change_).lpNorm<Eigen::Infinity>() > is_long &&
           (next.r - best_.r - best_.J * s).squaredNorm() > off * off * best_.sum) {
      FitPoint nearer = at(s / 2);
      if (!(nearer.sum < next.sum)) break;
      s /= 2;
      next = std::move(nearer);
    }
    return next;
  }

  void converge(const std::string& reason) {
    reason_ = reason;
    converged_ = true;
  }
  /// The diagonal of JᵀJ, positive also where the data say nothing.
  Vector weights() const {
    const Vector d = best_.J.colwise().squaredNorm();
    const double most = d.maxCoeff();
    return most > 0 ? Vector(d.cwiseMax(1e-12 * most)) : Vector::Ones(d.size());
  }
  /// A long step would leave the linear model behind: u changes by `longest_change_` at most.
  Vector step(double damping) const {
    Matrix H = best_.J.transpose() * best_.J;
    H.diagonal() += damping * weights();
    return minimum_in_box(H, best_.J.transpose() * best_.r, (low_ - best_.u).cwiseMax(-longest_change_),
                          (high_ - best_.u).cwiseMin(longest_change_));
  }
  double length(const Vector& s) const { return std::sqrt(s.cwiseAbs2().dot(weights())); }
  /// By how much the linear model of r lowers ‖r‖².
  double fall(const Vector& s) const {
    const Vector change = best_.J * s;
    return -(2 * best_.r + change).dot(change);
  }

  Evaluator& evaluate_;
  const Vector low_, high_, longest_change_;
  const double tolerance_;
  FitPoint best_;
  double damping_ = 1e-3,
         longest_ = std::numeric_limits<double>::infinity();  // λ, and the length that a step may have after a failure
  bool converged_ = false;
  std::string reason_;
};

/// The variables that are not at a bound, and JᵀJ of these.
struct Inner {
  Inner(const FitPoint& best, const Scaling& scaling) {
    const Vector low = scaling.low(), high = scaling.high();
    for (Index i = 0; i < best.u.size(); ++i)
      if (best.u[i] > low[i] && best.u[i] < high[i]) variables.push_back(i);
    if (variables.empty()) return;
    const Matrix J = best.J(Eigen::all, variables);
    eigen.compute(J.transpose() * J);
  }
  std::vector<Index> variables;
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;  // its eigenvalues are the squares of singular values of J
};

/// Notes the combinations of variables that do not change the residual, and returns their variables.
std::set<Index> note_undetermined(const Inner& inner, const Scaling& scaling, std::vector<std::string>& notes) {
  constexpr double small = 1e-6, share = .1;  // of the largest singular value; of the largest entry of a vector
  std::set<Index> all;
  const Vector& squares = inner.eigen.eigenvalues();
  for (Index k = 0; k < squares.size() && squares[k] <= small * small * squares.maxCoeff(); ++k) {
    const Vector way = inner.eigen.eigenvectors().col(k).cwiseAbs();
    std::vector<std::string> names;
    for (Index i = 0; i < way.size(); ++i) {
      if (way[i] < share * way.maxCoeff()) continue;
      all.insert(inner.variables[static_cast<std::size_t>(i)]);
      names.push_back(scaling.name(inner.variables[static_cast<std::size_t>(i)]));
    }
    notes.push_back(names.size() == 1 ? fmt::format("the data say nothing about {}", names[0])
                                      : fmt::format("the data do not tell {} apart: only a combination of them matters",
                                                    join(names, " and ")));
  }
  return all;
}

/// Notes large uncertainties, from the covariance of u, of variables that are not `known` as undetermined.
void note_uncertain(const Matrix& covariance, const std::set<Index>& known, const Scaling& scaling,
                    std::vector<std::string>& notes) {
  constexpr double strong = .98;
  const Vector deviation = covariance.diagonal().cwiseSqrt();
  for (Index i = 0; i < deviation.size(); ++i) {
    if (known.contains(i)) continue;
    if (deviation[i] > 1)
      notes.push_back(fmt::format("{} is uncertain: its standard deviation is {:.0f} % of its {}", scaling.name(i),
                                  100 * deviation[i], scaling.logarithmic(i) ? "value" : "range"));
    for (Index j = 0; j < i; ++j)
      if (const double c = covariance(i, j) / (deviation[i] * deviation[j]); !known.contains(j) && std::abs(c) > strong)
        notes.push_back(fmt::format("{} and {} are hard to tell apart: the correlation of their errors is {:.4f}",
                                    scaling.name(j), scaling.name(i), c));
  }
}

void add_uncertainty(const FitPoint& best, const Scaling& scaling, LeastSquaresResult& result) {
  const Index n = best.u.size();
  result.covariance = Matrix::Constant(n, n, unknown);
  result.low95 = result.high95 = Vector::Constant(n, unknown);
  const Inner inner(best, scaling);
  if (inner.variables.empty()) return;
  const std::set<Index> undetermined = note_undetermined(inner, scaling, result.notes);
  const Index freedom = best.r.size() - std::ssize(inner.variables);
  if (freedom < 1)
    result.notes.emplace_back("there are no more observations than varied values: their uncertainty is unknown");
  const double most = inner.eigen.eigenvalues().maxCoeff();
  if (freedom < 1 || most == 0) return;
  const Matrix& V = inner.eigen.eigenvectors();
  const Vector squares = inner.eigen.eigenvalues().cwiseMax(std::numeric_limits<double>::epsilon() * most);
  result.covariance(inner.variables, inner.variables) =
      best.sum / static_cast<double>(freedom) * (V * squares.cwiseInverse().asDiagonal() * V.transpose());
  note_uncertain(result.covariance, undetermined, scaling, result.notes);
  const Vector reach = student_95(freedom) * result.covariance.diagonal().cwiseSqrt();
  result.low95 = scaling.values_anywhere(best.u - reach);
  result.high95 = scaling.values_anywhere(best.u + reach);
  const Vector units = scaling.units();
  result.covariance = units.asDiagonal() * result.covariance * units.asDiagonal();
  for (const Index i : undetermined) {
    result.covariance.row(i).setConstant(unknown);
    result.covariance.col(i).setConstant(unknown);
    result.low95[i] = result.high95[i] = unknown;
  }
}

/// P(|T| < √ν tan θ) of Student's T with ν degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
double student_probability(Index nu, double theta) {
  const bool odd = nu % 2 != 0;
  double term = odd ? std::cos(theta) : 1, sum = nu > 1 ? term : 0;
  for (Index k = odd ? 3 : 2; k < nu; k += 2)
    sum += term *= static_cast<double>(k - 1) / static_cast<double>(k) * std::pow(std::cos(theta), 2);
  sum *= std::sin(theta);
  return odd ? 2 / std::numbers::pi * (theta + sum) : sum;
}

}  // namespace

double student_95(Index degrees_of_freedom) {
  const auto nu = static_cast<double>(degrees_of_freedom);
  if (degrees_of_freedom > 1000) {  // Abramowitz and Stegun 26.7.5
    constexpr double z = 1.959963984540054;
    return z + (std::pow(z, 3) + z) / (4 * nu) + (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * nu * nu);
  }
  double from = 0, to = std::numbers::pi / 2;
  for (int k = 0; k < 60; ++k) {
    const double middle = (from + to) / 2;
    (student_probability(degrees_of_freedom, middle) < .95 ? from : to) = middle;
  }
  return std::sqrt(nu) * std::tan(from);
}

LeastSquaresResult least_squares(const LeastSquaresFunction& function, const std::vector<FitVariable>& variables,
                                 const Vector& start, const LeastSquaresOptions& options) {
  check_ranges(variables, start);
  const Scaling scaling(variables);
  Evaluator evaluate(function, scaling, options);
  Descent fit(evaluate, scaling, options.tolerance, best_start(evaluate, scaling, start, options.starts));
  fit.run();
  LeastSquaresResult result;
  result.x = scaling.values(fit.best().u);
  result.sum_of_squares = fit.best().sum;
  result.evaluations = evaluate.count();
  result.converged = fit.converged();
  result.reason = fit.reason();
  if (!evaluate.note().empty()) result.notes.push_back(evaluate.note());
  note_bounds(fit.best().u, scaling, result.notes);
  add_uncertainty(fit.best(), scaling, result);
  return result;
}

}  // namespace limber
