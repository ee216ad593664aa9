#pragma once
/// Surfaces for the tests, and files that hold them, put together byte by byte.

#include <bit>
#include <string>

#include "limber/mesh/surface_mesh.hpp"

namespace limber::test {

/// Each of the 20 triangles in 4^levels, on the sphere, outwards.
TriMesh icosphere(int levels, double radius = 1, const Vec3& centre = Vec3::Zero());
/// Six squares of two triangles, with 24 vertices if `separate`, else 8. From 0 to 1.
enum class CubeVertices { shared, separate };
TriMesh unit_cube(CubeVertices vertices);
/// Both in one mesh.
TriMesh joined(const TriMesh& a, const TriMesh& b);

/// The corner of a cube, 0 and the three unit vectors, with texture coordinates (x, y) at each vertex.
std::string ply_ascii();
std::string ply_binary(std::endian order);
/// The same below two nodes, "holder" (scaled by 2) and "corner" (moved by 1 in x), of the material "red".
std::string glb();
std::string gltf();
/// Two quads and a triangle with names and texture coordinates.
std::string obj_with_everything();
std::string stl_ascii();
std::string stl_binary();

}  // namespace limber::test
