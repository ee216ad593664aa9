#pragma once
/// Rejects JSON that is nested so deeply that a recursive walk would overflow the stack.

#include <string>
#include <string_view>

namespace limber {

/// The deepest nesting accepted anywhere.
inline constexpr int most_json_levels = 100;

/// Whether objects and lists are nested at most this deep. For invalid JSON the answer may be either.
bool is_shallow_json(std::string_view text);
/// Throws InputError(where, …) if the text is nested more deeply.
void require_shallow_json(std::string_view text, const std::string& where);

}  // namespace limber
