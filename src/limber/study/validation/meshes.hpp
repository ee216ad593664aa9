#pragma once  // internal
/// Meshes of validation that no shape of scenes makes, as the scene's key `mesh` takes them.

#include <array>
#include <functional>
#include <nlohmann/json.hpp>

#include "limber/core/types.hpp"

namespace limber {

enum class MappedCells { tets, hexes };

/// The unit cube, cut into cells (nodes x fastest, tetrahedra six to a cell), each node moved to where `place` says.
nlohmann::json mapped_mesh(std::array<int, 3> cells, MappedCells kind, const std::function<Vec3(const Vec3&)>& place);

/// A disc in y = 0 about the origin, of n rings of triangles that look upwards; the rim is the last 6n nodes.
nlohmann::json disc_mesh(double radius, int n);

/// Half a cylinder of radius 1 about the z axis that lies on something at (0, −1): y ≤ 0, one cell of `width` along z.
/// Under the contact, on each side of x = 0, a square of n × n cells of this side; they grow evenly to the plane y = 0.
enum class LyingPart { right, both_sides };
nlohmann::json lying_cylinder_mesh(LyingPart part, int n, double side, double width);
/// The right part as the section of half a ball, of which it is the sector of an `angle` about the y axis between two
/// planes at angle/2 from z = 0.
nlohmann::json lying_ball_mesh(int n, double side, double angle);

/// An arc of edges that hangs between (0, 0, 0) and (span, 0, 0), of this length together, less than 1.5 spans or so.
nlohmann::json slack_line(double length, double span, int edges);

/// A rope over a horizontal cylinder along z: down from it by `first` and, on the other side, by `last`; in between its
/// edges touch a circle of this radius.
nlohmann::json rope_over(double radius, double first, double last, int edges);

}  // namespace limber
