#pragma once  // internal
/// Derivatives by numbers of a scene that do not belong to the running system's parameters, such as start velocities,
/// friction or keys of a script: whole models are built with slightly different values.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/model/parameters.hpp"
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

/// Where a parameter of the running system would stand in the document, with its present values.
DocumentNumbers numbers_of(const nlohmann::json& scene, const Parameter& parameter);

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
  std::vector<SystemSample> samples(Index component) const override;
  State start(Index component) const override;
  ForceMemories learnt(Index component) const override;
  void stand_still(const ForceMemories& learnt) override;
  bool moves() const override { return !system_.map().prescribed_nodes().empty(); }
  /// `a`: of the accelerations of prescribed nodes.
  State placed(const State& u, Index component) const override;

 private:
  struct Sample {
    double change, weight;
    Model model;
  };

  const MechanicalSystem& system_;
  std::vector<std::vector<Sample>> components_;
  std::vector<ForceMemories> learnt_;
};

}  // namespace limber
