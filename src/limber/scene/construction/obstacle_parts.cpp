#include "limber/scene/construction/obstacle_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/mesh/shapes/primitives.hpp"
#include "limber/mesh/surface_checks.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/scene/construction/build_forces.hpp"

namespace limber {
namespace {

TriMesh unit_box() {
  TriMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.nodes.emplace_back(k & 1 ? .5 : -.5, k & 2 ? .5 : -.5, k & 4 ? .5 : -.5);
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// What an obstacle's files hold: the first one's faces, and the vertices of all.
struct MeshFiles {
  std::string key, name;  // where the scene names them; the first one
  SurfaceMesh first;
  std::vector<std::vector<Vec3>> shapes;  // #files × #V
  std::vector<double> times;              // [s] #files, of a sequence
};

MeshFiles read_files(const ObstacleChoice& o) {
  if (!o.sequence) {
    MeshFiles all{o.where + ".file", o.file, read_surface_mesh(o.file, o.access), {}, {}};
    all.shapes = {all.first.positions};
    return all;
  }
  const MeshSequence& s = *o.sequence;
  const std::string key = s.where + ".files";
  const std::vector<std::string> files = s.pattern.empty() ? s.files : o.access.matching(s.pattern, key);
  if (files.size() < 2)
    throw InputError(key, fmt::format("{} {}; a sequence has two files or more", s.pattern,
                                      files.empty() ? "fits no file" : "fits one file only, " + files[0]));
  if (!s.times.empty() && s.times.size() != files.size())
    throw InputError(s.where + ".times",
                     fmt::format("has {} times for the {} files of {}", s.times.size(), files.size(), s.pattern));
  MeshFiles all{key, files[0], read_surface_mesh(files[0], o.access), {}, s.times};
  all.shapes = {all.first.positions};
  for (std::size_t k = 1; k < files.size(); ++k) {
    SurfaceMesh mesh = read_surface_mesh(files[k], o.access);
    if (const std::string what = difference(mesh, all.first); !what.empty())
      throw InputError(
          key, fmt::format("{} is another mesh than {}: {}; all must have the same faces", files[k], files[0], what));
    all.shapes.push_back(std::move(mesh.positions));
  }
  if (s.times.empty())
    for (std::size_t k = 0; k < files.size(); ++k) all.times.push_back(s.start + static_cast<double>(k) / s.fps);
  return all;
}

/// Distances have a sign only where a surface encloses something.
void choose_form(const ObstacleChoice& o, const std::string& name, ObstacleSurface& surface) {
  using Form = ObstacleChoice::Form;
  const std::size_t open = count_open_edges(surface.mesh);
  const bool loose = !surface.edges.empty() || !surface.points.empty();
  const std::string why = o.sequence ? "the surface changes its shape, and a grid of distances does not"
                          : surface.mesh.triangles.empty() ? fmt::format("{} has no triangles", name)
                          : loose    ? fmt::format("{} has {} edges and {} points of no triangle", name,
                                                   surface.edges.size(), surface.points.size())
                          : open > 0 ? fmt::format("{} is open, with {} open edges, so it has no inside", name, open)
                                     : "";
  surface.form = o.form;
  if (o.form == Form::automatic) surface.form = why.empty() ? Form::distance : Form::triangles;
  if (o.form == Form::distance && !why.empty())
    throw InputError(
        o.where + ".form",
        fmt::format("\"distance\" needs a closed surface: {}; use \"triangles\"{}", why,
                    open > 0 && !loose && !o.sequence ? ", which act on both sides, or close the surface" : ""));
  if (o.form == Form::automatic && open > 0 && !loose && !o.sequence)
    surface.notes.push_back(
        fmt::format("{}.form: {}: its triangles act, on both sides (\"form\": \"triangles\")", o.where, why));
  if (surface.form == Form::distance && o.thickness > 0)
    throw InputError(o.where + ".thickness",
                     "a surface that acts by its distance has none; use \"form\": \"triangles\", or leave it out");
}

/// Whether the text fits the pattern: * stands for any letters, also none, ? for one.
}  // namespace

ObstacleSurface obstacle_surface(const ObstacleChoice& o) {
  const Mat3 R = Mat3::Identity() + rotation_minus_identity(o.rotation);
  ObstacleSurface surface;
  if (o.shape == ObstacleChoice::Shape::box) {
    surface.mesh = unit_box();
    for (Vec3& x : surface.mesh.nodes) x = o.center + R * x.cwiseProduct(o.size);
    return surface;
  }
  const MeshFiles files = read_files(o);
  Primitives p = primitives(files.first, files.shapes);
  if (p.triangles.empty() && p.edges.empty() && p.points.empty())
    throw InputError(files.key, p.degenerate == 0
                                    ? fmt::format("{} holds no triangle, no line and no point: there is nothing to "
                                                  "collide with",
                                                  files.name)
                                    : fmt::format("all {} triangles of {} have no area", p.degenerate, files.name));
  if (p.degenerate > 0)
    surface.notes.push_back(
        fmt::format("{}: {} triangles of no area in {} were left out", o.where, p.degenerate, files.name));
  for (auto& shape : p.shapes)
    for (Vec3& x : shape) x = o.position + R * (o.scale * x);
  surface.mesh = {p.shapes[0], std::move(p.triangles)};
  if (is_closed(surface.mesh)) orient_outwards(surface.mesh);
  surface.edges = std::move(p.edges);
  surface.points = std::move(p.points);
  choose_form(o, files.name, surface);
  if (o.sequence)
    surface.sequence =
        std::make_shared<NodeSequence>(files.times, p.shapes, o.sequence->interpolation, o.sequence->where + ".times");
  return surface;
}

Vec3 obstacle_centre(const ObstacleChoice& o, const TriMesh& surface) {
  using Shape = ObstacleChoice::Shape;
  switch (o.shape) {
    case Shape::plane:
    case Shape::half_space:
      return o.point;
    case Shape::sphere:
    case Shape::box:
    case Shape::torus:
      return o.center;
    case Shape::capsule:
    case Shape::cylinder:
      return (o.a + o.b) / 2;
    case Shape::mesh:
      break;
  }
  const Box3 box = bounding_box(surface.nodes);
  return (box.min + box.max) / 2;
}

Motion obstacle_motion(const ObstacleChoice& o, const Vec3& centre) {
  if (!o.motion) return {};
  return keyed_motion(o.motion->keys, o.motion->interpolation, o.motion->pivot.value_or(centre), o.motion->where);
}

}  // namespace limber
