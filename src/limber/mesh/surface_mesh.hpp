#pragma once
/// A surface as its file has it: polygons with texture coordinates and names. It is embedded in the tetrahedra of a
/// body and moves with them, so that what is drawn and exported is this mesh, vertex by vertex and face by face.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/surface_io.hpp"

namespace limber {

/// What an OBJ file says of faces in `o`, `g`, `usemtl` and `s`; empty where it says nothing.
struct FaceLabel {
  std::string object, group, material, smoothing;
  bool operator==(const FaceLabel&) const = default;
};

struct SurfaceMesh {
  std::vector<Vec3> positions;  // #V [m], all of the file, even if no face uses them
  std::vector<std::size_t>
      first_corner;          // #P + 1: polygon p has the corners first_corner[p] to first_corner[p + 1] − 1
  std::vector<int> corners;  // #C: the position of each corner; polygons are outwards by the right-hand rule
  std::vector<std::array<double, 2>> uv;    // #U, the second one upwards
  std::vector<int> corner_uv;               // #C: −1 where a corner has none
  std::vector<FaceLabel> labels;            // in the order in which the file first uses them
  std::vector<int> label;                   // #P: which of the labels
  std::vector<std::string> material_files;  // OBJ's mtllib
  std::vector<std::array<int, 2>> lines;    // pieces of OBJ's `l`, two positions each
  std::vector<int> points = {};             // of OBJ's `p`

  std::size_t polygons() const { return first_corner.empty() ? 0 : first_corner.size() - 1; }
};

/// By extension: .obj, .stl, .ply (ASCII, binary of either byte order), .gltf and .glb. PLY: x, y, z and s, t (also u,
/// v or texture_u, texture_v) of vertices, vertex_indices (or vertex_index) and texcoord of faces. glTF: the triangles
/// of the default scene, with the transformations of its nodes, TEXCOORD_0 and the names of nodes and materials;
/// vertices of a node at the same place, which only differ in their normals or texture coordinates, are one; animation,
/// skins and compressed meshes are not read. Throws InputError, see parse_surface; a file without triangles is no error
/// here.
SurfaceMesh read_surface_mesh(const std::string& path);
/// The same from a file's contents; buffers that a .gltf file names are looked for beside `path`.
SurfaceMesh parse_surface_mesh(const std::string& path, const std::string& contents);

/// A fan around the first corner of each polygon, on all positions, in the order of the polygons; three corners each.
std::vector<std::array<std::size_t, 3>> corner_triangles(const SurfaceMesh& surface);
/// The same as positions.
TriMesh triangulated(const SurfaceMesh& surface);

/// 2·area > 1e-14 × (longest edge)².
bool has_area(const Vec3& a, const Vec3& b, const Vec3& c);

/// Drops triangles of no area (see SurfaceNotes), then nodes that no triangle uses. Returns how many triangles went.
std::size_t drop_degenerate(TriMesh& mesh);

/// OBJ with the polygons, texture coordinates and labels of `surface` at `positions` (#V [m], every digit). Throws
/// OutputError; InputError if the number of positions is another than the surface's.
void write_obj(const SurfaceMesh& surface, const std::vector<Vec3>& positions, const std::string& path);

}  // namespace limber
