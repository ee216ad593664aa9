#include "limber/gradient/step_derivative.hpp"

#include <algorithm>

#include "limber/time/partial_system.hpp"

namespace limber {
namespace {

using Asks = Tableau::Asks;

/// Adjoints or changes of all directions of a tableau, one block of `width` columns for each.
class Blocks {
 public:
  Blocks(Index rows, Index directions, Index width) : width_(width), values_(Matrix::Zero(rows, directions * width)) {}

  auto operator[](Index direction) { return values_.middleCols(direction * width_, width_); }
  /// Σ c_k of all directions.
  Matrix combined(const Vector& c) const {
    Matrix sum = Matrix::Zero(values_.rows(), width_);
    for (Index k = 0; k < c.size(); ++k)
      if (c[k] != 0) sum += c[k] * values_.middleCols(k * width_, width_);
    return sum;
  }
  /// The transpose: adds c_k x to each direction.
  void spread(const Vector& c, const Matrix& x) {
    for (Index k = 0; k < c.size(); ++k)
      if (c[k] != 0) values_.middleCols(k * width_, width_) += c[k] * x;
  }

 private:
  Index width_;
  Matrix values_;
};

}  // namespace

void CallDerivative::set(const Call& call, bool linearized) {
  call_ = &call;
  linear_stage_ = linearized && call.asked.asks == Asks::stage;
  ContactPart* contact = system_.contact();
  const auto& asked = call.asked;
  switch (asked.asks) {
    case Asks::rate:
      return tangent_.set(system_, call.in);
    case Asks::smooth_rate:
      return tangent_.set(contact->smooth(), call.in);
    case Asks::contact_rate:
      settle_friction(system_, call.in);
      return tangent_.set(contact->forces(), call.in);
    case Asks::beside: {
      settle_friction(system_, call.result);
      WithContact scaled(system_, contact->smooth(), {}, {}, asked.share);
      tangent_.set(scaled, call.result);
      solver_.set(system_, tangent_, asked.tau_q, asked.tau_v);
      return tangent_.forget();
    }
    case Asks::stage:
      break;
  }
  if (has_own_tangent()) at_known_.set(smooth(), call.at);
  if (linear_stage_ && contact) {
    linearized_.set(contact->smooth(), call.tangent_at);
    settle_friction(system_, call.result);
    LinearForce smooth(contact->smooth(), call.at, call.tangent_at, nullptr);
    WithContact both(system_, smooth);
    tangent_.set(both, call.result);
  } else {
    tangent_.set(system_, linear_stage_ ? call.tangent_at : call.result);
  }
  solver_.set(system_, tangent_, asked.tau_q, asked.tau_v);
  if (linear_stage_ && contact) tangent_.forget();
}

CallEquation CallDerivative::equation() const {
  const Call& c = *call_;
  const double tau = c.asked.tau_v;
  if (!c.asked.is_stage()) return {{{part_of(c.asked.asks), 1, c.in}}, c.result.v};
  CallEquation g{{}, c.result.v - c.in.v};
  if (c.asked.asks == Asks::beside) {
    g.terms = {{ForceTerm::Of::smooth, tau, c.result}, {ForceTerm::Of::contact, tau * c.asked.share, c.result}};
  } else if (!linear_stage_) {
    g.terms = {{ForceTerm::Of::all, tau, c.result}};
  } else {
    const auto of = system_.contact() ? ForceTerm::Of::smooth : ForceTerm::Of::all;
    g.terms = {{of, tau, c.at}, {of, tau, c.tangent_at, c.result.q - c.at.q, c.result.v - c.at.v}};
    if (system_.contact()) g.terms.push_back({ForceTerm::Of::contact, tau, c.result});
  }
  return g;
}

Matrix CallDerivative::solve(const Matrix& b) {
  if (call_->asked.is_stage()) return solver_.solve(b);
  Matrix x(b.rows(), b.cols());
  for (Index k = 0; k < b.cols(); ++k) x.col(k) = system_.solve_mass(b.col(k));
  return x;
}

std::optional<CallDerivative::Slopes> CallDerivative::slopes(const Matrix& by_q, const Matrix& by_v) {
  const Vector dq = call_->result.q - call_->at.q, dv = call_->result.v - call_->at.v;
  const Space& space = system_.space();
  const double size = std::max(space.max_abs(dq), call_->asked.tau_q * space.max_abs(dv));
  if (size == 0) return std::nullopt;
  if (by_q.cols() == 1 && smooth().symmetric() && !smooth().velocity_dependent())
    return Slopes{slope_of_forces(dq, by_q), Matrix::Zero(by_v.rows(), 1)};
  // Differences lose the square of the step, relative to the size of an element, and rounding divided by it.
  constexpr double relative = 3e-6;
  const double s = relative * system_.length_scale() / size;
  Slopes d{Matrix::Zero(by_q.rows(), by_q.cols()), Matrix::Zero(by_v.rows(), by_v.cols())};
  for (const double side : {s, -s}) {
    State u = call_->tangent_at;
    u.q += side * dq;
    u.v += side * dv;
    shifted_.set(smooth(), u);
    d.stiffness += shifted_.stiffness(by_q, sense_) / (2 * side);
    d.damping += shifted_.damping(by_v, sense_) / (2 * side);
  }
  return d;
}

/// d/ds K(ū + s dq) w, from forces alone: much cheaper than two tangents.
Vector CallDerivative::slope_of_forces(const Vector& dq, const Vector& w) {
  constexpr double relative = 3e-5;
  const Space& space = system_.space();
  const double largest = space.max_abs(w), step = relative * system_.length_scale();
  if (largest == 0 || dq.isZero(0)) return Vector::Zero(w.size());
  const double s = step / space.max_abs(dq), r = step / largest;
  const auto force = [&](double along_dq, double along_w) {
    State u = call_->tangent_at;
    u.q += along_dq * dq + along_w * w;
    return smooth().force(u);
  };
  return (force(s, -r) - force(s, r) + force(-s, r) - force(-s, -r)) / (4 * s * r);
}

void CallDerivative::forget() {
  for (ExactTangent* tangent : {&tangent_, &linearized_, &at_known_, &shifted_}) tangent->forget();
}

ReverseStep::ReverseStep(System& system, std::span<SystemVariation* const> variations)
    : system_(system), variations_(variations), call_(system, Sense::transposed) {}

std::vector<StateAdjoint> ReverseStep::run(const ReplayedSubstep& step, bool linearized, const StateAdjoint& end,
                                           Eigen::Ref<Vector> gradient) {
  const Tableau& T = step.tableau;
  Blocks adjoint(end.q.size(), T.size(), 1);
  adjoint.spread(T.end.q, end.q);
  adjoint.spread(T.end.v, end.v);
  if (T.acceleration.size() > 0 && end.a.size() > 0) adjoint.spread(T.acceleration, end.a);
  for (std::size_t i = T.calls.size(); i-- > 0;) {
    const Tableau::Call& asked = T.calls[i];
    const Vector Lq = adjoint[T.first_of_call(i)], Lv = adjoint[T.first_of_call(i) + 1];
    if (Lq.isZero(0) && Lv.isZero(0)) continue;
    call_.set(step.calls[i], linearized);
    const ExactTangent& at = call_.tangent();
    Vector w;
    if (!asked.is_stage()) {
      w = system_.solve_mass(Lv);
      adjoint.spread(asked.in.q, -at.stiffness(w, Sense::transposed));
      adjoint.spread(asked.in.v, Lq - at.damping(w, Sense::transposed));
    } else {
      w = call_.solve(Lv + asked.tau_q * Lq);
      adjoint.spread(asked.in.v, system_.apply_mass(w));
      adjoint.spread(asked.in.q, Lq - asked.tau_v * at.stiffness(w, Sense::transposed));
    }
    if (call_.linear_stage()) {
      if (call_.has_own_tangent()) {
        const ExactTangent &own = call_.linearized(), &known = call_.at_known();
        const auto difference = [&](auto product) {
          return asked.tau_v * ((own.*product)(w, Sense::transposed) - (known.*product)(w, Sense::transposed));
        };
        adjoint.spread(asked.at.q, difference(&ExactTangent::stiffness));
        adjoint.spread(asked.at.v, difference(&ExactTangent::damping));
      }
      if (const auto d = call_.slopes(w, w)) {
        const StateCombination& about = asked.tangent_at ? *asked.tangent_at : asked.at;
        adjoint.spread(about.q, -asked.tau_v * d->stiffness);
        adjoint.spread(about.v, -asked.tau_v * d->damping);
      }
    }
    if (variations_.empty()) continue;
    const CallEquation g = call_.equation();
    Index first = 0;
    for (SystemVariation* variation : variations_) {
      variation->add_powers(g, w, gradient.segment(first, variation->size()));
      first += variation->size();
    }
  }
  std::vector<StateAdjoint> known;
  for (std::size_t i = 0; i < T.known; ++i) {
    const Index first = Tableau::first_of_state(i);
    known.push_back({adjoint[first], adjoint[first + 1], adjoint[first + 2]});
  }
  return known;
}

StateChange ForwardStep::run(const ReplayedSubstep& step, bool linearized, std::span<const StateChange> known,
                             const Sources& sources) {
  const Tableau& T = step.tableau;
  const Index width = known[0].q.cols();
  Blocks change(known[0].q.rows(), T.size(), width);
  for (std::size_t i = 0; i < T.known; ++i) {
    const Index first = Tableau::first_of_state(i);
    change[first] = known[i].q;
    change[first + 1] = known[i].v;
    if (known[i].a.size() > 0) change[first + 2] = known[i].a;
  }
  for (std::size_t i = 0; i < T.calls.size(); ++i) {
    const Tableau::Call& asked = T.calls[i];
    call_.set(step.calls[i], linearized);
    const ExactTangent& at = call_.tangent();
    const Matrix dq = change.combined(asked.in.q), dv = change.combined(asked.in.v);
    const Index to = T.first_of_call(i);
    Matrix b;
    if (!asked.is_stage()) {
      b = -at.stiffness(dq) - at.damping(dv);
    } else {
      b = -asked.tau_v * at.stiffness(dq);
      for (Index k = 0; k < width; ++k) b.col(k) += system_.apply_mass(dv.col(k));
    }
    if (call_.linear_stage()) {
      const StateCombination& about = asked.tangent_at ? *asked.tangent_at : asked.at;
      if (call_.has_own_tangent()) {
        const ExactTangent &own = call_.linearized(), &before = call_.at_known();
        const Matrix at_q = change.combined(asked.at.q), at_v = change.combined(asked.at.v);
        b += asked.tau_v * (own.stiffness(at_q) - before.stiffness(at_q) + own.damping(at_v) - before.damping(at_v));
      }
      if (const auto d = call_.slopes(change.combined(about.q), change.combined(about.v)))
        b -= asked.tau_v * (d->stiffness + d->damping);
    }
    sources(step.calls[i], call_.equation(), b);
    const Matrix x = call_.solve(b);
    change[to + 1] = x;
    change[to] = asked.is_stage() ? Matrix(dq + asked.tau_q * x) : dv;
  }
  StateChange end{change.combined(T.end.q), change.combined(T.end.v)};
  if (T.acceleration.size() > 0) end.a = change.combined(T.acceleration);
  return end;
}

}  // namespace limber
