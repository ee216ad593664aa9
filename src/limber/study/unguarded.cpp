#include "limber/study/unguarded.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"

namespace limber {

UnguardedMotion::UnguardedMotion(const nlohmann::json& scene) : UnguardedMotion(read_scene(scene, vocabulary(), "")) {}

UnguardedMotion::UnguardedMotion(const Scene& scene)
    : model_(build_model(scene)),
      settings_(method_settings(scene.method)),
      stepper_(find_method(settings_.name), settings_.parameters, *model_.system, settings_.options),
      past_(model_.start),
      h_(scene.time.step),
      steps_(std::lround(scene.time.duration / scene.time.step)) {}

void UnguardedMotion::step() {
  State next = stepper_.step(system(), past_, h_);
  next.t = model_.start.t + static_cast<double>(++step_) * h_;
  stepper_.accept(past_, std::move(next));
}

Trial simulate_unguarded(const nlohmann::json& scene, const std::function<void(double part)>& observe) {
  using Clock = std::chrono::steady_clock;
  UnguardedMotion motion(scene);
  Trial trial;
  trial.steps.push_back({motion.state().t, motion.energies(), 0, 0});
  trial.run([&] {
    for (long k = 0; k < motion.steps(); ++k) {
      const auto start = Clock::now();
      const long before = motion.stepper().newton_iterations();
      motion.step();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      trial.steps.push_back(
          {motion.state().t, motion.energies(), seconds, motion.stepper().newton_iterations() - before});
      if (!std::isfinite(trial.steps.back().energies.total())) throw StepFailure("the energy is not finite");
      if (observe) observe(static_cast<double>(k + 1) / static_cast<double>(motion.steps()));
    }
  });
  trial.last = motion.state();
  trial.linear = motion.stepper().linear_counts();
  trial.exponential = motion.stepper().exponential_counts();
  return trial;
}

}  // namespace limber
