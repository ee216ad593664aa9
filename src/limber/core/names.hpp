#pragma once
/// Comparison of names. Methods, materials and linear solvers ignore case; keys and words of scenes do not.

#include <string_view>

namespace limber {

bool same_name(std::string_view a, std::string_view b);

}  // namespace limber
