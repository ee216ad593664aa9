#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/study/studies.hpp"

namespace limber {

const std::vector<StudyInfo>& study_catalog() {
  static const std::vector<StudyInfo> catalog = {
      {"work-precision", "Which method to take: time against error", "Sections 3, 4 and 6: which methods are efficient",
       &study_work_precision, 162},
      {"damping", "How much each method damps", "Fig. damp1, and fig. 18 of the SIERE paper", &study_damping, 3},
      {"ere-cost", "What a step costs on stiff bodies", "Fig. ere_cost", &study_ere_cost, 85},
      {"soft-eigs", "Eigenvalues of a soft body", "Fig. soft_eigs", &study_soft_eigs, 27},
      {"soft-energy", "Energy of a soft beam", "Fig. soft_energy", &study_soft_energy, 13},
      {"one-newton", "When one Newton iteration suffices", "End of section 3", &study_one_newton, 46},
      {"si-diverges", "A scene in which SI diverges", "Section 1", &study_si_diverges, 16},
      {"stiff-dirk", "A very stiff equation in one step", "Example 2", &study_stiff_dirk, 1},
      {"refresh", "How often modes must be computed anew", "Section 4", &study_refresh, 38},
      {"velocity-contact", "Velocities against positions in contact", "Fig. contact", &study_velocity_contact, 5},
      {"barrier", "The barrier of contact", "Fig. barrier", &study_barrier, 1},
      {"friction", "The smoothing of friction", "Fig. s", &study_friction, 1},
      {"objects", "Objects in motion", "Figs. objects and FEMmesh", &study_objects, 720},
      {"accuracy", "Steps that follow their error", "Not of the survey: accuracy as an input", &study_accuracy, 200},
      {"validation", "Beside published numbers and closed forms", "Not of the survey: benchmarks and exact solutions",
       &study_validation, 350},
  };
  return catalog;
}

const StudyInfo& find_study(const std::string& name) {
  const auto& catalog = study_catalog();
  const auto it = std::find_if(catalog.begin(), catalog.end(), [&](const StudyInfo& s) { return s.name == name; });
  if (it != catalog.end()) return *it;
  std::vector<std::string> names;
  for (const auto& s : catalog) names.push_back(s.name);
  const std::string near = nearest_name(name, names);
  throw InputError("study", "'" + name + "' is not known" + (near.empty() ? "" : "; did you mean " + near + "?") +
                                " There are: all, " + join(names));
}

}  // namespace limber
