#include "limber/scene/construction/build_rigid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

// E over the stresses that strain a part, so that strains stay below 1e-4: of what it touches and of its spin; and of
// its weight, since a fall of its own size ends in more than that.
constexpr double margin = 1e4, fall_margin = 1e6;

std::vector<int> elements_of_regions(const RigidChoice& part, const RigidGround& g) {
  const auto per_element = ix(pieces(g.elements.kind));
  std::map<int, std::string> name_of;
  for (const auto& [name, region] : g.pieces.region_names) name_of[region] = name;
  std::vector<int> chosen;
  std::map<std::string, bool> found;
  for (std::size_t e = 0; e < g.elements.count(); ++e) {
    const int region = g.pieces.region.empty() ? 0 : g.pieces.region[e * per_element];
    const auto named = name_of.find(region);
    const auto is = [&](const std::string& r) {
      return r == std::to_string(region) || (named != name_of.end() && r == named->second);
    };
    const auto it = std::find_if(part.regions.begin(), part.regions.end(), is);
    if (it == part.regions.end()) continue;
    found[*it] = true;
    chosen.push_back(static_cast<int>(e));
  }
  for (const auto& r : part.regions)
    if (!found[r]) throw InputError(part.where + ".region", fmt::format("the mesh has no region \"{}\"", r));
  return chosen;
}

std::vector<int> elements_between(const RigidChoice& part, const RigidGround& g) {
  const auto selected = resolve(part.nodes, g.meshed);
  std::vector<bool> in(g.meshed.size(), false);
  for (const int i : selected) in[ix(i)] = true;
  std::vector<int> chosen;
  for (std::size_t e = 0; e < g.elements.count(); ++e) {
    const auto nodes = g.elements.element(e);
    if (std::all_of(nodes.begin(), nodes.end(), [&](int i) { return in[ix(i)]; }))
      chosen.push_back(static_cast<int>(e));
  }
  if (chosen.empty())
    throw InputError(part.where, fmt::format("holds no element: none has all its nodes among the {} that are selected",
                                             selected.size()));
  return chosen;
}

std::vector<int> nodes_of(const std::vector<int>& elements, const RigidGround& g) {
  std::vector<bool> in(g.meshed.size(), false);
  for (const int e : elements)
    for (const int i : g.elements.element(ix(e))) in[ix(i)] = true;
  std::vector<int> nodes;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i]) nodes.push_back(static_cast<int>(i));
  return nodes;
}

double part_volume(const std::vector<int>& elements, const RigidGround& g) {
  const auto per_element = ix(pieces(g.elements.kind));
  double sum = 0;
  for (const int e : elements)
    for (std::size_t k = 0; k < per_element; ++k) sum += signed_volume(g.pieces, ix(e) * per_element + k);
  return sum;
}

Vec3 centre_of_mass(const std::vector<int>& elements, const RigidGround& g) {
  const auto per_element = ix(pieces(g.elements.kind));
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  for (const int e : elements)
    for (std::size_t k = ix(e) * per_element; k < (ix(e) + 1) * per_element; ++k) {
      const double m = g.density[ix(e)] * signed_volume(g.pieces, k);
      mass += m;
      for (const int i : g.pieces.tets[k]) moment += m / 4 * g.pieces.nodes[ix(i)];
    }
  return moment / mass;
}

/// E [Pa] at rest, from C₁₁ = λ + 2μ and C₁₂ = λ.
double young(const AnyMaterial& material) {
  const Matrix C = hessian(material, Mat3::Identity());
  const double a = C(0, 0), b = C(0, 4);
  return (a - b) * (a + 2 * b) / (a + b);
}

/// The part's own E, or more where that would be soft against what it touches, its weight or its spin.
double stiffness(const BodyChoice& body, const std::vector<int>& elements, const std::vector<int>& nodes,
                 const RigidGround& g) {
  std::vector<bool> of_part(g.meshed.size(), false);
  std::vector<Vec3> points;
  for (const int i : nodes) of_part[ix(i)] = true, points.push_back(g.elements.nodes[ix(i)]);
  std::vector<bool> inside(g.elements.count(), false);
  std::vector<double> moduli;
  for (const auto& m : g.materials) moduli.push_back(young(m));
  const auto modulus = [&](std::size_t e) { return moduli[ix(g.of_element[e])]; };
  double own = 0, stress = 0, density = 0;
  for (const int e : elements) {
    inside[ix(e)] = true;
    own = std::max(own, modulus(ix(e)));
    density = std::max(density, g.density[ix(e)]);
  }
  for (std::size_t e = 0; e < g.elements.count(); ++e) {
    const auto corners = g.elements.element(e);
    if (!inside[e] && std::any_of(corners.begin(), corners.end(), [&](int i) { return of_part[ix(i)]; }))
      stress = std::max(stress, modulus(e));
  }
  const double size = bounding_box(points).diagonal();
  const double weight = density * size * g.gravity.norm();
  const double spin = density * size * size * body.angular_velocity.squaredNorm();
  return std::max({own, margin * stress, margin * spin, fall_margin * weight});
}

