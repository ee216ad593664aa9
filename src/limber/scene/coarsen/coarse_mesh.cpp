#include "limber/scene/coarsen/coarse_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/unused_nodes.hpp"
#include "limber/scene/read_shape.hpp"

namespace limber {
namespace {

constexpr const char* factor_key = "--resolution";
constexpr double most_volume_lost = .2;

[[noreturn]] void refuse_factor(const BodyChoice& body, double factor, const std::string& why) {
  throw InputError(factor_key, fmt::format("{:g}: {}: {}", factor, body.name, why));
}

bool of_hexahedra(const BodyShape& fine) { return corner_count(fine.elements.kind) == 8; }

SolidMesh coarse_box(const BodyChoice& body, const BoxShape& box, const BodyShape& fine, double factor) {
  std::array<int, 3> cells{};
  for (std::size_t k = 0; k < 3; ++k) cells[k] = std::max(1, static_cast<int>(std::lround(box.cells[k] / factor)));
  if (cells == std::array<int, 3>{1, 1, 1} && cells == box.cells)
    throw InputError(body.where + ".mesh.cells", "a box of one cell cannot be made coarser");
  if (cells == box.cells)
    refuse_factor(body, factor,
                  fmt::format("its {} × {} × {} cells would stay; take a larger one", cells[0], cells[1], cells[2]));
  if (!of_hexahedra(fine)) return box_mesh(box.origin, box.size, cells, box.split);
  const ElementMesh elements = box_hexahedra(box.origin, box.size, cells);
  HexMesh mesh{elements.nodes, {}, {}, {}};
  for (std::size_t e = 0; e < elements.count(); ++e) {
    std::array<int, 8>& hex = mesh.hexes.emplace_back();
    std::copy_n(elements.element(e).begin(), 8, hex.begin());
  }
  return mesh;
}

std::size_t fewer(std::size_t count, double factor) {
  return static_cast<std::size_t>(std::max(4., std::round(static_cast<double>(count) / std::pow(factor, 3))));
}

TetMesh coarse_shape(ProceduralShape shape, const std::string& where, double factor) {
  std::visit(
      [&](auto& s) {
        s.resolution *= factor;
        if constexpr (requires { s.layers; }) s.layers = std::max(1, static_cast<int>(std::lround(s.layers / factor)));
      },
      shape.shape);
  if (shape.aim) shape.target = fewer(shape.target, factor);
  return shape_mesh(shape, where);
}

TetMesh coarse_filling(SurfaceFile file, const BodyShape& fine, const std::string& where, double factor,
                       std::vector<std::string>& notes) {
  const double diagonal = bounding_box(fine.surface->positions).diagonal();
  if (file.aim)
    file.target = fewer(file.target, factor);
  else
    file.resolution = factor * file.resolution.value_or(diagonal / 25);
  file.filling = Filling::lattice;  // the other one keeps all triangles of the surface, however small
  Filled filled = fill_surface(file, *fine.surface, where);
  for (const std::string& note : filled.notes) notes.push_back(note);
  return std::move(filled.mesh);
}

double mean_edge(const BodyShape& shape) {
  double sum = 0;
  const auto all = edges(shape.mesh);
  for (const auto& [a, b] : all) sum += (shape.mesh.nodes[ix(a)] - shape.mesh.nodes[ix(b)]).norm();
  const double quadratic = shape.elements.kind == ElementKind::tet10 ? 2 : 1;
  return quadratic * sum / static_cast<double>(all.size());
}

/// A lattice inside the boundary of the fine tetrahedra.
TetMesh coarse_lattice(const BodyShape& fine, double factor) {
  TriMesh boundary{fine.mesh.nodes, boundary_triangles(fine.mesh)};
  drop_unused_nodes(boundary.nodes, boundary.triangles);
  TetrahedralizeOptions options;
  options.resolution = factor * mean_edge(fine);
  options.filling = Filling::lattice;
  return tetrahedralize(boundary, options).mesh;
}

std::size_t pieces_of(const TetMesh& mesh) {
  const std::vector<int> piece = tet_components(mesh);
  return static_cast<std::size_t>(*std::max_element(piece.begin(), piece.end())) + 1;
}

void require_same_body(const BodyChoice& body, const BodyShape& fine, const TetMesh& coarse, double factor) {
  if (coarse.tets.size() >= fine.elements.count())
    refuse_factor(body, factor,
                  fmt::format("the coarse mesh would have {} tetrahedra, no fewer than the fine one; take a larger one",
                              coarse.tets.size()));
  const std::size_t before = pieces_of(fine.mesh), now = pieces_of(coarse);
  if (now != before)
    refuse_factor(body, factor,
                  fmt::format("the coarse mesh falls apart, into {} pieces instead of {}; take a smaller one, above 1",
                              now, before));
  const double v = volume(fine.mesh), u = volume(coarse);
  if (std::abs(u - v) > most_volume_lost * v)
    refuse_factor(body, factor,
                  fmt::format("the coarse mesh has {:.4g} m³, the fine one {:.4g}: more than {:.0f} % off; take a "
                              "smaller one, above 1",
                              u, v, 100 * most_volume_lost));
}

}  // namespace

SolidMesh coarse_mesh(const BodyChoice& body, const BodyShape& fine, double factor, std::vector<std::string>& notes) {
  const std::string where = body.where + ".mesh";
  if (const auto* box = std::get_if<BoxShape>(&body.mesh)) return coarse_box(body, *box, fine, factor);
  if (of_hexahedra(fine))
    throw InputError(where, "hexahedra that are no box cannot be made coarser; boxes and tetrahedra can");
  TetMesh coarse;
  try {
    if (const auto* shape = std::get_if<ProceduralShape>(&body.mesh))
      coarse = coarse_shape(*shape, where, factor);
    else if (const auto* file = std::get_if<SurfaceFile>(&body.mesh))
      coarse = coarse_filling(*file, fine, where, factor, notes);
    else
      coarse = coarse_lattice(fine, factor);
  } catch (const InputError& e) {
    refuse_factor(body, factor, e.where() + ": " + e.message());
  }
  check_and_orient(coarse, where);
  require_same_body(body, fine, coarse, factor);
  coarse.region.clear();
  coarse.region_names.clear();
  coarse.fields.clear();
  return coarse;
}

}  // namespace limber
