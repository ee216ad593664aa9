#pragma once
/// The surface of a run, frame by frame: of each body the surface that moves with it, as its file had it; else the
/// boundary of its tetrahedra, the triangles of a sheet or the lines of a network. One object for each body.

#include <string>
#include <vector>

#include "limber/mesh/surface_mesh.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/build/build.hpp"

namespace limber {

/// Writes into the directory of a run the surfaces that move with its bodies, as they lie at the start. Throws
/// OutputError.
void write_body_surfaces(const Model& model, const std::string& directory);

/// Of a body that was filled from a surface: that surface, or the boundary of what is simulated.
enum class BodySurface { given, simulated };

class ExportedSurface {
 public:
  /// From the directory of a run, which may still go on. Throws InputError.
  explicit ExportedSurface(const std::string& directory, BodySurface which = BodySurface::given);

  long frames() const { return reader_.frames(); }
  /// Polygons, lines, texture coordinates and names of all bodies, the same in every frame.
  const SurfaceMesh& mesh() const { return mesh_; }
  /// Which body each polygon and each line of mesh() belongs to.
  const std::vector<int>& polygon_body() const { return polygon_body_; }
  const std::vector<int>& line_body() const { return line_body_; }
  const TrajectoryReader& trajectory() const { return reader_; }
  /// #V of mesh() [m]; frame < frames().
  std::vector<Vec3> positions(long frame) const { return positions(reader_.frame(frame).q); }
  /// The same from the positions of the nodes, 3N.
  std::vector<Vec3> positions(const Vector& q) const;
  /// A field of the nodes, #N, at the vertices of mesh(): between the nodes as positions are; 0 where a vertex stays.
  std::vector<double> interpolated(const Vector& nodal) const;

 private:
  /// A vertex is the weighted mean of nodes, or stays.
  struct Vertex {
    std::array<int, 4> nodes{};
    std::array<double, 4> weights{};
  };
  // Each adds the vertices of a body's surface.
  SurfaceMesh own_surface(const BodyRange& body);
  void embed_in_tets(const BodyRange& body, const SurfaceMesh& surface);
  void follow_nodes(const BodyRange& body, const SurfaceMesh& surface);
  void append(const SurfaceMesh& surface, int body, const std::string& name);

  TrajectoryReader reader_;
  SurfaceMesh mesh_;
  std::vector<int> polygon_body_, line_body_;
  std::vector<Vertex> vertices_;
};

}  // namespace limber
