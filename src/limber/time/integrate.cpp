#include "limber/time/integrate.hpp"

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"

namespace limber {

std::vector<State> integrate(System& system, const MethodInfo& method, const MethodParameters& parameters,
                             const MethodOptions& options, History past, double step, long steps,
                             const std::function<bool()>& go_on) {
  Stepper stepper(method, parameters, system, options);
  const double start = past[0].t;
  std::vector<State> states{past[0]};
  const Interruptible interruptible(go_on);
  for (long k = 0; k < steps && go_on(); ++k) {
    State u;
    try {
      u = stepper.step(system, past, step);
    } catch (const Interrupted&) {
      break;
    } catch (StepFailure& failure) {
      failure.t = past[0].t;
      failure.h = step;
      throw;
    }
    u.t = start + static_cast<double>(k + 1) * step;
    states.push_back(u);
    stepper.accept(past, std::move(u));
  }
  return states;
}

}  // namespace limber
