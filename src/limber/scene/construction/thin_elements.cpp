#include "limber/scene/construction/thin_elements.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/mesh/element_faces.hpp"

namespace limber {
namespace {

/// The projections on the directions in which nodes are held for ever, #N.
std::vector<Mat3> held_directions(const BodyChoice& body, const std::vector<Vec3>& nodes) {
  std::vector<Mat3> held(nodes.size(), Mat3::Zero());
  const auto hold = [&](const Selection& selection, const Mat3& directions) {
    for (const int i : resolve(selection, nodes)) held[ix(i)] += directions;
  };
  if (!body.pin.empty()) hold(body.pin, Mat3::Identity());
  for (const PinEntry& pin : body.pin_entries)
    if (!pin.until) hold(pin.nodes, pin.held);
  return held;
}

std::vector<bool> surface_nodes(const BodyChoice& body, const BodyShape& shape) {
  const ElementMesh& mesh = shape.elements;
  const std::vector<Mat3> held = held_directions(body, shape.mesh.nodes);
  const FaceMesh faces = boundary_faces(mesh);
  std::vector<bool> surface(mesh.nodes.size(), false);
  for (std::size_t f = 0; f < faces.count(); ++f) {
    const auto nodes = faces.face(f);
    const auto at = [&](std::size_t k) { return mesh.nodes[ix(nodes[k])]; };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0)).stableNormalized();
    const auto is_held = [&](int i) { return normal.dot(held[ix(i)] * normal) > 1 - 1e-6; };
    if (std::all_of(nodes.begin(), nodes.end(), is_held)) continue;
    for (const int i : nodes) surface[ix(i)] = true;
  }
  return surface;
}

}  // namespace

std::vector<bool> thin_elements(const BodyChoice& body, const BodyShape& shape) {
  const ElementMesh& mesh = shape.elements;
  std::vector<bool> thin(mesh.count(), false);
  if (shape.mesh.nodes.empty()) return thin;
  const std::vector<bool> surface = surface_nodes(body, shape);
  const std::size_t corners = ix(corner_count(mesh.kind));
  std::vector<bool> inner(mesh.nodes.size(), false);  // or beside such a node
  const auto has = [&](std::size_t e, const std::vector<bool>& what, bool value) {
    const auto own = mesh.element(e).first(corners);
    return std::any_of(own.begin(), own.end(), [&](int i) { return what[ix(i)] == value; });
  };
  for (std::size_t e = 0; e < mesh.count(); ++e)
    if (has(e, surface, false))
      for (const int i : mesh.element(e).first(corners)) inner[ix(i)] = true;
  for (std::size_t e = 0; e < mesh.count(); ++e) thin[e] = !has(e, inner, true);
  return thin;
}

}  // namespace limber
