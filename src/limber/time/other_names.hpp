#pragma once
/// Alternative names of methods: "implicit Euler" is BE.

#include <string>

namespace limber {

/// The name in the catalog; "" for an unknown word. Ignores case, blanks, hyphens and underscores.
std::string method_called(const std::string& name);

}  // namespace limber
