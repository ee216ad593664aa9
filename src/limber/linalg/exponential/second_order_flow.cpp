#include "limber/linalg/exponential/second_order_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/exponential/mass_lanczos.hpp"
#include "limber/linalg/exponential/oscillator_response.hpp"

namespace limber {
namespace {

constexpr int residual_points = 32;  // points at which the residual of a sub-step is looked at
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What starts a motion: a velocity, a force, or a force that grows in time.
enum class Kind { impulse, step, ramp };

struct Answer {
  double value, rate;
};

Answer answer(Kind kind, const OscillatorResponse& y) {
  if (kind == Kind::impulse) return {y.impulse, y.impulse_rate};
  if (kind == Kind::step) return {y.step, y.impulse};
  return {y.ramp, y.step};
}

/// ∫|ρ| and ∫(h − t)|ρ| over a part s of a sub-step: what the residual ρ adds to the errors of d'(h) and d(h).
struct Reach {
  double s = 0;
  double rate_error = 0, error = 0;
};

/// Integrals of the residual that a space may add per unit of time.
struct Allowance {
  double rate, value;
};

/// ‖d‖ and ‖d'‖
struct Size {
  double value = 0, rate = 0;
};

struct Source {
  Source(Kind of, Index n, int limit) : kind(of), space(n, limit) {}
  Kind kind;
  MassLanczos space;
};

class SecondOrderFlow {
 public:
  SecondOrderFlow(const SecondOrderOperator& op, const SecondOrderLoad& load, double h, const Phi1Options& options,
                  Phi1Report& report)
      : op_(op), load_(load), h_(h), options_(options), report_(report) {
    const Index n = load.v.size();
    for (const Kind kind : {Kind::impulse, Kind::step, Kind::ramp})
      if (kind != Kind::ramp || load.f_t.size() > 0) sources_.emplace_back(kind, n, limit(n));
  }

  SecondOrderMotion run();

 private:
  struct Substep {
    double t, rate_error, error;  // t at its end
  };

  /// Large bases cost memory, and for small n the eigenvectors of T cost more than products.
  static int limit(Index n) {
    const Index most = n < 10000 ? 64 : std::clamp<Index>(25000000 / n, 40, 128);
    return static_cast<int>(std::min(n, most));
  }

  [[noreturn]] void fail(const std::string& why, double reached) const {
    throw StepFailure(fmt::format("exact motion of the linear system: {} after {} products with K and {} sub-steps (at "
                                  "{:.3g} of {:.3g}); relative error asked {:.1e}, reached {:.1e}",
                                  why, report_.products, report_.substeps, now_.t, h_, options_.tolerance, reached),
                      static_cast<int>(std::min<long>(report_.products, std::numeric_limits<int>::max())), reached);
  }

  void advance(double tolerance);
  void start_substep();
  void estimate_amplitudes();
  void note_growth(const Vector& theta);
  void extend(Source& source);
  double build(Source& source, double tau, double tolerance);
  Reach reach(const Source& source, double tau, const Allowance& allowed) const;
  void move(double tau);

