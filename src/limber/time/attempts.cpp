#include "limber/time/attempts.hpp"

namespace limber {
namespace {

/// From this number of halvings on, backward Euler is tried for steps with contact.
constexpr int halvings_before_last_resort = 3;

using Step = State (Stepper::*)(System&, const History&, double);

struct Maker {
  Stepper& stepper;
  System& system;

  /// A step by the method's own scheme.
  Attempt own(Way way, Step step, bool with_modes) const {
    return {way, with_modes, !stepper.ends_at_stage(), false, run(step)};
  }
  /// A step by a scheme that ends at its last stage.
  Attempt other(Way way, Step step, bool after_contact = false) const {
    return {way, false, false, after_contact, run(step)};
  }

  std::function<State(const History&, double)> run(Step step) const {
    return [&stepper = stepper, &system = system, step](const History& u, double h) {
      return (stepper.*step)(system, u, h);
    };
  }
};

}  // namespace

const char* to_string(Way way) {
  switch (way) {
    case Way::method:
      return "method";
    case Way::newton:
      return "newton";
    case Way::new_modes:
      return "new_modes";
    case Way::without_modes:
      return "without_modes";
    case Way::split_impulse:
      return "split_impulse";
    case Way::tr_bdf2:
      return "TR-BDF2";
    case Way::backward_euler:
      return "backward_euler";
  }
  return "";
}

std::vector<Attempt> attempts(Stepper& stepper, System& system, int halvings) {
  const Maker make{stepper, system};
  const bool modes = stepper.modes() != nullptr;
  std::vector<Attempt> list{make.own(Way::method, &Stepper::step, modes)};
  if (stepper.linearized()) list.push_back(make.own(Way::newton, &Stepper::step_by_newton, modes));
  if (system.contact() && (!stepper.ends_at_stage() || halvings >= halvings_before_last_resort))
    list.push_back(make.other(Way::backward_euler, &Stepper::step_by_backward_euler, true));
  return list;
}

std::vector<Attempt> retakes(Stepper& stepper, System& system, bool touched) {
  const Maker make{stepper, system};
  std::vector<Attempt> list;
  if (stepper.has_older_modes()) list.push_back(make.own(Way::new_modes, &Stepper::step_with_new_modes, true));
  if (stepper.modes()) list.push_back(make.own(Way::without_modes, &Stepper::step_without_modes, false));
  if (stepper.linearized() && !stepper.modes()) list.push_back(make.own(Way::newton, &Stepper::step_by_newton, false));
  if (touched && stepper.can_step_beside()) list.push_back(make.other(Way::split_impulse, &Stepper::step_beside));
  if (!touched) list.push_back(make.other(Way::tr_bdf2, &Stepper::step_by_tr_bdf2));
  list.push_back(make.other(Way::backward_euler, &Stepper::step_by_backward_euler));
  return list;
}

Supervision supervision(const MethodInfo& method) {
  const bool is_explicit = method.kind == MethodKind::explicit_, printed = method.splitting == Splitting::printed;
  const bool hybrid = method.kind == MethodKind::hybrid && !printed;
  return {.can_diverge = method.kind != MethodKind::implicit && !hybrid,
          .held_to_account = !is_explicit && !printed,
          .feeds_back = hybrid,
          .judged_as_touching = is_explicit,
          .bears_stiffening = !is_explicit && method.kind != MethodKind::exponential};
}

}  // namespace limber
