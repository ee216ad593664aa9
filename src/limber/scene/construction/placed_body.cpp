#include "limber/scene/construction/placed_body.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/construction/build_rigid.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/construction/mesh_facts.hpp"
#include "limber/scene/construction/parted_shape.hpp"
#include "limber/scene/construction/prescriptions.hpp"

namespace limber {
namespace {

/// Rigid parts leave the elements.
void add_rigid(const BodyChoice& choice, const Vec3& gravity, Body& body, PlacedBody& p, Model& model,
               MechanicalSystem::Parts& parts) {
  auto& m = p.materials;
  RigidParts rigid = rigid_parts(choice, {p.shape.elements, body.rest, p.shape.mesh.nodes, body.first_node, m.materials,
                                          m.of_element, m.density, gravity});
  take_out(rigid.inside, p.shape.elements, m.of_element);
  body.rigid = rigid.elastic;
  body.shapes = rigid.shape;
  parts.forces.push_back(rigid.shape);
  p.rigid = std::move(rigid.parts);
  model.notes.insert(model.notes.end(), rigid.notes.begin(), rigid.notes.end());
}

void add_elastic(Body& body, const PlacedBody& p, MechanicalSystem::Parts& parts) {
  const auto& m = p.materials;
  body.elastic = std::make_shared<ElasticForce>(p.shape.elements, body.first_node, m.materials, m.of_element, m.means);
  auto force = force_with_memory(*body.elastic, p.shape.elements, body.first_node, m);
  parts.forces.push_back(force ? std::move(force) : body.elastic);
}

std::vector<NodalMass> solid_masses(const BodyChoice& choice, const Body& body, const PlacedBody& p) {
  return element_masses(p.shape.elements, body.first_node, p.materials.density,
                        choice.mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent);
}

/// Elasticity and masses of a solid.
void add_solid(const BodyChoice& choice, const Vec3& gravity, Shares& shares, Body& body, PlacedBody& p, Model& model,
               MechanicalSystem::Parts& parts) {
  p.shape.elements.nodes = p.nodes;
  p.materials = body_materials(choice, p.shape);
  body.wave_speed = p.materials.wave_speed;
  p.masses = solid_masses(choice, body, p);
  if (p.part) {
    shares.take_part(*p.part, body.first_node);
    return add_elastic(body, p, parts);
  }
  const bool across_cuts = p.shape.elements.kind == ElementKind::tet4 && p.materials.has_means();
  const auto process_of = shares.cut(p.shape.elements, body.first_node, !choice.rigid.empty() || across_cuts);
  const int here = shares.processes().rank();
  const bool whole = std::all_of(process_of.begin(), process_of.end(), [&](int process) { return process == here; });
  if (!choice.rigid.empty() || !whole) p.all_corners = p.shape.elements.corners;
  if (!choice.rigid.empty()) add_rigid(choice, gravity, body, p, model, parts);
  if (!whole && body.rigid) {  // another process has it all
    parts.forces.back() = body.shapes->elsewhere();
    body.rigid.reset();
    body.shapes.reset();
    p.shape.elements.corners.clear();
    p.materials.of_element.clear();
    p.own.emplace();
  } else if (!whole) {
    keep_own(process_of, here, p.shape.elements, p.materials.of_element, p.materials.density);
    p.own = solid_masses(choice, body, p);
  }
  add_elastic(body, p, parts);
}

void add_points(const BodyChoice& choice, const Body& body, PlacedBody& p) {
  const auto& mass = choice.point_mass;
  if (mass.size() != 1 && mass.size() != p.nodes.size())
    throw InputError(choice.where + ".point_mass",
                     fmt::format("has {} masses for {} nodes", mass.size(), p.nodes.size()));
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const int node = body.first_node + static_cast<int>(i);
    p.masses.push_back({node, node, mass.size() == 1 ? mass[0] : mass[i]});
  }
}

/// What nodes bear beside their own masses, by the diagonal of the mass matrix, which is positive, unlike the row sums
/// of quadratic elements.
std::vector<NodalMass> added_masses(const BodyChoice& choice, const Body& body, const PlacedBody& p) {
  std::vector<NodalMass> all;
  std::vector<double> own(p.nodes.size(), 0);
  if (!choice.masses.empty())
    for (const NodalMass& m : p.masses)
      if (m.a == m.b) own[ix(m.a - body.first_node)] += m.m;
  for (const AddedMass& added : choice.masses) {
    const std::vector<int> nodes = resolve(added.nodes, p.shape.mesh.nodes);
    double sum = 0;
    for (const int i : nodes) sum += own[ix(i)];
    for (const int i : nodes) {
      const int node = body.first_node + i;
      all.push_back({node, node, added.mass * own[ix(i)] / sum});
    }
  }
  return all;
}

}  // namespace

