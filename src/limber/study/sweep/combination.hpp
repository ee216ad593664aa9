#pragma once
/// The runs of a sweep: every combination of its values, each with a number, a folder and a scene. The last key changes
/// fastest. All of it depends on the variations alone, so that every shard and every later command means the same runs.

#include <string>
#include <vector>

#include "limber/scene/document.hpp"
#include "limber/study/sweep/variation.hpp"

namespace limber {

struct Combination {
  std::size_t number = 0;           // 1, 2, …
  std::vector<std::string> values;  // one for each variation
  std::string folder;               // "0003-young=1e5-step=0.01": the number keeps it apart from all others
};

std::vector<Combination> combinations_of(const std::vector<Variation>& variations);

/// What the keys are called where there is little room: the last parts of their paths, as many as tell them apart.
std::vector<std::string> short_names(const std::vector<Variation>& variations);

/// "method.name=BE, time.step=0.01"
std::string describe(const Combination& combination, const std::vector<Variation>& variations);

/// `scene` with the values of the combination, set one after the other as --set does. Throws InputError.
Document with_values(Document scene, const std::vector<Variation>& variations, const Combination& combination);

}  // namespace limber
