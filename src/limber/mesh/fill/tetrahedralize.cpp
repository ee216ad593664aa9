#include "limber/mesh/fill/tetrahedralize.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/fill/stuffing.hpp"
#include "limber/mesh/fill/tetgen_fill.hpp"
#include "limber/mesh/fill/tetrahedralize_field.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/surface_checks.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/unused_nodes.hpp"

namespace limber {
namespace {

/// A surface with edges shorter than this on average would force small elements on TetGen [resolution].
constexpr double finest_surface = 0.5;
constexpr double tetgen_volume = 0.16;  // bound on a tetrahedron [resolution³]: gives the mean edge
constexpr double tetgen_per_cube = 13;  // tetrahedra in resolution³, about
constexpr double least_dihedral = 8;    // [°] of a mesh by TetGen that is accepted
constexpr double hole_slope = 4;        // |∇φ| near holes, about; elsewhere it is 1

void require_sound(const TriMesh& surface) {
  for (std::size_t i = 0; i < surface.nodes.size(); ++i)
    if (!surface.nodes[i].allFinite()) throw InputError("surface", fmt::format("vertex {} is not finite", i));
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (const int i : surface.triangles[t])
      if (i < 0 || static_cast<std::size_t>(i) >= surface.nodes.size())
        throw InputError("surface",
                         fmt::format("triangle {} names vertex {}, but there are {}", t, i, surface.nodes.size()));
}

/// "n things", with a note where there are some.
void note(std::vector<std::string>& notes, std::size_t n, const std::string& one, const std::string& many) {
  if (n == 1) notes.push_back("1 " + one);
  if (n > 1) notes.push_back(fmt::format("{} {}", n, many));
}

/// Debris of a scan.
void drop_small_pieces(TriMesh& surface, double share, std::vector<std::string>& notes) {
  if (!(share > 0)) return;
  const std::vector<double> volumes = piece_volumes(surface);
  double whole = 0, largest = 0;
  for (const double volume : volumes) {
    whole += volume;
    largest = std::max(largest, volume);
  }
  if (largest < share * whole)
    throw InputError("drop_pieces", fmt::format("{} leaves nothing: the largest of {} pieces has {:.3g} of the volume",
                                                share, volumes.size(), largest / whole));
  const std::vector<int> piece = surface_pieces(surface);
  std::size_t kept = 0, gone = 0;
  for (const double volume : volumes) gone += volume < share * whole ? 1 : 0;
  for (std::size_t t = 0; t < piece.size(); ++t)
    if (volumes[piece[t]] >= share * whole) surface.triangles[kept++] = surface.triangles[t];
  surface.triangles.resize(kept);
  drop_unused_nodes(surface.nodes, surface.triangles);
  note(notes, gone, fmt::format("piece of the surface with less than {} of its volume was left out", share),
       fmt::format("pieces of the surface with less than {} of its volume each were left out", share));
}

void mend(TriMesh& surface, double drop_pieces, std::vector<std::string>& notes) {
  require_sound(surface);
  weld_equal_nodes(surface);
  const std::size_t read = surface.triangles.size();
  const std::size_t flat = drop_degenerate(surface);
  if (surface.triangles.empty())
    throw InputError("surface", read == 0 ? std::string("there are no triangles")
                                          : fmt::format("all {} triangles have no area", read));
  note(notes, flat, "triangle of no area was left out", "triangles of no area were left out");
  drop_small_pieces(surface, drop_pieces, notes);
  note(notes, orient_parts(surface), "triangle faced the wrong way and was turned",
       "triangles faced the wrong way and were turned");
}

double mean_edge(const TriMesh& surface) {
  double sum = 0;
  for (const auto& t : surface.triangles)
    for (int k = 0; k < 3; ++k) sum += (surface.nodes[t[k]] - surface.nodes[t[(k + 1) % 3]]).norm();
  return sum / (3 * static_cast<double>(surface.triangles.size()));
}

/// Why TetGen cannot be given this surface; "" if it can.
std::string against_tetgen(const TriMesh& surface, const SurfaceDefects& d, double resolution) {
  std::vector<std::string> why;
  note(why, d.open_edges, "open edge", "open edges");
  note(why, d.nonmanifold_edges, "edge of more than two triangles", "edges of more than two triangles");
  note(why, d.twisted_edges, "edge with triangles that face opposite ways",
       "edges with triangles that face opposite ways");
  note(why, d.pinched_nodes, "vertex where the surface touches itself", "vertices where the surface touches itself");
  if (d.crossings) why.emplace_back("it cuts or touches itself");
  if (!why.empty()) return "the surface is not clean: " + join(why);
  const double edge = mean_edge(surface);
  if (edge < finest_surface * resolution)
    return fmt::format("its edges, {:.3g} m on average, are shorter than {} of the resolution", edge, finest_surface);
  if (!has_tetgen()) return "Limber was built without TetGen";
  return "";
}

/// Takes away what is in hollows: TetGen fills them, too.
void empty_hollows(TetMesh& mesh, const TriMesh& surface) {
  const std::vector<int> part = surface_parts(surface);
  if (std::all_of(part.begin(), part.end(), [](int p) { return p == 0; })) return;
  const WindingTree tree(surface);
  std::vector<char> inside(mesh.tets.size());
  parallel_for(static_cast<Index>(inside.size()), [&](Index t) {
    const auto& n = mesh.tets[t];
    const Vec3 x = (mesh.nodes[n[0]] + mesh.nodes[n[1]] + mesh.nodes[n[2]] + mesh.nodes[n[3]]) / 4;
    inside[t] = tree.winding(x) >= 0.5;
  });
  std::size_t kept = 0;
  for (std::size_t t = 0; t < inside.size(); ++t)
    if (inside[t]) mesh.tets[kept++] = mesh.tets[t];
  mesh.tets.resize(kept);
}

/// Nothing, and `why`, where the mesh does not come out well.
std::optional<TetMesh> by_tetgen(const TriMesh& surface, const TetrahedralizeOptions& options, std::string& why) {
  const double cube = std::pow(options.resolution, 3);
  require_count(
      std::max(tetgen_per_cube * enclosed_volume(surface) / cube, 2.0 * static_cast<double>(surface.triangles.size())),
      options.max_tets, options.resolution);
  std::optional<TetMesh> mesh = fill_with_tetgen(surface, tetgen_volume * cube, why);
  if (!mesh) return mesh;
  empty_hollows(*mesh, surface);
  drop_unused_nodes(mesh->nodes, mesh->tets);
  if (!mesh->tets.empty()) check_and_orient(*mesh, "TetGen's mesh");
  const MeshReport r = mesh_report(*mesh);
  if (r.tets == 0 || r.flat + r.nonmanifold_edges + r.pinched_nodes > 0)
    why = "TetGen's mesh has flat tetrahedra or a surface that is no manifold";
  else if (r.min_dihedral < least_dihedral)
    why = fmt::format("TetGen's mesh has a dihedral angle of {:.3g}°, less than {}°", r.min_dihedral, least_dihedral);
  else
    return mesh;
  return std::nullopt;
}

TetMesh by_lattice(const TriMesh& surface, const SurfaceDefects& defects, const TetrahedralizeOptions& options,
                   std::vector<std::string>& notes) {
  const double spacing = options.resolution / stuffed_mean_edge;
  const BodyField field(surface, spacing);
  require_count(12 * field.volume() / std::pow(spacing, 3), options.max_tets, options.resolution);
  Stuffed result = stuff([&](const Vec3& x) { return field(x); },
                         {.box = field.box(), .spacing = spacing, .lipschitz = defects.closed() ? 1 : hole_slope});
  if (result.mesh.tets.empty())
    throw InputError("resolution",
                     fmt::format("at {} no tetrahedron fits into the surface; choose a finer one", options.resolution));
  note(notes, field.thin_triangles(), "triangle bounds a part that is thinner than the resolution, and was thickened",
       "triangles bound parts that are thinner than the resolution, and were thickened");
  if (result.components > 1) notes.push_back(fmt::format("the body has {} pieces", result.components));
  return std::move(result.mesh);
}

}  // namespace

std::string name_of(Filling filling) {
  return filling == Filling::tetgen ? "TetGen" : filling == Filling::lattice ? "lattice" : "automatic";
}

Tetrahedralized tetrahedralize(TriMesh surface, const TetrahedralizeOptions& options) {
  Tetrahedralized result;
  require_positive("resolution", options.resolution);
  mend(surface, options.drop_pieces, result.notes);
  const double size = bounding_box(surface.nodes).diagonal();
  require_between("resolution", options.resolution, 0, size, "the surface is not larger");
  const SurfaceDefects defects = surface_defects(surface);
  if (defects.open_edges > 0)
    result.notes.push_back(
        fmt::format("the surface is open, with {} open edge{}: its holes were closed, and the body is solid inside",
                    defects.open_edges, defects.open_edges == 1 ? "" : "s"));
  if (defects.clean()) result.enclosed = enclosed_volume(surface);
  std::string why;
  if (options.filling != Filling::lattice) {
    why = against_tetgen(surface, defects, options.resolution);
    std::optional<TetMesh> mesh;
    if (why.empty()) mesh = by_tetgen(surface, options, why);
    if (mesh) {
      result.mesh = std::move(*mesh);
      result.filling = Filling::tetgen;
      return result;
    }
    if (options.filling == Filling::tetgen) throw InputError("surface", "TetGen was asked for, but " + why);
    result.notes.push_back("filled by a lattice: " + why);
  }
  result.mesh = by_lattice(surface, defects, options, result.notes);
  check_and_orient(result.mesh, "the lattice's mesh");
  return result;
}

}  // namespace limber