void take_shape(const BodyChoice& choice, Body& body, PlacedBody& p) {
  p.nodes = p.shape.mesh.nodes;
  place(choice, p.nodes);
  body.rest = p.shape.mesh;
  body.pieces = pieces(p.shape.elements.kind);
  body.rest.nodes = p.nodes;
  body.nodes = p.part ? p.part->nodes : static_cast<int>(body.rest.nodes.size());
  body.tets = p.part ? p.part->tets : static_cast<int>(body.rest.tets.size());
  body.box = p.box();
  body.triangles = p.shape.triangles;
  body.surface = p.shape.surface;
  if (body.surface) place(choice, body.surface->positions);
  if (!choice.materials.empty() && body.rest.tets.empty()) body.edges = p.shape.edges;
}

void take_spring_edges(const BodyChoice& choice, const PlacedBody& p, Body& body) {
  if (choice.springs) body.edges = choice.springs->edges ? *choice.springs->edges : all_edges(p.shape);
}

void weigh(const BodyChoice& choice, const Body& body, PlacedBody& p) {
  p.masses = p.thin ? thin_masses(choice, body, p.thin->density) : solid_masses(choice, body, p);
  for (const NodalMass& more : added_masses(choice, body, p)) p.masses.push_back(more);
}

PlacedBody add_body(const BodyChoice& choice, Making making, const Vec3& gravity, const TimeSettings& time,
                    Shares& shares, Model& model, MechanicalSystem::Parts& parts, std::vector<Vec3>& velocities) {
  Body body;
  body.name = choice.name;
  body.first_node = 0;
  for (const auto& b : model.bodies) body.first_node += static_cast<int>(b.rest.nodes.size());
  PlacedBody p;
  if (auto made =
          making == Making::by_parts ? make_parted_shape(choice, shares.processes(), model.notes) : std::nullopt) {
    p.shape = std::move(made->shape);
    p.part = std::move(made->part);
    body.show_rest = std::move(made->show_rest);
  } else {
    p.shape = make_shape(choice, model.notes);
  }
  take_shape(choice, body, p);
  for (const auto& warning : size_warnings(body.box)) model.notes.push_back(choice.where + ": " + warning);
  for (const auto& entry : choice.materials)
    if (const std::string warning = warning_of(entry.second); !warning.empty()) model.notes.push_back(warning);

  if (choice.materials.empty()) {
    add_points(choice, body, p);
  } else if (!body.rest.tets.empty()) {
    add_solid(choice, gravity, shares, body, p, model, parts);
  } else {
    p.thin = made(choice.materials.at("default"));
    p.masses = thin_masses(choice, body, p.thin->density);
    body.wave_speed = thin_wave_speed(body, *p.thin);
  }
  const bool solid = !choice.materials.empty() && !body.rest.tets.empty();
  const int here = shares.processes().rank();
  if (!solid || choice.springs) {
    p.process = shares.take(body.first_node, static_cast<int>(p.nodes.size()));
    if (!solid && p.process != here) p.own.emplace();
  }
  const std::vector<NodalMass> added = added_masses(choice, body, p);
  if (!added.empty() && here != 0 && !p.own) p.own = p.masses;  // process 0 has what is added
  for (const NodalMass& more : added) {
    p.masses.push_back(more);
    shares.hold(0, more.a);
    if (here == 0 && p.own) p.own->push_back(more);
  }
  Vec3 centre = Vec3::Zero();
  for (const auto& m : p.masses) {
    const double weight = (m.a == m.b ? 1 : 2) * m.m;
    body.mass += weight;
    centre += weight / 2 * (p.nodes[ix(m.a - body.first_node)] + p.nodes[ix(m.b - body.first_node)]);
  }
  if (p.part) {
    p.part->processes->sum({centre.data(), 3});
    body.mass = p.part->sum(body.mass);
  }
  centre /= body.mass;
  for (const auto& x : p.nodes) velocities.push_back(choice.velocity + choice.angular_velocity.cross(x - centre));

  take_spring_edges(choice, p, body);
  for (auto& prescription : prescriptions(choice, p, body.first_node, time, model.notes))
    parts.prescriptions.push_back(std::move(prescription));
  const auto& masses = p.masses_here();
  parts.masses.insert(parts.masses.end(), masses.begin(), masses.end());
  parts.length_scale = std::min(parts.length_scale, body.box.diagonal());
  model.bodies.push_back(std::move(body));
  return p;
}

}  // namespace limber
