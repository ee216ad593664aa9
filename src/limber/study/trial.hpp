#pragma once  // internal
/// A scene simulated in memory: what studies compare.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"

namespace limber {

/// An energy that counts as diverged, of that at the start.
inline constexpr double wild = 10;

/// What was measured after each step; the first is the start.
struct TrialStep {
  double time = 0;  // [s]
  Energies energies;
  double seconds = 0;  // that the step took
  long newton_iterations = 0;
};

struct Trial {
  std::vector<TrialStep> steps;
  State last;                          // free degrees of freedom
  long escalated = 0, halved = 0;      // steps
  SolverCounts linear;                 // of linear systems
  ExponentialCounts exponential;       // of matrix exponentials
  std::optional<std::string> stopped;  // why it did not reach its end

  /// Takes steps until one cannot be taken, and keeps why.
  void run(const std::function<void()>& take_steps);
  std::vector<double> times() const;
  /// elastic + gravitational [J]
  std::vector<double> potential_energy() const;
  std::vector<double> total_energy() const;
  /// kinetic + elastic [J]
  std::vector<double> moving_energy() const;
  /// It stopped, or its moving energy was once `wild` times that at the start.
  bool diverged() const;
  /// The mean, without the first step, which also analyses patterns and finds modes.
  double seconds_per_step() const;
};

/// Called after each step with the part of its duration that is done.
using TrialObserver = std::function<void(Simulation&, double part)>;

/// The scene for its duration. A step that cannot be taken ends the trial, and `stopped` says why. Throws InputError.
Trial simulate(const nlohmann::json& scene, const TrialObserver& observe = {});

/// Of the scene's first body.
std::size_t tetrahedra(const nlohmann::json& scene);

/// The scene with this method and these parameters, whatever it had before.
nlohmann::json under_method(nlohmann::json scene, const std::string& name, const nlohmann::json& parameters = {});

}  // namespace limber
