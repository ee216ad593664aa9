#include "limber/scene/construction/parted_shape.hpp"

#include <algorithm>

#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/scene/construction/body_materials.hpp"
#include "limber/scene/construction/box_part.hpp"
#include "limber/scene/construction/scattered_part.hpp"

namespace limber {
namespace {

/// Means reach across cuts, or depend on where the whole body is thin.
bool has_means(const BodyChoice& body) {
  BodyShape one;
  one.elements.corners = {0, 1, 2, 3};
  return body_materials(body, one).has_means();
}

bool is_solid(const BodyChoice& body) {
  if (std::holds_alternative<TriMesh>(body.mesh) || std::holds_alternative<NetworkShape>(body.mesh)) return false;
  const auto* file = std::get_if<MeshFile>(&body.mesh);
  return !file || !is_surface_file(file->path);
}

}  // namespace

bool made_by_parts(const Scene& scene, const BodyChoice& body, const Communicator& processes) {
  if (processes.size() == 1 || !is_solid(body)) return false;
  const bool alone =
      !scene.contact && scene.stitches.empty() && scene.forces.empty() && !scene.start &&
      std::all_of(scene.bodies.begin(), scene.bodies.end(), [](const BodyChoice& b) { return b.forces.empty(); });
  const auto material = body.materials.find("default");
  const bool plain = body.materials.size() == 1 && material != body.materials.end() &&
                     material->second.fields.empty() && body.regions.empty() && body.rigid.empty() && !body.springs &&
                     body.masses.empty() && body.point_mass.empty();
  return alone && plain && !has_means(body);
}

std::optional<PartedShape> make_parted_shape(const BodyChoice& body, const Communicator& processes,
                                             std::vector<std::string>& notes) {
  if (std::holds_alternative<BoxShape>(body.mesh)) return make_box_part(body, processes);
  return scatter_shape(body, processes, notes);
}

}  // namespace limber
