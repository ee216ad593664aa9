#pragma once  // internal
/// Checks of user-supplied numbers of forces.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "limber/core/errors.hpp"

namespace limber {

inline void require_not_negative(double x, const std::string& where) {
  if (!(x >= 0) || !std::isfinite(x)) throw InputError(where, fmt::format("{} must be a finite number ≥ 0", x));
}

}  // namespace limber
