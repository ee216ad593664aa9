#pragma once
/// Other programs that Limber starts: whether they are there is asked before long work, not after it.

#include <string>

namespace limber {

/// Whether a folder of PATH holds a file of this name that may be executed.
bool has_program(const std::string& name);

}  // namespace limber
