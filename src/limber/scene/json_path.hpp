#pragma once  // internal
#include <nlohmann/json.hpp>
#include <string>

namespace limber {

/// "bodies[0].velocity" → /bodies/0/velocity. Throws InputError(path, …).
nlohmann::json::json_pointer json_pointer_of(const std::string& path);

}  // namespace limber
