#pragma once  // internal
/// Steps that are taken as far as they can be.

#include <functional>
#include <optional>
#include <string>

namespace limber {

/// Takes steps; why one of them could not be taken, or nothing.
std::optional<std::string> why_stopped(const std::function<void()>& take_steps);

}  // namespace limber
