#pragma once
/// Triangle surfaces, from Wavefront OBJ, STL, PLY and glTF files.

#include <array>
#include <string>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct TriMesh {
  std::vector<Vec3> nodes;                    // #V [m], each in a triangle
  std::vector<std::array<int, 3>> triangles;  // #F, outwards by the right-hand rule where the file says so
};

/// What reading left out.
struct SurfaceNotes {
  std::size_t degenerate = 0;  // triangles of no area: 2·area ≤ 1e-14 × (longest edge)²
};

/// The triangles of a file in one of the formats of read_surface_mesh (surface_mesh.hpp). OBJ: v, vt, f (v, v/vt,
/// v//vn, v/vt/vn, negative numbers count back from the last vertex), names; everything else is ignored. STL: ASCII or
/// binary, whichever the file is; all its solids; equal vertices become one node. Polygons become fans around their
/// first corner. Triangles of no area are dropped. Throws InputError: "path:line" for text, "path" and the byte offset
/// for binary; no triangles are an error too.
TriMesh read_surface(const std::string& path, SurfaceNotes* notes = nullptr);
/// The same from a file's contents; `path` is for the extension and the messages.
TriMesh parse_surface(const std::string& path, const std::string& contents, SurfaceNotes* notes = nullptr);

/// Whether each edge belongs to two triangles that run through it in opposite directions.
bool is_closed(const TriMesh& mesh);
/// ⅓ ∮ x·n dA about the middle of the bounding box [m³]; negative where the triangles face inwards.
double enclosed_volume(const TriMesh& mesh);
/// Reverses all triangles if the enclosed volume is negative, and says whether it did.
bool orient_outwards(TriMesh& mesh);

}  // namespace limber
