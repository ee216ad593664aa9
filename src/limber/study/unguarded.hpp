#pragma once  // internal
/// A scene stepped by its method alone: none of the driver's retries and checks, so that what a method does shows.

#include <functional>
#include <nlohmann/json.hpp>

#include "limber/study/trial.hpp"

namespace limber {

/// A scene's model and its method, ready to step from the start.
class UnguardedMotion {
 public:
  /// Throws InputError.
  explicit UnguardedMotion(const nlohmann::json& scene);

  /// Throws StepFailure where the method itself gives up.
  void step();
  const History& past() const { return past_; }
  const State& state() const { return past_[0]; }
  Energies energies() const { return limber::energies(*model_.system, state()); }
  MechanicalSystem& system() { return *model_.system; }
  const MethodSettings& settings() const { return settings_; }
  Stepper& stepper() { return stepper_; }
  double step_length() const { return h_; }
  long step_count() const { return step_; }
  /// Steps in the scene's duration.
  long steps() const { return steps_; }

 private:
  explicit UnguardedMotion(const Scene& scene);

  Model model_;
  MethodSettings settings_;
  Stepper stepper_;
  History past_;
  double h_;
  long step_ = 0, steps_;
};

/// The scene for its duration, or to the step at which the method fails, or at which its state is no longer finite:
/// `stopped` says so. `observe` is called after each step with the part that is done.
Trial simulate_unguarded(const nlohmann::json& scene, const std::function<void(double part)>& observe = {});

}  // namespace limber
