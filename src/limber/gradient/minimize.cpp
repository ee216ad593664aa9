#include "limber/gradient/minimize.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/gradient/scaling.hpp"

namespace limber {
namespace {

struct SearchPoint {
  Vector u, gradient;  // ∂J/∂u
  double value = no_value;
};

struct SearchBox {
  Vector low, high;
};

/// Evaluates points, and keeps the best of them.
class Search : public Trials {
 public:
  Search(const SmoothFunction& function, const Scaling& scaling, const MinimizeOptions& options)
      : Trials(scaling, options.max_evaluations, watch_of(options)), function_(function), scaling_(scaling) {}

  SearchPoint operator()(const Vector& u) {
    SearchPoint point{u, Vector::Zero(u.size())};
    const Vector x = scaling_.values(u);
    point.value = make(x, [&] {
      const ValueAndGradient found = function_(x);
      if (!std::isfinite(found.value) || !found.gradient.allFinite())
        throw StepFailure("the objective or its derivative is not finite");
      point.gradient = found.gradient.cwiseProduct(scaling_.slope(x));
      return found.value;
    });
    if (point.value < best_.value) best_ = point;
    return point;
  }

  const SearchPoint& best() const { return best_; }

 private:
  static Watch watch_of(const MinimizeOptions& options) {
    if (!options.go_on) return {};
    return [&options](int evaluation, double value, const Vector& x) { return options.go_on({evaluation, value, x}); };
  }

  const SmoothFunction& function_;
  const Scaling& scaling_;
  SearchPoint best_;
};

/// B = θ − W M Wᵀ, the approximation of the Hessian by the last few steps s and changes of the gradient y (Byrd, Lu,
/// Nocedal, Zhu, SIAM J. Sci. Comput. 16, 1995, eqs. 3.1 to 3.4): W = [Y, θS].
class LimitedMemory {
 public:
  explicit LimitedMemory(double theta) : theta_(theta) {}

  double theta() const { return theta_; }
  bool empty() const { return s_.empty(); }
  const Matrix& W() const { return W_; }
  Matrix M(const Matrix& x) const { return x.rows() > 0 ? Matrix(inverse_.solve(x)) : x; }

  void clear() {
    s_.clear();
    y_.clear();
    W_.resize(W_.rows(), 0);
  }
  /// Where the curvature is not positive nothing is learnt.
  void add(const Vector& s, const Vector& y) {
    if (!(s.dot(y) > 1e-10 * s.norm() * y.norm())) return;
    if (s_.size() == most) {
      s_.erase(s_.begin());
      y_.erase(y_.begin());
    }
    s_.push_back(s);
    y_.push_back(y);
    theta_ = y.squaredNorm() / s.dot(y);
    const auto m = static_cast<Index>(s_.size());
    Matrix S(s.size(), m), Y(s.size(), m);
    for (Index k = 0; k < m; ++k) {
      S.col(k) = s_[static_cast<std::size_t>(k)];
      Y.col(k) = y_[static_cast<std::size_t>(k)];
    }
    const Matrix SY = S.transpose() * Y;
    Matrix inverse = Matrix::Zero(2 * m, 2 * m);
    inverse.topLeftCorner(m, m).diagonal() = -SY.diagonal();
    inverse.bottomLeftCorner(m, m) = SY.triangularView<Eigen::StrictlyLower>();
    inverse.topRightCorner(m, m) = inverse.bottomLeftCorner(m, m).transpose();
    inverse.bottomRightCorner(m, m) = theta_ * S.transpose() * S;
    inverse_.compute(inverse);
    W_.resize(s.size(), 2 * m);
    W_ << Y, theta_ * S;
  }

 private:
  static constexpr std::size_t most = 10;
  double theta_;
  std::vector<Vector> s_, y_;
  Matrix W_;
  Eigen::PartialPivLU<Matrix> inverse_;
};

/// A point of the box, and c = Wᵀ(x − u) of it.
struct CauchyPoint {
  Vector x, c;
};

/// The first minimum of the model gᵀd + ½ dᵀB d along the path on which −g is followed and the bounds are kept.
CauchyPoint cauchy_point(const SearchPoint& at, const SearchBox& box, const LimitedMemory& B) {
  const Vector &u = at.u, &g = at.gradient;
  const Index n = u.size();
  Vector reach(n), d = -g;  // where on the path each variable meets its bound
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i) {
    reach[i] = g[i] == 0 ? no_value : (u[i] - (g[i] < 0 ? box.high[i] : box.low[i])) / g[i];
    if (reach[i] <= 0)
      d[i] = 0;
    else if (g[i] != 0)
      order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return reach[a] < reach[b]; });
  const bool plain = B.empty();
  CauchyPoint found{u, Vector::Zero(B.W().cols())};
  Vector p = plain ? Vector() : Vector(B.W().transpose() * d);
  const auto M = [&](const Vector& x) { return Vector(B.M(x)); };
  const double start_curvature = B.theta() * d.squaredNorm();
  double slope = -d.squaredNorm(), curvature = start_curvature - (plain ? 0 : p.dot(M(p))), t = 0;
  for (const Index i : order) {
    const double least = -slope / curvature, dt = reach[i] - t;
    if (least < dt) break;
    found.x[i] = d[i] > 0 ? box.high[i] : box.low[i];
    const double moved = found.x[i] - u[i];
    slope += dt * curvature + g[i] * g[i] + B.theta() * g[i] * moved;
    curvature -= B.theta() * g[i] * g[i];
    if (!plain) {
      found.c += dt * p;
      const Vector w = B.W().row(i);
      slope -= g[i] * w.dot(M(found.c));
      curvature -= 2 * g[i] * w.dot(M(p)) + g[i] * g[i] * w.dot(M(w));
      p += g[i] * w;
    }
    curvature = std::max(curvature, 1e-15 * start_curvature);
    d[i] = 0;
    t = reach[i];
  }
  const double dt = std::max(0., -slope / curvature);
  for (Index i = 0; i < n; ++i)
    if (d[i] != 0) found.x[i] = std::clamp(u[i] + (t + dt) * d[i], box.low[i], box.high[i]);
  if (!plain) found.c += dt * p;
  return found;
}

