#pragma once
/// What others call a method: "implicit Euler" is BE.

#include <string>

namespace limber {

/// The name in the catalog; "" for a word that nobody uses. Case, blanks, hyphens and underscores do not count.
std::string method_called(const std::string& name);

}  // namespace limber
