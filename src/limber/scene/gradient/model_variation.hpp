#pragma once  // internal
/// Derivatives by numbers of a scene that do not belong to the running system's parameters, such as start velocities,
/// friction or keys of a script: whole models are built with slightly different values.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

/// A number or a list of numbers in a document, in SI units.
struct DocumentNumbers {
  nlohmann::json::json_pointer at;
  std::vector<double> values;
  bool is_list = false;
};
/// Throws InputError(where, …) for anything but a number, or a text that is one with a unit.
double number_in_si(const nlohmann::json& x, const std::string& where);
/// Throws InputError(path, …) if there are none there, or none that a motion depends on smoothly.
DocumentNumbers find_numbers(const nlohmann::json& scene, const std::string& path);

class ModelVariation final : public SystemVariation {
 public:
  using Build = std::function<Model(const nlohmann::json&)>;
  /// `model`: with the present values.
  ModelVariation(const Model& model, const nlohmann::json& scene, const std::string& name,
                 const DocumentNumbers& numbers, const Build& build);

  Index size() const override { return static_cast<Index>(components_.size()); }
  void begin_step(const State& u, const ForceMemories& before, const ForceMemories& within) override;
  Matrix sources(const CallEquation& equation) override;
  Vector changes(const SystemQuantity& quantity) override;
  State start(Index component) const override;
  ForceMemories learnt(Index component) const override;
  /// The change of the full state at fixed unknowns: prescribed nodes may move. `a`: of their accelerations.
  State placed(const State& u, Index component) const;

 private:
  struct Sample {
    double weight;
    Model model;
  };

  const MechanicalSystem& system_;
  std::vector<std::vector<Sample>> components_;
  std::vector<ForceMemories> learnt_;
};

}  // namespace limber
