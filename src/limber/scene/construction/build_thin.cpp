#include "limber/scene/construction/build_thin.hpp"

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/force/bending.hpp"
#include "limber/force/membrane.hpp"
#include "limber/force/rayleigh.hpp"
#include "limber/force/rod.hpp"
#include "limber/force/thin_mass.hpp"

namespace limber {
namespace {

TriMesh sheet_of(const Body& body) { return {body.rest.nodes, body.triangles}; }

std::vector<std::array<int, 2>> edges_of(const Body& body) {
  auto edges = body.edges;
  for (auto& [a, b] : edges) a += body.first_node, b += body.first_node;
  return edges;
}

using Forces = std::vector<std::unique_ptr<Force>>;

Forces sheet_forces(const BodyChoice& choice, const Body& body, const MadeMaterial& m) {
  const TriMesh mesh = sheet_of(body);
  const std::string where = choice.where + ".mesh";
  const double D = choice.bending * plate_stiffness(m.young, m.poisson, choice.thickness);
  Forces forces;
  forces.push_back(std::make_unique<MembraneForce>(mesh, body.first_node, std::vector{m.material},
                                                   std::vector<int>(mesh.triangles.size(), 0), choice.thickness,
                                                   choice.where));
  if (D > 0)
    forces.push_back(std::make_unique<BendingForce>(mesh, body.first_node, std::vector(mesh.triangles.size(), D),
                                                    RestAngles::of_rest_shape, where));
  return forces;
}

Forces rod_forces(const BodyChoice& choice, const Body& body, const MadeMaterial& m, const Vector& positions) {
  const auto edges = edges_of(body);
  const std::string where = choice.where + ".mesh.edges";
  const double radius = choice.thickness / 2, B = choice.bending * rod_stiffness(m.young, radius);
  Forces forces;
  forces.push_back(std::make_unique<PointSprings>(rod_springs(edges, positions, m.young, radius, where),
                                                  static_cast<int>(positions.size() / 3), EnergyKind::elastic, where));
  if (B > 0) forces.push_back(std::make_unique<RodBending>(edges, positions, B, RestAngles::of_rest_shape, where));
  return forces;
}

Forces elastic_forces(const BodyChoice& choice, const Body& body, const MadeMaterial& m, const Vector& positions) {
  return body.triangles.empty() ? rod_forces(choice, body, m, positions) : sheet_forces(choice, body, m);
}

}  // namespace

std::vector<NodalMass> thin_masses(const BodyChoice& choice, const Body& body, double density) {
  const MassKind kind = choice.mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent;
  if (!body.triangles.empty())
    return membrane_masses(sheet_of(body), body.first_node, std::vector(body.triangles.size(), density),
                           choice.thickness, kind);
  Vector q(3 * static_cast<Index>(body.rest.nodes.size()));
  for (std::size_t i = 0; i < body.rest.nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = body.rest.nodes[i];
  auto masses = rod_masses(body.edges, q, density, choice.thickness / 2, kind);
  for (NodalMass& m : masses) m.a += body.first_node, m.b += body.first_node;
  return masses;
}

double thin_wave_speed(const Body& body, const MadeMaterial& m) {
  const double modulus = body.triangles.empty() ? m.young : m.young / (1 - m.poisson * m.poisson);
  return std::sqrt(modulus / m.density);
}

std::vector<std::shared_ptr<Force>> thin_forces(const BodyChoice& choice, const Body& body,
                                                const MadeMaterial& material, const std::vector<NodalMass>& masses,
                                                const Vector& positions) {
  std::vector<std::shared_ptr<Force>> all;
  for (auto& force : elastic_forces(choice, body, material, positions)) all.push_back(std::move(force));
  if (!choice.damping.any()) return all;
  const auto at = static_cast<RayleighAt>(choice.damping.at);
  if (at == RayleighAt::current && choice.damping.stiffness > 0)
    throw InputError(choice.where + ".damping.at",
                     "\"current\" is for bodies of tetrahedra or hexahedra; use \"corotated\"");
  double mass = choice.damping.mass;
  for (auto& force : elastic_forces(choice, body, material, positions)) {
    all.push_back(std::make_shared<RayleighDamping>(std::move(force), masses, positions,
                                                    RayleighCoefficients{choice.damping.stiffness, mass}, at));
    mass = 0;  // once
  }
  return all;
}

}  // namespace limber
