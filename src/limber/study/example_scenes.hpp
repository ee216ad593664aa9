#pragma once  // internal
/// The files of scenes/ that studies start from, as they were when the program was built.

#include <nlohmann/json.hpp>
#include <string>

namespace limber {

/// scenes/`name`.json. `name` is one of those that src/limber/CMakeLists.txt lists for
/// studies, such as "beam" and "validation/cook".
nlohmann::json example_scene(const std::string& name);

}  // namespace limber
