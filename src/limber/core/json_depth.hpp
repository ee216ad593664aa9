#pragma once
/// JSON that is nested so deeply that whoever walks through it would need more stack than there is.

#include <string>
#include <string_view>

namespace limber {

/// What is nested deeper is refused, wherever JSON is read.
inline constexpr int most_json_levels = 100;

/// Whether objects and lists stand deeper than that in each other. Wrong JSON may be either.
bool is_shallow_json(std::string_view text);
/// Throws InputError(where, …) unless they do not.
void require_shallow_json(std::string_view text, const std::string& where);

}  // namespace limber