  const SecondOrderOperator& op_;
  const SecondOrderLoad& load_;
  double h_;
  const Phi1Options& options_;
  Phi1Report& report_;
  std::vector<Source> sources_;
  struct {
    double t = 0;
    Size size;
    SecondOrderMotion motion;
  } now_;
  Size amplitude_;        // of the whole motion, by its mean frequencies
  Size largest_;          // on the way
  double growth_ = 0;     // the largest rate of growth [1/s] that was seen
  double frequency_ = 0;  // √λ_max
  std::vector<Substep> steps_;
};

void SecondOrderFlow::note_growth(const Vector& theta) {
  for (const double lambda : theta) {
    const double a = (op_.alpha * lambda + op_.beta) / 2, square = a * a - lambda;
    growth_ = std::max(growth_, square > 0 ? -a + std::sqrt(square) : -a);
  }
}

/// The residual of V y is next M v_{m+1} (y + αy')_m: see it on a grid over [0, τ].
Reach SecondOrderFlow::reach(const Source& source, double tau, const Allowance& allowed) const {
  const MassLanczos& space = source.space;
  const Vector first = space.Q().row(0), last = space.Q().row(space.m() - 1);
  const double step = tau / residual_points;
  Reach best;
  double rate_error = 0, error = 0, before = 0;
  for (int j = 1; j <= residual_points; ++j) {
    const double s = j * step;
    double sum = 0, moduli = 0;
    for (Index i = 0; i < first.size(); ++i) {
      const double lambda = space.theta()[i];
      const Answer y = answer(source.kind, oscillator_response(lambda, op_.alpha * lambda + op_.beta, s));
      const double part = first[i] * (y.value + op_.alpha * y.rate);
      sum += last[i] * part;
      moduli += std::abs(part);
    }
    // The components of Q are exact to rounding only; what is below is noise, not residual.
    const double seen = std::max(0.0, std::abs(sum) - 4 * epsilon * moduli);
    const double residual = space.size() * space.next() * seen;
    if (!std::isfinite(moduli)) break;
    const double left = h_ - now_.t - s;
    rate_error += step / 2 * (before + residual);
    error += step / 2 * (before * (left + step) + residual * left) + step * step / 8 * residual;
    before = residual;
    if (rate_error <= allowed.rate * s && error <= allowed.value * s) best = {s, rate_error, error};
  }
  return best;
}

/// Extends the space until all of τ is accurate, or it is full; returns the part of τ that is accurate.
double SecondOrderFlow::build(Source& source, double tau, double tolerance) {
  MassLanczos& space = source.space;
  const double share = tolerance / (h_ * static_cast<double>(sources_.size()));
  const Allowance allowed{share * std::max(amplitude_.rate, now_.size.rate),
                          share * std::max(amplitude_.value, now_.size.value)};
  const auto full = [&] { return space.complete() || space.m() == space.limit(); };
  int look = space.m() > 1 ? space.m() : 4;  // a space that is kept is looked at before it grows
  for (;; extend(source)) {
    if (!full() && space.m() < look) continue;
    space.diagonalize();
    note_growth(space.theta());
    for (double s = tau; s > 1e-15 * h_; s /= 8) {
      const Reach found = reach(source, s, allowed);
      if (found.s >= tau * (1 - 1e-12)) return tau;
      if (!full()) break;
      if (found.s > 0) return found.s;
    }
    if (full()) fail("no sub-step is short enough", 1);
    // Polynomials of degree m follow waves over a phase of 2m at most.
    const double waves = op_.alpha * std::sqrt(space.largest()) < 1 ? 0.5 * tau * std::sqrt(space.largest()) : 0;
    look = std::max(space.m() + std::max(3, space.m() / 8), static_cast<int>(std::min(waves, 1e6)));
  }
}

void SecondOrderFlow::extend(Source& source) {
  heed_interrupts();
  if (report_.products >= options_.max_products)
    fail(fmt::format("the limit of {} products is exhausted", options_.max_products), 1);
  ++report_.products;
  source.space.extend(op_.stiffness, op_.inverse_mass);
}

/// The sources of the motion from (d, d') at time t on: it differs from d by a motion from rest.
void SecondOrderFlow::start_substep() {
  Vector p, w;
  for (Source& source : sources_) {
    if (source.kind == Kind::impulse) {
      op_.mass(now_.motion.rate, p);
      source.space.start(p, now_.motion.rate);
      now_.size.rate = source.space.size();
    } else if (source.kind == Kind::step) {
      p = Vector::Zero(load_.v.size());
      if (now_.t > 0) {
        op_.stiffness(now_.motion.d, p);
        ++report_.products;
        p = -p;
      }
      if (load_.f.size() > 0) p += load_.f;
      if (load_.f_t.size() > 0) p += now_.t * load_.f_t;
      op_.inverse_mass(p, w);
      source.space.start(p, w);
    } else if (source.space.m() == 0) {  // the same throughout
      op_.inverse_mass(load_.f_t, w);
      source.space.start(load_.f_t, w);
    }
  }
}

/// How far the three kinds of source move a mode with the mean frequency of the source.
void SecondOrderFlow::estimate_amplitudes() {
  amplitude_ = {};
  for (Source& source : sources_) {
    const MassLanczos& space = source.space;
    if (space.size() == 0) continue;
    if (space.m() == 0) extend(source);
    const double stiffness = std::abs(space.mean()), damping = std::abs(op_.alpha * space.mean() + op_.beta);
    const double impulse = std::min({h_, 1 / std::sqrt(stiffness), 1 / damping});
    const double step = std::min({h_ * h_ / 2, 1 / stiffness, h_ / damping});
    const double ramp = std::min({h_ * h_ * h_ / 6, h_ / stiffness, h_ * h_ / (2 * damping)});
    const Answer amplitude = answer(source.kind, {1, impulse, step, ramp});
    amplitude_.value = std::max(amplitude_.value, space.size() * amplitude.value);
    amplitude_.rate = std::max(amplitude_.rate, space.size() * amplitude.rate);
  }
}

void SecondOrderFlow::move(double tau) {
  const double inf = std::numeric_limits<double>::infinity();
  Substep step{now_.t + tau, 0, 0};
  now_.motion.rate.setZero();
  for (const Source& source : sources_) {
    const MassLanczos& space = source.space;
    if (space.size() == 0) continue;
    Vector value(space.m()), rate(space.m());
    for (Index i = 0; i < space.m(); ++i) {
      const double lambda = space.theta()[i], first = space.size() * space.Q()(0, i);
      const Answer y = answer(source.kind, oscillator_response(lambda, op_.alpha * lambda + op_.beta, tau));
      value[i] = first * y.value;
      rate[i] = first * y.rate;
    }
    subtract(space.V().leftCols(value.size()), -(space.Q() * value), now_.motion.d);
    subtract(space.V().leftCols(rate.size()), -(space.Q() * rate), now_.motion.rate);
    const Reach whole = reach(source, tau, {inf, inf});
    step.rate_error += whole.rate_error;
    step.error += whole.error;
    frequency_ = std::max(frequency_, std::sqrt(space.largest()));
  }
  steps_.push_back(step);
  ++report_.substeps;
}

void SecondOrderFlow::advance(double tolerance) {
  const Index n = load_.v.size();
  now_.motion = {Vector::Zero(n), load_.v};
  now_.t = now_.size.value = 0;
  largest_ = {};
  steps_.clear();
  double guess = h_;
  Vector Md;
  while (now_.t < h_) {
    start_substep();
    if (now_.t == 0) estimate_amplitudes();
    const double left = h_ - now_.t, tried = std::min(guess, left);
    double tau = tried;
    for (Source& source : sources_)
      if (source.space.size() > 0) tau = build(source, tau, tolerance);
    move(tau);
    now_.t = tau >= left * (1 - 1e-12) ? h_ : now_.t + tau;
    op_.mass(now_.motion.d, Md);
    now_.size.value = std::sqrt(std::max(0.0, chunked_dot(Md, now_.motion.d)));
    if (!std::isfinite(now_.size.value)) fail("the motion is not finite", 1);
    largest_.value = std::max(largest_.value, now_.size.value);
    largest_.rate = std::max(largest_.rate, now_.size.rate);
    guess = tau >= tried * (1 - 1e-12) ? 2 * tau : 1.25 * tau;
  }
  op_.mass(now_.motion.rate, Md);
  now_.size.rate = std::sqrt(std::max(0.0, chunked_dot(Md, now_.motion.rate)));
  largest_.rate = std::max(largest_.rate, now_.size.rate);
}

SecondOrderMotion SecondOrderFlow::run() {
  double share = 0.2;
  now_.motion = {Vector::Zero(load_.v.size()), load_.v};
  start_substep();
  const double start = now_.size.rate;
  if (std::all_of(sources_.begin(), sources_.end(), [](const Source& s) { return s.space.size() == 0; }))
    return {Vector::Zero(load_.v.size()), Vector::Zero(load_.v.size())};
  for (int pass = 0;; ++pass) {
    advance(share * options_.tolerance);
    double error = 0, rate_error = 0;
    for (const Substep& step : steps_) {
      const double grown = std::exp(growth_ * (h_ - step.t));
      error += grown * step.error;
      rate_error += grown * step.rate_error;
    }
    const double noise = epsilon * (8 + static_cast<double>(steps_.size()) + frequency_ * h_);
    const double scale = std::max(now_.size.value, 0.01 * amplitude_.value);
    const double rate_scale = std::max({now_.size.rate, start, 0.01 * amplitude_.rate});
    const double truncation = std::max(error / scale, rate_error / rate_scale);
    const double rounding = noise * std::max(largest_.value / scale, largest_.rate / rate_scale);
    report_.error = truncation + rounding;
    if (report_.error <= options_.tolerance) return now_.motion;
    if (pass == 2 || !(rounding < options_.tolerance)) fail("the tolerance is not reached", report_.error);
    share *= 0.3 * options_.tolerance / truncation;
  }
}

void check(const Vector& x, Index n, const char* name) {
  if (x.size() != n) throw InputError(name, fmt::format("has {} entries, v has {}", x.size(), n));
  for (const double entry : x)
    if (!std::isfinite(entry)) throw InputError(name, fmt::format("has an entry {}, must be finite", entry));
}

}  // namespace

SecondOrderMotion second_order_flow(const SecondOrderOperator& op, const SecondOrderLoad& load, double h,
                                    const Phi1Options& options, Phi1Report& report) {
  const Index n = load.v.size();
  check(load.v, n, "v");
  if (load.f.size() > 0) check(load.f, n, "f");
  if (load.f_t.size() > 0) check(load.f_t, n, "f_t");
  if (!std::isfinite(h)) throw InputError("h", fmt::format("{}, must be finite", h));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InputError("tol", fmt::format("{} is outside (0, 1)", options.tolerance));
  report = {};
  if (h == 0 || n == 0) return {Vector::Zero(n), load.v};
  if (h < 0) {  // d(−t) is a motion with the damping reversed
    const SecondOrderOperator back{op.stiffness, op.mass, op.inverse_mass, -op.alpha, -op.beta};
    SecondOrderMotion moved = SecondOrderFlow(back, {-load.v, load.f, -load.f_t}, -h, options, report).run();
    return {std::move(moved.d), -moved.rate};
  }
  return SecondOrderFlow(op, load, h, options, report).run();
}

}  // namespace limber
