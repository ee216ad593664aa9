#include "limber/study/validation/case.hpp"

#include <iterator>
#include <stdexcept>

#include "limber/scene/json.hpp"
#include "limber/study/example_scenes.hpp"

namespace limber {

std::vector<ValidationCase> validation_cases() {
  std::vector<ValidationCase> all;
  for (const auto rows : {&frequency_cases, &equilibrium_cases, &contact_cases, &material_cases, &thin_cases,
                          &motion_cases, &experiment_cases}) {
    std::vector<ValidationCase> some = rows();
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

nlohmann::json scene_of(const ValidationCase& c, const Refinement& r) {
  nlohmann::json scene = example_scene("validation/" + c.scene);
  for (const std::string& change : c.changes) apply_override(scene, change);
  for (const std::string& change : r.changes) apply_override(scene, change);
  return scene;
}

std::vector<double> measured(const ValidationCase& c, const Refinement& r) {
  const Scene scene = read_scene(scene_of(c, r), vocabulary(), "");
  const Model model = build_model(scene);
  std::vector<double> numbers = c.measure(scene, model);
  if (numbers.size() != c.expected.size()) throw std::logic_error(c.name + ": as many numbers as are expected");
  return numbers;
}

}  // namespace limber
