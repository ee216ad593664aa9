#pragma once
/// Reads surfaces from Wavefront OBJ, STL, PLY and glTF files, as stored or as triangles, and writes OBJ files.

#include <string>
#include <vector>

#include "limber/mesh/io/file_access.hpp"
#include "limber/mesh/surface_mesh.hpp"

namespace limber {

/// By extension: .obj, .stl, .ply (ASCII, binary of either byte order), .gltf and .glb. PLY: x, y, z and s, t (also u,
/// v or texture_u, texture_v) of vertices, vertex_indices (or vertex_index) and texcoord of faces. glTF: the triangles
/// of the default scene, with the transformations of its nodes, TEXCOORD_0 and the names of nodes and materials;
/// vertices of a node that coincide and differ only in normals or texture coordinates are merged; animation, skins and
/// compressed meshes are not read. Throws InputError, see parse_surface; a file without triangles is accepted here.
SurfaceMesh read_surface_mesh(const std::string& path, const FileAccess& access = {});
/// The same from a file's contents. Buffers named by a .gltf file must be in the folder of `path` or below; a .glb file
/// may name none.
SurfaceMesh parse_surface_mesh(const std::string& path, const std::string& contents, const FileAccess& access = {});

/// What was dropped while reading.
struct SurfaceNotes {
  std::size_t degenerate = 0;  // triangles of zero area: 2·area ≤ 1e-14 × (longest edge)²
};

/// The triangles of a file in one of the formats of read_surface_mesh (surface_mesh.hpp). OBJ: v, vt, f (v, v/vt,
/// v//vn, v/vt/vn, negative numbers count back from the last vertex), names; everything else is ignored. STL: ASCII or
/// binary, detected from the content; all its solids; equal vertices are merged. Polygons become fans around their
/// first corner. Triangles of zero area are dropped. Throws InputError: "path:line" for text, "path" and the byte
/// offset for binary; also if there are no triangles.
TriMesh read_surface(const std::string& path, SurfaceNotes* notes = nullptr);
/// The same from a file's contents; `path` gives the extension and is used in messages.
TriMesh parse_surface(const std::string& path, const std::string& contents, SurfaceNotes* notes = nullptr);

/// OBJ with the polygons, texture coordinates and labels of `surface` at `positions` (#V [m], all digits). Throws
/// OutputError, and InputError for a wrong number of positions.
void write_obj(const SurfaceMesh& surface, const std::vector<Vec3>& positions, const std::string& path);

}  // namespace limber
