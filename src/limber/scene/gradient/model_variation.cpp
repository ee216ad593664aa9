#include "limber/scene/gradient/model_variation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/gradient/stage_tangent.hpp"
#include "limber/scene/json_path.hpp"
#include "limber/scene/units.hpp"

namespace limber {
namespace {

/// Why a motion does not depend smoothly on what stands there; empty if it may.
std::string why_not(const std::string& path) {
  static const std::array<std::pair<std::regex, const char*>, 6> reasons{{
      {std::regex("(camera|view)(\\W.*)?"), "is about pictures, not about the motion"},
      {std::regex("time\\..*|time"),
       "is the time step or the duration: a gradient is that of a motion with given steps"},
      {std::regex("method\\..*|method"), "chooses the method, by which a motion does not change smoothly"},
      {std::regex("output\\..*|output"), "is about what is written, not about the motion"},
      {std::regex("bodies\\[\\d+\\]\\.mesh\\..*"),
       "shapes the mesh, by which a motion does not change smoothly; bodies[…].scale and initial.positions can be "
       "differentiated"},
      {std::regex("bodies\\[\\d+\\]\\.(pin|element|mass|name)(\\W.*)?"), "is a choice, not a number"},
  }};
  for (const auto& [pattern, reason] : reasons)
    if (std::regex_match(path, pattern)) return reason;
  return "";
}

/// All paths of numbers, but for those in meshes.
void list_numbers(const nlohmann::json& x, const std::string& path, std::vector<std::string>& all) {
  if (x.is_number()) all.push_back(path);
  if (x.is_object())
    for (const auto& [key, value] : x.items())
      if (key != "mesh") list_numbers(value, path.empty() ? key : path + "." + key, all);
  if (!x.is_array()) return;
  if (!x.empty() && std::all_of(x.begin(), x.end(), [](const auto& y) { return y.is_number(); }))
    all.push_back(path);
  else
    for (std::size_t i = 0; i < x.size(); ++i) list_numbers(x[i], path + "[" + std::to_string(i) + "]", all);
}

}  // namespace

double number_in_si(const nlohmann::json& x, const std::string& path) {
  if (x.is_number()) return x.get<double>();
  if (x.is_string())
    for (const Quantity* quantity : quantity::all) try {
        return parse_quantity(x.get<std::string>(), *quantity, path);
      } catch (const InputError&) {  // another quantity
      }
  throw InputError(path, x.dump().substr(0, 60) + " is not a number or a list of numbers");
}

DocumentNumbers find_numbers(const nlohmann::json& scene, const std::string& path) {
  if (path.empty()) throw InputError("parameters", "an empty path names nothing; give one such as bodies[0].velocity");
  if (const std::string reason = why_not(path); !reason.empty()) throw InputError(path, reason);
  DocumentNumbers found{json_pointer_of(path), {}};
  static const std::regex motionless("bodies\\[\\d+\\]\\.(velocity|angular_velocity|position|rotation)");
  if (!scene.contains(found.at) && scene.contains(found.at.parent_pointer()) && std::regex_match(path, motionless))
    return {found.at, {0, 0, 0}, true};
  if (!scene.contains(found.at)) {
    std::vector<std::string> all;
    list_numbers(scene, "", all);
    const std::string near = nearest_name(path, all);
    throw InputError(path, near.empty() ? "is not in the scene" : "is not in the scene; did you mean " + near + "?");
  }
  const nlohmann::json& x = scene.at(found.at);
  found.is_list = x.is_array();
  if (found.is_list)
    for (const auto& entry : x) found.values.push_back(number_in_si(entry, path));
  else
    found.values.push_back(number_in_si(x, path));
  if (found.values.empty()) throw InputError(path, "is an empty list");
  return found;
}

DocumentNumbers numbers_of(const nlohmann::json& scene, const Parameter& parameter) {
  const DocumentNumbers numbers{json_pointer_of(parameter.name), parameter.values, parameter.is_list};
  for (auto at = numbers.at.parent_pointer(); !at.empty(); at = at.parent_pointer())
    if (scene.contains(at) && !scene.at(at).is_structured())
      throw InputError(parameter.name, "is not in the scene, where " + at.to_string() + " is one word; write it out");
  return numbers;
}

ModelVariation::ModelVariation(const Model& model, const nlohmann::json& scene, const std::string& name,
                               const DocumentNumbers& numbers, const Build& build)
    : system_(*model.system) {
  double largest = 0;
  for (const double value : numbers.values) largest = std::max(largest, std::abs(value));
  for (std::size_t c = 0; c < numbers.values.size(); ++c) {
    // A number that is almost zero, such as one place among others, says nothing of its scale.
    constexpr double almost_zero = 1e-6;
    const double value = numbers.values[c];
    const double scale = std::abs(value) >= almost_zero ? parameter_scale(name, value)
                         : largest >= almost_zero       ? largest
                                                        : 1;
    const auto made = [&](const std::vector<DifferencePoint>& points) {
      std::vector<Sample> samples;
      for (const DifferencePoint& p : points) {
        nlohmann::json other = scene;
        std::vector<double> values = numbers.values;
        values[c] = p.value;
        other[numbers.at] = numbers.is_list ? nlohmann::json(values) : nlohmann::json(values[0]);
        samples.push_back({p.value - value, p.weight, build(other)});
        if (samples.back().model.system->size() != system_.size())
          throw InputError(name, "changes which nodes are free, by which a motion does not change smoothly");
      }
      return samples;
    };
    try {
      components_.push_back(made(points_around(value, scale)));
    } catch (const InputError&) {
      components_.push_back(made(points_above(value, scale)));
    }
  }
}

void ModelVariation::begin_step(const State& u, const ForceMemories& before, const ForceMemories& within) {
  learnt_.clear();
  if (before.empty()) return;
  for (auto& component : components_) {
    ForceMemories change(before.size());
    for (Sample& s : component) {
      MechanicalSystem& system = *s.model.system;
      system.forces().restore(before);
      system.begin_step(u);
      ForceMemories memories = system.forces().memories();
      for (std::size_t i = 0; i < memories.size(); ++i) {
        change[i].resize(memories[i].size());
        for (std::size_t k = 0; k < memories[i].size(); ++k) change[i][k] += s.weight * memories[i][k];
        // What contact has adapted to is a constant of the step.
        if (dynamic_cast<const ContactForce*>(system.forces().all()[i].get()) && within[i].size() == memories[i].size())
          memories[i] = within[i];
      }
      system.forces().restore(memories);
      system.begin_step(u);
    }
    learnt_.push_back(std::move(change));
  }
}

void ModelVariation::stand_still(const ForceMemories& learnt) {
  for (auto& component : components_)
    for (Sample& s : component) {
      if (!learnt.empty()) s.model.system->forces().restore(learnt);
      s.model.system->stand_still(1);
    }
}

ForceMemories ModelVariation::learnt(Index component) const {
  return learnt_.empty() ? ForceMemories{} : learnt_[static_cast<std::size_t>(component)];
}

Matrix ModelVariation::sources(const CallEquation& equation) {
  Matrix g = Matrix::Zero(equation.x.size(), size());
  for (Index c = 0; c < size(); ++c)
    for (Sample& s : components_[static_cast<std::size_t>(c)]) {
      MechanicalSystem& system = *s.model.system;
      Vector value = -system.apply_mass(equation.x);
      for (const ForceTerm& term : equation.terms)
        value += evaluated(term, system_.length_scale(), [&](const State& u) { return force_of(system, term.of, u); });
      g.col(c) += s.weight * value;
    }
  return g;
}

std::vector<SystemSample> ModelVariation::samples(Index component) const {
  std::vector<SystemSample> all;
  for (const Sample& s : components_[static_cast<std::size_t>(component)])
    all.push_back({s.model.system.get(), s.change, s.weight});
  return all;
}

Vector ModelVariation::changes(const SystemQuantity& quantity) {
  Vector sums = Vector::Zero(size());
  for (Index c = 0; c < size(); ++c)
    for (Sample& s : components_[static_cast<std::size_t>(c)]) {
      settle_friction(*s.model.system, quantity.u);
      sums[c] += s.weight * quantity_of(quantity, *s.model.system);
    }
  return sums;
}

State ModelVariation::start(Index component) const {
  State change{Vector::Zero(system_.size()), Vector::Zero(system_.size())};
  for (const Sample& s : components_[static_cast<std::size_t>(component)]) {
    change.q += s.weight * s.model.start.q;
    change.v += s.weight * s.model.start.v;
  }
  return change;
}

State ModelVariation::placed(const State& u, Index component) const {
  State change;
  for (const Sample& s : components_[static_cast<std::size_t>(component)]) {
    const State full = s.model.system->full(u);
    if (change.q.size() == 0) change.q = change.v = change.a = Vector::Zero(full.q.size());
    change.q += s.weight * full.q;
    change.v += s.weight * full.v;
    const Vector a = s.model.system->prescribed(u.t).a;
    const std::vector<int>& nodes = s.model.system->map().prescribed_nodes();
    for (std::size_t p = 0; p < nodes.size(); ++p)
      block(change.a, nodes[p]) += s.weight * block(a, static_cast<int>(p));
  }
  return change;
}

}  // namespace limber
