#include "limber/gradient/tableau.hpp"

#include <deque>
#include <stdexcept>

namespace limber {
namespace {

using Asks = Tableau::Asks;
constexpr Index most_calls = 24;

/// Notes what a scheme asks for; returns fresh directions.
class Coefficients : public Dynamics {
 public:
  Coefficients(std::size_t known, Index size) : size_(size), next_(3 * static_cast<Index>(known)) {}

  State rate(const State& u) override { return note({.asks = Asks::rate, .in = {u.q, u.v}, .t = u.t}, 1); }
  State solve(const Stage& s) override { return stage(s, Asks::stage, 1); }
  State exponential(const State&, double) override { throw std::logic_error("an exponential method has no tableau"); }

  std::vector<Tableau::Call> calls;

 protected:
  State stage(const Stage& s, Asks asks, double share) {
    Tableau::Call call{.asks = asks,
                       .in = {s.star.q, s.star.v},
                       .at = {s.at.q, s.at.v},
                       .tau_q = s.tau_q,
                       .tau_v = s.tau_v,
                       .share = share,
                       .t = s.t,
                       .t_at = s.at.t};
    if (s.tangent_at) {
      call.tangent_at = StateCombination{s.tangent_at->q, s.tangent_at->v};
      call.t_tangent = s.tangent_at->t;
    }
    return note(std::move(call), s.t);
  }
  State note(Tableau::Call call, double t) {
    if (next_ + 1 >= size_) throw std::logic_error("a scheme makes more calls in a step than a tableau has room for");
    calls.push_back(std::move(call));
    next_ += 2;
    return {Vector::Unit(size_, next_ - 2), Vector::Unit(size_, next_ - 1), t};
  }

 private:
  Index size_, next_;
};

/// The same for ContactBeside: its impulse is a combination too.
class CoefficientsBeside final : public Coefficients {
 public:
  CoefficientsBeside(const State& start, std::size_t known, Index size)
      : Coefficients(known, size), last_(start), impulse_(Vector::Zero(size)) {}

  State rate(const State& u) override { return note({.asks = Asks::smooth_rate, .in = {u.q, u.v}, .t = u.t}, 1); }
  State solve(const Stage& s) override {
    const double dt = s.t - last_.t;
    Stage with_impulse = s;
    with_impulse.star.v += impulse_;
    with_impulse.at = last_;
    with_impulse.tangent_at.reset();
    last_ = stage(with_impulse, Asks::beside, dt / s.tau_v);
    impulse_ += dt * note({.asks = Asks::contact_rate, .in = {last_.q, last_.v}, .t = s.t}, 1).v;
    return {last_.q, last_.v - impulse_, last_.t};
  }
  const State& arrived() const { return last_; }

 private:
  State last_;
  Vector impulse_;
};

void shorten(StateCombination& c, Index size) {
  c.q.conservativeResize(size);
  c.v.conservativeResize(size);
}

}  // namespace

Tableau tableau(const TimeIntegrator& scheme, const History& known, double h, bool beside) {
  Tableau T;
  T.known = known.size();
  const Index size = 3 * static_cast<Index>(T.known) + 2 * most_calls;
  std::deque<State> states;
  for (std::size_t i = 0; i < T.known; ++i) {
    const Index first = Tableau::first_of_state(i);
    states.push_back({Vector::Unit(size, first), Vector::Unit(size, first + 1), known[i].t});
    if (known[i].a.size() > 0 && !beside) states.back().a = Vector::Unit(size, first + 2);
  }
  State end;
  if (beside) {
    CoefficientsBeside F(states[0], T.known, size);
    scheme.step(F, History(states), h);
    end = F.arrived();
    T.calls = std::move(F.calls);
  } else {
    Coefficients F(T.known, size);
    end = scheme.step(F, History(states), h);
    T.calls = std::move(F.calls);
  }
  T.end = {end.q, end.v};
  T.acceleration = end.a;
  for (Tableau::Call& call : T.calls) {
    shorten(call.in, T.size());
    if (call.at.q.size() > 0) shorten(call.at, T.size());
    if (call.tangent_at) shorten(*call.tangent_at, T.size());
  }
  shorten(T.end, T.size());
  if (T.acceleration.size() > 0) T.acceleration.conservativeResize(T.size());
  return T;
}

}  // namespace limber
