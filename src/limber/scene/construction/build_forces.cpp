#include "limber/scene/construction/build_forces.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/force/rayleigh.hpp"
#include "limber/force/springs.hpp"

namespace limber {

Motion keyed_motion(const std::vector<MotionKey>& keys, Interpolation interpolation, const Vec3& pivot,
                    const std::string& where) {
  std::vector<double> times;
  std::vector<Vec3> translations, rotations;
  for (const auto& key : keys) {
    times.push_back(key.time);
    translations.push_back(key.translation);
    rotations.push_back(key.rotation);
  }
  return {pivot, TimeFunction<Vec3>::table(times, translations, interpolation, where + ".keys"),
          TimeFunction<Vec3>::table(times, rotations, interpolation, where + ".keys")};
}

std::shared_ptr<Force> make_damping(const DampingChoice& choice, const Body& body, const PlacedBody& placed,
                                    const std::vector<NodalMass>& masses, const Vector& positions) {
  // A second elastic force, since the damping binds it to a pattern of its own that holds the prescribed nodes too.
  auto elastic = std::make_unique<ElasticForce>(placed.shape.elements, body.first_node, placed.materials.materials,
                                                placed.materials.of_element, placed.materials.means);
  return std::make_shared<RayleighDamping>(std::move(elastic), masses, positions,
                                           RayleighCoefficients{choice.stiffness, choice.mass},
                                           static_cast<RayleighAt>(choice.at));
}

ForceNodes::Body force_nodes(const BodyChoice& choice, const Body& body, const PlacedBody& placed) {
  return {placed.shape.mesh.nodes,
          placed.nodes,
          body.first_node,
          [&body] { return body.surface_triangles(); },
          [&placed] { return placed.faces(); },
          placed.chosen(choice.pin),
          body.rest.tets.empty() ? ForceNodes::Body::Kind::sheet : ForceNodes::Body::Kind::solid};
}

std::shared_ptr<Force> make_springs(const SpringsChoice& choice, const Body& body, const Vector& positions) {
  std::vector<std::array<int, 2>> all;
  for (const auto& [a, b] : body.edges) {
    const int n = static_cast<int>(body.rest.nodes.size());
    if (a >= n || b >= n)
      throw InputError(choice.where + ".edges", fmt::format("edge [{}, {}] names a node outside 0 to {}", a, b, n - 1));
    all.push_back({body.first_node + a, body.first_node + b});
  }
  auto springs = network_springs(all, positions, choice.stiffness, choice.damping);
  if (choice.rest_length)
    for (auto& s : springs) s.rest_length = *choice.rest_length;
  return std::make_shared<PointSprings>(std::move(springs), static_cast<int>(positions.size() / 3), EnergyKind::elastic,
                                        choice.where);
}

}  // namespace limber
