#pragma once
/// Ready-made objectives as JSON. An object is told by the key that is its kind,
///
///     {"probes": "seen.csv"}   {"last_shape": "target.obj"}   {"energy": "elastic"}   {"reaction": [3, 4]}
///     {"probe": "tip"}         {"frequency": 1}               {"frequencies": [10, 12]}   {"sum": […]}
///
/// and a list is the sum of what is in it. Each may have a `weight`, and one of `near`, `at_least` and `at_most`.

#include <string>

#include "limber/scene/gradient/objectives.hpp"

namespace limber {

/// JSON in a file, or in the text itself where that begins with { or [.
struct ObjectiveText {
  Document document;
  std::string folder = {};  // in which its files are looked for
};
/// Throws InputError("--objective", …) or one that names the file, line and column.
ObjectiveText load_objective(const std::string& file_or_json);

/// `run`: of the scene whose motion is judged, which has the bodies, nodes and probes. Throws InputError("objective.…",
/// …).
ObjectivePtr read_objective(const ObjectiveText& text, const DifferentiableRun& run, const FileAccess& access = {});

}  // namespace limber
