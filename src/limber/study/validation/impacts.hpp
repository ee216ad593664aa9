#pragma once  // internal
/// Elastic bars that meet a rigid wall again and again, in one dimension: the scenes of validation whose exact motions
/// are periodic, by any method that takes contact. ν = 0, and pins hold the sides.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/time/catalog.hpp"

namespace limber {

struct ImpactProblem {
  std::string scene, title, source;
  double period;                                      // [s]
  double crossing;                                    // [s] that a wave takes from end to end
  std::function<double(double t)> place;              // exact [m]
  std::function<double(double t)> pressure;           // exact, of the wall on the bar [Pa]
  std::function<double(const Vector& q)> measured;    // the place, from the scene's nodes [m]
  std::function<std::vector<std::string>(int)> mesh;  // changes of the scene for so many elements
  double section;                                     // [m²] that makes a force of the scene the printed pressure
  double scale;  // [J] of the scene that energies are compared with; 0: the energy at the start
};
const ImpactProblem& bouncing_bar_problem();
const ImpactProblem& released_rod_problem();

/// How finely a motion is computed: h is the Courant number times the time that a wave takes through an element.
struct ImpactSteps {
  int elements;
  double courant, periods;
};

/// What was followed, at the start and after each step.
struct ImpactMotion {
  std::vector<double> times;           // [s]
  std::vector<double> place;           // [m]
  std::vector<double> energy;          // 1 − (loss since the start)/scale
  std::vector<double> pressure;        // of the wall on the bar [Pa]
  std::optional<std::string> stopped;  // why it did not reach its end

  /// Between the times by a straight line; NaN after the last one.
  double at(const std::vector<double>& values, double t) const;
};

nlohmann::json impact_scene(const ImpactProblem& problem, const std::string& method, const ImpactSteps& steps);
/// A step that cannot be taken ends the motion. Throws InputError.
ImpactMotion follow_impacts(const ImpactProblem& problem, const nlohmann::json& scene);

/// All methods but the printed hybrids, which refuse contact.
std::vector<const MethodInfo*> contact_methods();

}  // namespace limber
