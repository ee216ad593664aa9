#include "limber/time/integrate.hpp"

#include "limber/core/errors.hpp"

namespace limber {

std::vector<State> integrate(System& system, const MethodInfo& method, const MethodParameters& parameters,
                             const StageOptions& options, History past, double step, long steps,
                             const std::function<bool()>& go_on) {
  const auto scheme = method.make(complete_parameters(method, parameters));
  const auto stages = make_stage_solver(method.kind, system, options);
  Mechanics F(system, *stages);
  const double start = past[0].t;
  std::vector<State> states{past[0]};
  for (long k = 0; k < steps && go_on(); ++k) {
    system.begin_step(past[0]);
    stages->begin_step(system, past[0]);
    State u;
    try {
      u = scheme->step(F, past, step);
      if (!is_finite(u)) throw StepFailure("the new state is not finite");
    } catch (StepFailure& failure) {
      failure.t = past[0].t;
      failure.h = step;
      throw;
    }
    u.t = start + static_cast<double>(k + 1) * step;
    states.push_back(u);
    past.push(std::move(u));
  }
  return states;
}

}  // namespace limber
