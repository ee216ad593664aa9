#include "limber/scene/json_path.hpp"

#include "limber/core/errors.hpp"

namespace limber {

nlohmann::json::json_pointer json_pointer_of(const std::string& path) {
  std::string pointer = "/";
  for (const char c : path) {
    if (c == '.' || c == '[')
      pointer += '/';
    else if (c != ']')
      pointer += c;
  }
  try {
    return nlohmann::json::json_pointer(pointer);
  } catch (const nlohmann::json::exception&) {
    throw InputError(path, "is not a path of keys such as bodies[0].velocity");
  }
}

}  // namespace limber