/// From the Cauchy point to the minimum of the model in the variables that it leaves free, cut to the box (Morales and
/// Nocedal, ACM Trans. Math. Softw. 38, 2011), or, where that leads uphill, as far as the box allows.
Vector model_minimum(const SearchPoint& at, const SearchBox& box, const LimitedMemory& B) {
  const CauchyPoint cauchy = cauchy_point(at, box, B);
  std::vector<Index> free;
  for (Index i = 0; i < at.u.size(); ++i)
    if (cauchy.x[i] > box.low[i] && cauchy.x[i] < box.high[i]) free.push_back(i);
  if (B.empty() || free.empty()) return cauchy.x;
  const double theta = B.theta();
  Vector r = at.gradient + theta * (cauchy.x - at.u) - B.W() * Vector(B.M(cauchy.c));
  r = Vector(r(free));
  const Matrix W = B.W()(free, Eigen::all);
  const Matrix N = Matrix::Identity(W.cols(), W.cols()) - B.M(W.transpose() * W) / theta;
  const Vector v = N.partialPivLu().solve(Vector(B.M(W.transpose() * r)));
  const Vector d = -r / theta - W * v / (theta * theta);
  Vector x = cauchy.x;
  x(free) += d;
  x = x.cwiseMax(box.low).cwiseMin(box.high);
  if ((x - at.u).dot(at.gradient) < 0) return x;
  double share = 1;
  for (std::size_t k = 0; k < free.size(); ++k) {
    const double change = d[static_cast<Index>(k)];
    const double room = (change > 0 ? box.high : box.low)[free[k]] - cauchy.x[free[k]];
    if (change != 0) share = std::min(share, room / change);
  }
  x = cauchy.x;
  x(free) += share * d;
  return x.cwiseMax(box.low).cwiseMin(box.high);
}

/// The gradient without what leads out of the box.
Vector inward(const SearchPoint& point, const SearchBox& box) {
  Vector g = point.gradient;
  for (Index i = 0; i < g.size(); ++i)
    if ((g[i] > 0 && point.u[i] <= box.low[i]) || (g[i] < 0 && point.u[i] >= box.high[i])) g[i] = 0;
  return g;
}

/// Where the cubic through two values and slopes has its minimum, in the inner four fifths of [a, b]; their middle
/// where there is none or a value is missing.
double between(double a, double value_a, double slope_a, double b, double value_b, double slope_b) {
  const double middle = .5 * (a + b), margin = .1 * (b - a);
  if (value_b == no_value) return middle;
  const double d = slope_a + slope_b - 3 * (value_a - value_b) / (a - b), square = d * d - slope_a * slope_b;
  if (!(square >= 0)) return middle;
  const double e = std::sqrt(square), t = b - (b - a) * (slope_b + e - d) / (slope_b - slope_a + 2 * e);
  return std::isfinite(t) ? std::clamp(t, a + margin, b - margin) : middle;
}

/// L-BFGS-B from the best point of a search.
class BoundedDescent {
 public:
  BoundedDescent(Search& search, const Scaling& scaling, double tolerance)
      : search_(search),
        box_{scaling.low(), scaling.high()},
        longest_change_(scaling.longest_change()),
        tolerance_(tolerance),
        now_(search.best()),
        memory_(1) {}

  void run() {
    const Vector first = inward(now_, box_);
    start_over();
    while (reason_.empty() && search_.stopped().empty()) improve(first.lpNorm<Eigen::Infinity>());
    if (reason_.empty()) reason_ = search_.stopped();
  }
  bool converged() const { return converged_; }
  const std::string& reason() const { return reason_; }

