#include "limber/scene/gradient/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/model/storing_force.hpp"

namespace limber {
namespace {

void add_scaled(const Vector& x, double factor, Vector& to) {
  if (x.size() == 0) return;
  if (to.size() == 0)
    to = factor * x;
  else
    to += factor * x;
}

void require_finite_parts(const ObjectiveValue& x) {
  if (!std::isfinite(x.value)) throw InputError("objective", fmt::format("its value is {}", x.value));
  for (std::size_t k = 0; k < x.by_states.size(); ++k)
    for (const Vector* part : {&x.by_states[k].q, &x.by_states[k].v, &x.by_states[k].a})
      if (!part->allFinite()) throw InputError("objective", fmt::format("its derivative is not finite at row {}", k));
}

}  // namespace

bool stores_the_past(const MechanicalSystem& system) {
  const auto& all = system.forces().all();
  return std::any_of(all.begin(), all.end(), [](const auto& f) {
    return f->traits().energy == EnergyKind::elastic && dynamic_cast<const StoringForce*>(f.get());
  });
}

void add(const ObjectiveValue& x, double factor, ObjectiveValue& to) {
  to.value += factor * x.value;
  if (to.by_states.size() < x.by_states.size()) to.by_states.resize(x.by_states.size());
  for (std::size_t k = 0; k < x.by_states.size(); ++k) {
    add_scaled(x.by_states[k].q, factor, to.by_states[k].q);
    add_scaled(x.by_states[k].v, factor, to.by_states[k].v);
    add_scaled(x.by_states[k].a, factor, to.by_states[k].a);
  }
  if (to.by_parameters.empty()) to.by_parameters.resize(x.by_parameters.size());
  for (std::size_t p = 0; p < x.by_parameters.size(); ++p) {
    to.by_parameters[p].resize(x.by_parameters[p].size());
    for (std::size_t c = 0; c < x.by_parameters[p].size(); ++c)
      to.by_parameters[p][c] += factor * x.by_parameters[p][c];
  }
}

RunGradient value_and_gradient(DifferentiableRun& run, const Objective& objective) {
  const long steps = objective.steps(run);
  const Index size = 3 * static_cast<Index>(run.model().system->nodes());
  RunStates states{Vector(steps + 1), RunStates::Rows(steps + 1, size), RunStates::Rows(steps + 1, size)};
  run.run(steps, [&](long k, const State& u) {
    states.t[k] = u.t;
    states.X.row(k) = u.q.transpose();
    states.V.row(k) = u.v.transpose();
  });
  ObjectiveValue at = objective.at(run, states);
  require_finite_parts(at);
  at.by_states.resize(static_cast<std::size_t>(steps) + 1);
  RunGradient result{at.value, run.zeros()};
  if (result.by_parameters.empty()) return result;
  result.by_parameters = run.gradient([&](long k) { return at.by_states[static_cast<std::size_t>(k)]; });
  for (std::size_t p = 0; p < at.by_parameters.size(); ++p)
    for (std::size_t c = 0; c < at.by_parameters[p].size(); ++c) result.by_parameters[p][c] += at.by_parameters[p][c];
  return result;
}

}  // namespace limber