/// Where each prescribed node is prescribed.
std::map<int, std::string> prescribed(const BodyChoice& body, const std::vector<Vec3>& meshed) {
  std::map<int, std::string> where;
  for (const int i : resolve(body.pin, meshed)) where.emplace(i, body.where + ".pin");
  for (const auto& pin : body.pin_entries)
    for (const int i : resolve(pin.nodes, meshed)) where.emplace(i, pin.where);
  for (const auto& script : body.scripts)
    for (const int i : resolve(script.nodes, meshed)) where.emplace(i, script.where);
  return where;
}

}  // namespace

RigidParts rigid_parts(const BodyChoice& body, const RigidGround& g) {
  RigidParts all{std::vector<bool>(g.elements.count(), false), {}, nullptr, nullptr, {}};
  const auto held = prescribed(body, g.meshed);
  std::map<int, std::string> taken;
  TetMesh corners{g.elements.nodes, {}, {}, {}};
  std::vector<AnyMaterial> materials;
  std::vector<RigidShapes::Part> shapes;
  for (const RigidChoice& part : body.rigid) {
    const auto elements = part.regions.empty() ? elements_between(part, g) : elements_of_regions(part, g);
    const auto nodes = nodes_of(elements, g);
    for (const int i : nodes) {
      if (const auto it = held.find(i); it != held.end())
        throw InputError(part.where,
                         fmt::format("node {} of '{}' is prescribed by {}; a rigid part is free: to hold or "
                                     "move all of it, pin or script all its nodes, without \"rigid\"",
                                     i, body.name, it->second));
      if (const auto [it, fresh] = taken.emplace(i, part.where); !fresh)
        throw InputError(part.where, fmt::format("shares node {} of '{}' with {}; make one part of both, or keep an "
                                                 "element between them",
                                                 i, body.name, it->second));
    }
    AffinePart affine = affine_part(nodes, g.elements.nodes, part.where);
    corners.tets.push_back(affine.corners);
    const double E = stiffness(body, elements, nodes, g);
    MaterialParameters stiff{.model = "st_venant_kirchhoff", .own = {}};
    stiff.young = E;
    stiff.poisson = 0;
    materials.push_back(make_material(stiff, part.where));
    RigidShapes::Part shape{{}, {}, centre_of_mass(elements, g), part_volume(elements, g), E, part.where};
    for (std::size_t k = 0; k < 4; ++k) {
      shape.corners[k] = g.first_node + affine.corners[k];
      shape.rest[k] = g.elements.nodes[ix(affine.corners[k])];
    }
    shapes.push_back(std::move(shape));
    for (int& corner : affine.corners) corner += g.first_node;
    for (Tie& tie : affine.ties) {
      tie.node += g.first_node;
      for (auto& term : tie.terms) term.node += g.first_node;
    }
    all.parts.push_back(std::move(affine));
    for (const int e : elements) all.inside[ix(e)] = true;
    all.notes.push_back(
        fmt::format("{}: {} elements on {} nodes move as one rigid part", part.where, elements.size(), nodes.size()));
  }
  std::vector<int> material_of(corners.tets.size());
  for (std::size_t k = 0; k < material_of.size(); ++k) material_of[k] = static_cast<int>(k);
  all.elastic = std::make_shared<ElasticForce>(corners, g.first_node, std::move(materials), std::move(material_of));
  all.shape = std::make_shared<RigidShapes>(shapes);
  return all;
}

void take_out(const std::vector<bool>& inside, ElementMesh& elements, std::vector<int>& of_element) {
  std::vector<int> corners, materials;
  for (std::size_t e = 0; e < elements.count(); ++e) {
    if (inside[e]) continue;
    const auto nodes = elements.element(e);
    corners.insert(corners.end(), nodes.begin(), nodes.end());
    materials.push_back(of_element[e]);
  }
  elements.corners = std::move(corners);
  of_element = std::move(materials);
}

}  // namespace limber