 private:
  void start_over() {
    constexpr double first_step = .1;  // of the longest
    const double steepest = inward(now_, box_).cwiseQuotient(longest_change_).lpNorm<Eigen::Infinity>();
    memory_ = LimitedMemory(steepest > 0 ? steepest / first_step : 1);
  }

  void improve(double first_slope) {
    constexpr double flat = 1e-8;
    const double steepest = inward(now_, box_).lpNorm<Eigen::Infinity>();
    if (steepest <= flat * first_slope) return converge("the gradient vanishes between the bounds");
    Vector d = model_minimum(now_, box_, memory_) - now_.u;
    const double most = d.cwiseQuotient(longest_change_).lpNorm<Eigen::Infinity>();
    if (most > 1) d /= most;
    const SearchPoint before = now_;
    if (!(now_.gradient.dot(d) < 0) || !step_along(d)) {
      if (!search_.stopped().empty()) return;
      if (!memory_.empty()) return start_over();
      if (failed_)
        reason_ = "closer to the least value the run fails";
      else
        reason_ = "no step lowers the objective any further";
      return;
    }
    if (failed_) return;  // a step that was cut says nothing about convergence
    if (before.value - now_.value <= tolerance_ * std::abs(before.value))
      converge("the objective can hardly fall any further");
    else if ((now_.u - before.u).lpNorm<Eigen::Infinity>() <= tolerance_)
      converge("the values hardly change any more");
  }

  void converge(const std::string& reason) {
    reason_ = reason;
    converged_ = true;
  }

  /// Goes along d until J has fallen enough and its slope is no longer steep. Returns whether it got anywhere. A run
  /// that fails is a point too far away.
  bool step_along(const Vector& d) {
    constexpr double enough = 1e-4, steep = .9, grow = 4;
    constexpr int most_trials = 40;
    const SearchPoint start = now_;
    const double slope = start.gradient.dot(d), most = longest_within(d);
    double a = 0, value_a = start.value, slope_a = slope;  // J has fallen enough, and falls on
    double b = no_value, value_b = no_value, slope_b = 0;  // too far
    failed_ = false;
    double length = std::min(1., most);
    for (int k = 0; k < most_trials && search_.stopped().empty(); ++k) {
      const SearchPoint next = search_((start.u + length * d).cwiseMax(box_.low).cwiseMin(box_.high));
      const double slope_here = next.gradient.dot(d);
      failed_ = failed_ || next.value == no_value;
      if (!(next.value <= start.value + enough * length * slope)) {
        b = length;
        value_b = next.value;
        slope_b = slope_here;
      } else {
        now_ = next;
        if (slope_here >= steep * slope || length >= most) break;
        a = length;
        value_a = next.value;
        slope_a = slope_here;
      }
      if (b < no_value && (b - a) * d.lpNorm<Eigen::Infinity>() <= tolerance_) break;
      length = b < no_value ? between(a, value_a, slope_a, b, value_b, slope_b) : std::min(grow * length, most);
    }
    memory_.add(now_.u - start.u, now_.gradient - start.gradient);
    return now_.value < start.value;
  }

  /// How many times d leads to the next bound, or as far as a step may go.
  double longest_within(const Vector& d) const {
    double most = no_value;
    for (Index i = 0; i < d.size(); ++i) {
      if (d[i] == 0) continue;
      const double room = (d[i] > 0 ? box_.high[i] - now_.u[i] : now_.u[i] - box_.low[i]) / std::abs(d[i]);
      most = std::min({most, std::max(room, 1.), std::max(longest_change_[i] / std::abs(d[i]), 1.)});
    }
    return most;
  }

  Search& search_;
  const SearchBox box_;
  const Vector longest_change_;
  const double tolerance_;
  SearchPoint now_;
  LimitedMemory memory_;
  bool failed_ = false;  // a run in the last search along a line
  bool converged_ = false;
  std::string reason_;
};

}  // namespace

Minimum minimize(const SmoothFunction& function, const std::vector<FitVariable>& variables, const Vector& start,
                 const MinimizeOptions& options) {
  check_ranges(variables, start);
  const Scaling scaling(variables);
  const Vector low = scaling.low(), high = scaling.high();
  Search search(function, scaling, options);
  search(scaling.scaled(start));
  const auto failed = search.failure();
  for (int k = 1; k < options.starts && search.stopped().empty(); ++k)
    search(low + halton(k, low.size()).cwiseProduct(high - low));
  if (search.best().value == no_value) throw explained(*failed, scaling.text(start));
  BoundedDescent descent(search, scaling, options.tolerance);
  descent.run();
  const SearchPoint& best = search.best();
  Minimum result;
  result.x = scaling.values(best.u);
  result.at = {best.value, best.gradient.cwiseQuotient(scaling.slope(result.x))};
  result.evaluations = search.count();
  result.converged = descent.converged();
  result.reason = descent.reason();
  if (!search.note().empty()) result.notes.push_back(search.note());
  note_bounds(best.u, scaling, result.notes);
  return result;
}

}  // namespace limber
