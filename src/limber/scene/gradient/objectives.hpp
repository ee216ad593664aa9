#pragma once
/// Ready-made objectives. Times are those of the run; what looks at one state takes that of the step nearest to it.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/scene/gradient/objective.hpp"
#include "limber/scene/gradient/observations.hpp"

namespace limber {

/// The mean of |probe − observed|² over all observed numbers [m²]; weights: of probes, 1 by default. Throws InputError
/// where a weight is not positive or of no column.
ObjectivePtr probes_objective(const Observations& observed, const std::map<std::string, double>& weights = {});
/// A coordinate (0, 1, 2) of a probe at a time; by default at the end [m].
ObjectivePtr probe_objective(const std::string& probe, int axis, std::optional<double> time = {});

/// Σ w |x − target|² / Σ w over nodes at a time, by default the end [m²]. target: 3 coordinates for each of `nodes`, or
/// of all nodes where that is empty; weights: one for each, or empty.
ObjectivePtr shape_objective(const Vector& target, const std::vector<int>& nodes = {}, const Vector& weights = {},
                             std::optional<double> time = {});

/// When a quantity counts.
struct When {
  enum class Of { state, mean, integral } of = Of::state;
  std::optional<double> from = {}, to = {};  // [s]; of a state: `to`. By default the start and the end of the run
};
enum class EnergyPart { elastic, kinetic };
/// [J], or its integral over time [J s], by the trapezoidal rule.
ObjectivePtr energy_objective(EnergyPart part, const When& when = {});
/// Σ direction · reaction over pinned or scripted nodes [N], with the forces of a step's end.
ObjectivePtr reaction_objective(const std::vector<int>& nodes, const Vec3& direction, const When& when = {});

/// Neighbouring modes of a scene at rest and where it starts, from the lowest that is not rigid: a block whose mean
/// frequency is wanted [Hz].
struct ModeBlock {
  int modes = 1;
  double wanted = 0;
};
/// Σ modes (mean frequency / wanted − 1)² over the blocks, divided by the number of modes.
ObjectivePtr frequencies_objective(const std::vector<ModeBlock>& blocks);
/// The mean frequency [Hz] of the modes first … last, from 1.
ObjectivePtr frequency_objective(int first, int last);

/// c₀ + Σ cᵢ Jᵢ
ObjectivePtr sum_of(std::vector<std::pair<double, ObjectivePtr>> parts, double constant = 0);
/// (J − c)²; or where J is on the wrong side only, else 0.
enum class Wanted { equal, at_least, at_most };
ObjectivePtr squared_distance(ObjectivePtr of, Wanted wanted, double c);

}  // namespace limber
