#pragma once  // internal
/// A case of validation: a scene of scenes/validation/, what a source says about it, and how Limber's number is taken.
/// Cases are rows; to add one takes a scene and a row in one of the files that `validation_cases` joins.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"

namespace limber {

/// A number that the source has, or its formula gives.
struct ExpectedNumber {
  std::string what;             // with the unit
  double value = 0;             // other than zero
  double tolerance = 0.01;      // relative: one percent, or the uncertainty of the source
  std::string if_outside = {};  // why Limber's number may lie outside: said where it does
};

/// A mesh, or a time step: changes of the scene as `--set` takes them.
struct Refinement {
  std::string label;  // such as "8 × 8 × 2 cells"
  std::vector<std::string> changes = {};
};

/// The numbers of a scene, in the order of those expected.
using Measurement = std::function<std::vector<double>(const Scene& scene, const Model& model)>;

/// A uniform strain checks a formula, whatever the mesh; an experiment has errors of its own.
enum class CaseKind { refined, uniform_strain, experiment };

struct ValidationCase {
  std::string name, title;
  std::string source;                   // exact citation, or the formula and where it stands
  std::string scene;                    // scenes/validation/`scene`.json
  std::vector<std::string> changes;     // of this case
  std::vector<Refinement> refinements;  // coarse to fine; the last one is judged
  Measurement measure;
  std::vector<ExpectedNumber> expected;
  double coarse_tolerance = 0.05;  // relative, of the first refinement: for the tests
  CaseKind kind = CaseKind::refined;
};

/// In the order of the page.
std::vector<ValidationCase> validation_cases();

/// The scene of a case with its changes and those of a refinement.
nlohmann::json scene_of(const ValidationCase& c, const Refinement& r);
/// What Limber says. Throws InputError and StepFailure.
std::vector<double> measured(const ValidationCase& c, const Refinement& r);

// Rows, by what they need.
std::vector<ValidationCase> frequency_cases();
std::vector<ValidationCase> material_cases();
std::vector<ValidationCase> equilibrium_cases();
std::vector<ValidationCase> contact_cases();
std::vector<ValidationCase> thin_cases();
std::vector<ValidationCase> motion_cases();
std::vector<ValidationCase> experiment_cases();

}  // namespace limber
