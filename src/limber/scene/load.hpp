#pragma once
/// Given forces on nodes or faces, constant or with a factor that depends on time.

#include <optional>
#include <string>
#include <variant>

#include "limber/model/time_function.hpp"
#include "limber/scene/force_choice.hpp"

namespace limber {

/// factor(t) by keys.
struct KeyedFactor {
  std::vector<double> times;  // [s], increasing, at least one
  std::vector<double> values;
  Interpolation interpolation = Interpolation::linear;
};

/// factor(t) = offset + amplitude sin(2π frequency t + phase)
struct SineFactor {
  double frequency = 0;  // [Hz]
  double phase = 0;      // [rad]
  double offset = 0;
  double amplitude = 1;
};

using TimeFactor = std::variant<std::monostate, KeyedFactor, SineFactor>;  // monostate: 1

struct LoadChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override;
  std::vector<double> key_times() const override;

  enum class Share { per_node, total } share = Share::per_node;  // total: divided equally among the nodes
  std::string where;
  int body = 0;
  Selection nodes;                 // on nodes: these
  Vec3 force = Vec3::Zero();       // [N]
  Selection faces;                 // on faces: those with all corners in it; then traction, or pressure where it is set
  Vec3 traction = Vec3::Zero();    // [Pa]
  std::optional<double> pressure;  // [Pa]
  TimeFactor time;
};

}  // namespace limber
