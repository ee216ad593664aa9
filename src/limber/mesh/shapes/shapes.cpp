#include "limber/mesh/shapes/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/mesh/fill/stuffing.hpp"
#include "limber/mesh/shape_checks.hpp"

namespace limber {

void require_positive(const std::string& name, double value) {
  if (!(value > 0 && std::isfinite(value))) throw InputError(name, fmt::format("{} must be finite and > 0", value));
}

void require_between(const std::string& name, double value, double lowest, double highest, const std::string& why) {
  if (!(value >= lowest && value <= highest))
    throw InputError(
        name, fmt::format("{} is outside [{:.6g}, {:.6g}]{}", value, lowest, highest, why.empty() ? "" : ": " + why));
}

void require_count(double tets, std::size_t max_tets, double resolution) {
  if (!(tets <= static_cast<double>(max_tets)))
    throw InputError(
        "resolution",
        fmt::format("{} would make about {:.3g} tetrahedra, more than {}; choose at least {:.3g}, or a larger max_tets",
                    resolution, tets, max_tets, resolution * std::cbrt(tets / static_cast<double>(max_tets))));
}

TetMesh sphere_mesh(const SphereShape& shape) {
  const double r = shape.radius;
  require_positive("radius", r);
  require_positive("resolution", shape.resolution);
  require_between("resolution", shape.resolution, 0, r, "it must not exceed the radius");
  const double spacing = shape.resolution / stuffed_mean_edge;
  require_count(12 * 4 / 3. * std::numbers::pi * std::pow(r / spacing, 3), shape.max_tets, shape.resolution);
  // A whole number of cubes puts a lattice point in the middle.
  const Vec3 half = Vec3::Constant(spacing * std::ceil(r / spacing));
  return stuff([r](const Vec3& x) { return x.norm() - r; }, {.box = {-half, half}, .spacing = spacing, .lipschitz = 1})
      .mesh;
}

TetMesh mesh_of_count(const std::function<TetMesh(double resolution)>& make, double coarsest, Count what,
                      std::size_t target) {
  const std::string name = what == Count::nodes ? "nodes" : "tets";
  if (target == 0) throw InputError(name, "0 must be > 0");
  const auto count_of = [&](const TetMesh& mesh) {
    return static_cast<double>(what == Count::nodes ? mesh.nodes.size() : mesh.tets.size());
  };
  const auto wanted = static_cast<double>(target);
  // Counts go with resolution⁻³; a step that overshoots twice is bisected.
  double low = 0, high = coarsest, resolution = coarsest;
  TetMesh best;
  double best_miss = 0;
  for (int builds = 0; builds < 10; ++builds) {
    TetMesh mesh = make(resolution);
    const double count = count_of(mesh), miss = std::abs(std::log(count / wanted));
    if (builds == 0 && count > 1.1 * wanted)
      throw InputError(name, fmt::format("{} are too few: at the coarsest resolution, {:.4g}, this shape has {}",
                                         target, coarsest, count));
    if (builds == 0 || miss < best_miss) {
      best = std::move(mesh);
      best_miss = miss;
    }
    if (best_miss < 0.01) break;
    (count > wanted ? low : high) = resolution;
    double next = resolution * std::cbrt(count / wanted);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == resolution || low >= high) break;
    resolution = next;
  }
  return best;
}

}  // namespace limber
