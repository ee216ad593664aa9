#pragma once
/// Looking for external programs, so that a missing one is reported before long work and not after it.

#include <string>

namespace limber {

/// Whether a folder of PATH holds an executable file of this name.
bool has_program(const std::string& name);

}  // namespace limber
