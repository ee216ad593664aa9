#pragma once
/// The surfaces of all bodies as functions of the nodes' positions: of each body the surface that moves with it, as its
/// file had it; else the boundary of its tetrahedra, the triangles of a sheet or the lines of a network.

#include <optional>
#include <string>
#include <vector>

#include "limber/force/pull.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/record/trajectory.hpp"

namespace limber {

class BodiesSurface {
 public:
  /// `given`: for each body the surface that moves with it, at rest, if there is one. Throws InputError where one
  /// cannot be embedded.
  BodiesSurface(const TrajectoryHeader& header, const std::vector<std::optional<SurfaceMesh>>& given);

  /// Polygons, lines, texture coordinates and names of all bodies, the same at all times.
  const SurfaceMesh& mesh() const { return mesh_; }
  /// Which body each polygon and each line of mesh() belongs to.
  const std::vector<int>& polygon_body() const { return polygon_body_; }
  const std::vector<int>& line_body() const { return line_body_; }
  /// The polygons cut into triangles, and the body of each.
  struct Triangles {
    std::vector<std::array<int, 3>> corners;
    std::vector<int> body;
  };
  Triangles triangles() const;
  /// What each vertex of mesh() is a mean of; weights of zero: it stays.
  const std::vector<BodyPoint>& vertices() const { return vertices_; }

  /// #V of mesh() [m], from the positions of the nodes, 3N.
  std::vector<Vec3> positions(const Vector& q) const;
  /// A field of the nodes, #N, at the vertices of mesh(): between the nodes as positions are; 0 where a vertex stays.
  std::vector<double> interpolated(const Vector& nodal) const;

 private:
  // Each adds the vertices of a body's surface.
  SurfaceMesh own_surface(const TrajectoryHeader& h, const BodyRange& body);
  void embed_in_tets(const TrajectoryHeader& h, const BodyRange& body, const SurfaceMesh& surface);
  void follow_nodes(const TrajectoryHeader& h, const BodyRange& body, const SurfaceMesh& surface);
  void append(const SurfaceMesh& surface, int body, const std::string& name);

  SurfaceMesh mesh_;
  std::vector<int> polygon_body_, line_body_;
  std::vector<BodyPoint> vertices_;
};

}  // namespace limber
