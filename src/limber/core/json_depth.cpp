#include "limber/core/json_depth.hpp"

#include "limber/core/errors.hpp"

namespace limber {

bool is_shallow_json(std::string_view text) {
  int levels = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++levels > most_json_levels) return false;
    } else if (c == ']' || c == '}') {
      --levels;
    }
  }
  return true;
}

void require_shallow_json(std::string_view text, const std::string& where) {
  if (!is_shallow_json(text))
    throw InputError(where, "is nested more than " + std::to_string(most_json_levels) + " levels deep");
}

}  // namespace limber
