#include "limber/study/trial.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/why_stopped.hpp"

namespace limber {

void Trial::run(const std::function<void()>& take_steps) {
  if (auto why = why_stopped(take_steps)) stopped = std::move(why);
}

std::vector<double> Trial::times() const {
  std::vector<double> t;
  for (const auto& s : steps) t.push_back(s.time);
  return t;
}

std::vector<double> Trial::potential_energy() const {
  std::vector<double> e;
  for (const auto& s : steps) e.push_back(s.energies.elastic + s.energies.gravitational);
  return e;
}

std::vector<double> Trial::total_energy() const {
  std::vector<double> e;
  for (const auto& s : steps) e.push_back(s.energies.total());
  return e;
}

std::vector<double> Trial::moving_energy() const {
  std::vector<double> e;
  for (const auto& s : steps) e.push_back(s.energies.kinetic + s.energies.elastic);
  return e;
}

bool Trial::diverged() const {
  const std::vector<double> e = moving_energy();
  return stopped || std::any_of(e.begin(), e.end(), [&](double x) { return !(x < wild * e[0]); });
}

double Trial::seconds_per_step() const {
  double sum = 0;
  for (std::size_t i = 2; i < steps.size(); ++i) sum += steps[i].seconds;
  return steps.size() > 2 ? sum / static_cast<double>(steps.size() - 2) : steps.back().seconds;
}

Trial simulate(const nlohmann::json& json, const TrialObserver& observe) {
  using Clock = std::chrono::steady_clock;
  const Scene scene = read_scene(json, vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  Trial trial;
  trial.steps.push_back({simulation.time(), simulation.energies(), 0, 0});
  trial.run([&] {
    while (simulation.is_before(scene.time.duration)) {
      const auto start = Clock::now();
      const StepRecord step = simulation.step();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      trial.steps.push_back({simulation.time(), simulation.energies(), seconds, step.newton_iterations});
      trial.escalated += step.escalations() > 0;
      trial.halved += step.halved();
      if (observe) observe(simulation, simulation.time() / scene.time.duration);
    }
  });
  trial.last = simulation.state();
  trial.linear = simulation.linear_counts();
  trial.exponential = simulation.exponential_counts();
  return trial;
}

std::size_t tetrahedra(const nlohmann::json& scene) {
  return build_model(read_scene(scene, vocabulary(), "")).bodies[0].rest.tets.size();
}

nlohmann::json under_method(nlohmann::json scene, const std::string& name, const nlohmann::json& parameters) {
  scene["method"] = {{"name", name}};
  if (!parameters.is_null()) scene["method"].update(parameters);
  return scene;
}

}  // namespace limber
