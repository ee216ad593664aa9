#pragma once  // internal
/// What rows of cases are written with.

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "limber/study/validation/case.hpp"

namespace limber {

/// A box of the scene's first body with so many cells.
inline Refinement with_cells(std::array<int, 3> n) {
  return {fmt::format("{} × {} × {} cells", n[0], n[1], n[2]),
          {fmt::format("bodies[0].mesh.cells=[{},{},{}]", n[0], n[1], n[2])}};
}

/// Another mesh of the scene's first body.
inline Refinement with_mesh(std::string label, const nlohmann::json& mesh) {
  return {std::move(label), {"bodies[0].mesh=" + mesh.dump()}};
}

inline Refinement with_step(double h) { return {fmt::format("h = {} s", h), {fmt::format("time.step={}", h)}}; }

}  // namespace limber
