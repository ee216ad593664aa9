#include "limber/scene/run/why_stopped.hpp"

#include "limber/core/errors.hpp"

namespace limber {

std::optional<std::string> why_stopped(const std::function<void()>& take_steps) {
  if (const auto failed = failure_of(take_steps)) return failed->reason;
  return std::nullopt;
}

}  // namespace limber
