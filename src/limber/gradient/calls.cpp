#include "limber/gradient/calls.hpp"

#include "limber/core/errors.hpp"
#include "limber/gradient/stage_tangent.hpp"

namespace limber {
namespace {

/// The known states and results so far, as columns.
class Directions {
 public:
  Directions(const Tableau& tableau, const History& known)
      : columns_(Matrix::Zero(known[0].q.size(), tableau.size())), first_(tableau.first_of_call(0)) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      const Index first = Tableau::first_of_state(i);
      columns_.col(first) = known[i].q;
      columns_.col(first + 1) = known[i].v;
      if (known[i].a.size() > 0) columns_.col(first + 2) = known[i].a;
    }
  }
  void add(std::size_t call, const State& result) {
    const Index first = first_ + 2 * static_cast<Index>(call);
    columns_.col(first) = result.q;
    columns_.col(first + 1) = result.v;
  }
  State state(const StateCombination& c, double t) const { return {combined(c.q), combined(c.v), t}; }
  Vector combined(const Vector& c) const {
    Vector x = Vector::Zero(columns_.rows());
    for (Index k = 0; k < c.size(); ++k)
      if (c[k] != 0) x += c[k] * columns_.col(k);
    return x;
  }

 private:
  Matrix columns_;
  Index first_;
};

}  // namespace

ForceTerm::Of part_of(Tableau::Asks asks) {
  switch (asks) {
    case Tableau::Asks::smooth_rate:
      return ForceTerm::Of::smooth;
    case Tableau::Asks::contact_rate:
      return ForceTerm::Of::contact;
    default:
      return ForceTerm::Of::all;
  }
}

ReplayedSubstep replay(System& system, const TimeIntegrator& scheme, const RecordedSubstep& substep) {
  ReplayedSubstep r{tableau(scheme, substep.known, substep.h, substep.way == Way::split_impulse), {}, {}};
  Directions known(r.tableau, substep.known);
  std::size_t stage = 0;
  for (const Tableau::Call& asked : r.tableau.calls) {
    Call call{.asked = asked, .in = known.state(asked.in, asked.t), .at = {}, .result = {}, .tangent_at = {}};
    if (asked.is_stage()) {
      if (stage == substep.stages.size()) throw StepFailure("a step has fewer stages than its scheme");
      call.result = substep.stages[stage++];
      call.at = known.state(asked.at, asked.t_at);
      call.own_tangent = asked.tangent_at.has_value();
      call.tangent_at = call.own_tangent ? known.state(*asked.tangent_at, asked.t_tangent) : call.at;
      call.at.t = asked.t;
      if (!call.own_tangent) call.tangent_at.t = asked.t;
    } else {
      call.result = {call.in.v, system.solve_mass(force_of(system, part_of(asked.asks), call.in)), 1};
    }
    known.add(r.calls.size(), call.result);
    r.calls.push_back(std::move(call));
  }
  r.end = known.state(r.tableau.end, substep.known[0].t + substep.h);
  if (r.tableau.acceleration.size() > 0) r.end.a = known.combined(r.tableau.acceleration);
  return r;
}

}  // namespace limber
