#include "limber/scene/build/build.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "limber/contact/forces/collision_gaps.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/memory.hpp"
#include "limber/core/names.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/gravity.hpp"
#include "limber/force/mass.hpp"
#include "limber/force/rayleigh.hpp"
#include "limber/force/viscoelastic.hpp"
#include "limber/linalg/solvers/petsc_solver.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/build/body_materials.hpp"
#include "limber/scene/build/body_shape.hpp"
#include "limber/scene/build/build_forces.hpp"
#include "limber/scene/build/build_rigid.hpp"
#include "limber/scene/build/build_stitches.hpp"
#include "limber/scene/build/build_thin.hpp"
#include "limber/scene/build/mesh_facts.hpp"
#include "limber/scene/build/parted_shape.hpp"
#include "limber/scene/build/shares.hpp"
#include "limber/scene/cavity.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {
namespace {

/// The end of the step that is nearest to the time, the first one's at least [s].
double released(double until, const std::string& where, const TimeSettings& time, std::vector<std::string>& notes) {
  const double end = std::max(1.0, std::round(until / time.step)) * time.step;
  if (end > time.duration + time.step / 2)
    notes.push_back(fmt::format("{}.until: {:.6g} s is after the end of the run, {:.6g} s: the nodes are never free",
                                where, until, time.duration));
  else if (std::abs(end - until) > 1e-6 * time.step)
    notes.push_back(fmt::format(
        "{}.until: the nodes are free from {:.6g} s on, the end of the step nearest to {:.6g} s", where, end, until));
  return end;
}

/// The projection on what `held` holds beyond `before`.
Mat3 rest_of(const Mat3& held, const Mat3& before) {
  Mat3 rest = Mat3::Zero();
  const Mat3 beyond = held - before * held;
  for (int c = 0; c < 3; ++c) {
    const Vec3 d = beyond.col(c) - rest * beyond.col(c);
    if (d.norm() > 1e-6) rest += d.normalized() * d.normalized().transpose();
  }
  return rest;
}

struct Placed {
  BodyShape shape;                   // as meshed
  std::optional<BodyPart> part;      // where these are the elements of one process
  std::vector<Vec3> nodes;           // placed
  std::vector<NodalMass> masses;     // of all processes, unless it is a part
  std::vector<NodalMass> own;        // of this one, where several share the elements
  BodyMaterials materials;           // of a solid
  std::optional<MadeMaterial> thin;  // of a sheet or a rod
  int process = 0;                   // that takes what is not cut: sheets, rods and springs
  std::vector<int> all_corners;      // of all elements, where those of the shape are fewer: rigid or of one process

  /// All elements of the body.
  ElementMesh elements() const {
    return {shape.elements.kind, nodes, all_corners.empty() ? shape.elements.corners : all_corners};
  }
  FaceMesh faces() const {
    return shape.mesh.tets.empty() ? triangle_faces(shape.triangles) : boundary_faces(elements());
  }
  std::vector<int> chosen(const Selection& selection) const {
    return part ? resolve(selection, shape.mesh.nodes, *part) : resolve(selection, shape.mesh.nodes);
  }
  int node_number(int i) const { return part ? part->number[ix(i)] : i; }
  /// The box around these nodes, and around all.
  Box3 box_around(const std::vector<int>& these) const { return box_around(picked(these, nodes)); }
  Box3 box() const { return box_around(nodes); }
  Box3 box_around(const std::vector<Vec3>& points) const {
    if (!part) return bounding_box(points);
    const Vec3 far = Vec3::Constant(std::numeric_limits<double>::infinity());
    return part->united(points.empty() ? Box3{far, -far} : bounding_box(points));
  }
};

std::vector<Prescription> prescriptions(const BodyChoice& body, const Placed& placed, int first,
                                        const TimeSettings& time, std::vector<std::string>& notes) {
  struct Taken {
    std::string where;
    Mat3 held = Mat3::Zero();
    bool for_ever = true;  // by pins
  };
  std::vector<Prescription> list;
  std::map<int, Taken> taken;
  enum class Kind { pin, script };
  const auto add = [&](Kind kind, const Selection& selection, const std::string& where, Motion motion,
                       std::optional<double> until, const Mat3& held) {
    Prescription p{{}, std::move(motion)};
    if (until) p.until = released(*until, where, time, notes);
    p.held = held;
    const std::size_t first_of_these = list.size();
    const bool for_ever = kind == Kind::pin && !until;
    for (const int i : placed.chosen(selection)) {
      Taken& t = taken.try_emplace(i, Taken{where}).first->second;
      const bool twice = !(t.held * held).isZero(1e-9);
      if (twice && !(for_ever && t.for_ever))
        throw InputError(where, fmt::format("node {} of '{}' is already prescribed by {}", placed.node_number(i),
                                            body.name, t.where));
      const Mat3 more = twice ? rest_of(held, t.held) : held;  // where planes of symmetry meet
      t.held += more;
      t.for_ever = t.for_ever && for_ever;
      if (!twice)
        p.nodes.push_back(first + i);
      else if (!more.isZero(0))
        list.push_back({{first + i}, p.motion, p.until, more});
    }
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(first_of_these), std::move(p));
  };
  const Mat3 whole = Mat3::Identity();
  if (!body.pin.empty()) add(Kind::pin, body.pin, body.where + ".pin", {}, {}, whole);
  for (const auto& pin : body.pin_entries) add(Kind::pin, pin.nodes, pin.where, {}, pin.until, pin.held);
  for (const auto& script : body.scripts) {
    const Vec3 pivot = script.pivot ? *script.pivot : placed.box_around(placed.chosen(script.nodes)).middle();
    add(Kind::script, script.nodes, script.where, keyed_motion(script.keys, script.interpolation, pivot, script.where),
        script.until, script.held);
  }
  const bool for_ever =
      std::all_of(list.begin(), list.end(), [](const Prescription& p) { return std::isinf(p.until); });
  const auto is_whole = [&](const auto& t) { return t.second.held.isIdentity(1e-9); };
  const std::size_t nodes = placed.nodes.size();
  const bool none_free = taken.size() == nodes && std::all_of(taken.begin(), taken.end(), is_whole) && for_ever;
  if (placed.part ? placed.part->sum(none_free ? 0 : 1) == 0 : none_free)
    throw InputError(body.where, fmt::format("all {} nodes of '{}' are prescribed: none is free to move",
                                             placed.part ? placed.part->nodes : static_cast<int>(nodes), body.name));
  return list;
}

/// Rigid parts leave the elements and become ties.
void add_rigid(const BodyChoice& choice, const Vec3& gravity, Body& body, Placed& p, Model& model,
               MechanicalSystem::Parts& parts) {
  auto& m = p.materials;
  RigidParts rigid = rigid_parts(choice, {p.shape.elements, body.rest, p.shape.mesh.nodes, body.first_node, m.materials,
                                          m.of_element, m.density, gravity});
  take_out(rigid.inside, p.shape.elements, m.of_element);
  body.rigid = rigid.elastic;
  parts.forces.push_back(rigid.shape);
  parts.ties.insert(parts.ties.end(), rigid.ties.begin(), rigid.ties.end());
  model.notes.insert(model.notes.end(), rigid.notes.begin(), rigid.notes.end());
}

void add_elastic(Body& body, const Placed& p, MechanicalSystem::Parts& parts) {
  const auto& m = p.materials;
  body.elastic = std::make_shared<ElasticForce>(p.shape.elements, body.first_node, m.materials, m.of_element, m.means);
  if (m.viscous())
    parts.forces.push_back(std::make_shared<ViscoelasticForce>(p.shape.elements, body.first_node, m.materials,
                                                               m.viscosities, m.of_element, m.means));
  else
    parts.forces.push_back(body.elastic);
}

/// Elasticity and masses of a solid.
void add_solid(const BodyChoice& choice, const Vec3& gravity, Shares& shares, Body& body, Placed& p, Model& model,
               MechanicalSystem::Parts& parts) {
  p.shape.elements.nodes = p.nodes;
  p.materials = body_materials(choice, p.shape);
  body.wave_speed = p.materials.wave_speed;
  const auto masses = [&] {
    return element_masses(p.shape.elements, body.first_node, p.materials.density,
                          choice.mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent);
  };
  p.masses = masses();
  if (p.part) {
    shares.take_part(*p.part, body.first_node);
    p.own = p.masses;
    return add_elastic(body, p, parts);
  }
  if (!choice.rigid.empty() || shares.shared()) p.all_corners = p.shape.elements.corners;
  // Means around nodes reach across cuts.
  const bool around_nodes =
      p.shape.elements.kind == ElementKind::tet4 &&
      std::any_of(p.materials.means.bulk.begin(), p.materials.means.bulk.end(), [](double k) { return k > 0; });
  const auto process_of = shares.cut(p.shape.elements, body.first_node, !choice.rigid.empty() || around_nodes);
  if (!choice.rigid.empty()) add_rigid(choice, gravity, body, p, model, parts);
  if (shares.shared()) {
    if (body.rigid) {  // one process has it all
      const int process = process_of.front();
      parts.forces.back() = shares.seen(std::move(parts.forces.back()), process);
      if (process != shares.processes().rank()) {
        body.rigid.reset();
        p.shape.elements.corners.clear();
        p.materials.of_element.clear();
      } else {
        p.own = p.masses;
      }
    } else {
      keep_own(process_of, shares.processes().rank(), p.shape.elements, p.materials.of_element, p.materials.density);
      p.own = masses();
    }
  }
  add_elastic(body, p, parts);
}

void add_points(const BodyChoice& choice, const Body& body, Placed& p) {
  const auto& mass = choice.point_mass;
  if (mass.size() != 1 && mass.size() != p.nodes.size())
    throw InputError(choice.where + ".point_mass",
                     fmt::format("has {} masses for {} nodes", mass.size(), p.nodes.size()));
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const int node = body.first_node + static_cast<int>(i);
    p.masses.push_back({node, node, mass.size() == 1 ? mass[0] : mass[i]});
  }
}

/// By the diagonal of the mass matrix, which is positive, unlike the row sums of quadratic elements.
void add_masses(const BodyChoice& choice, Shares& shares, const Body& body, Placed& p) {
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
      const NodalMass more{node, node, added.mass * own[ix(i)] / sum};
      p.masses.push_back(more);
      shares.hold(0, node);
      if (shares.shared() && shares.processes().rank() == 0) p.own.push_back(more);
    }
  }
}

void add_body(const BodyChoice& choice, Making making, const Vec3& gravity, const TimeSettings& time, Shares& shares,
              Model& model, MechanicalSystem::Parts& parts, std::vector<Placed>& placed,
              std::vector<Vec3>& velocities) {
  Body body;
  body.name = choice.name;
  body.first_node = 0;
  for (const auto& b : model.bodies) body.first_node += static_cast<int>(b.rest.nodes.size());
  Placed p;
  if (auto made =
          making == Making::by_parts ? make_parted_shape(choice, shares.processes(), model.notes) : std::nullopt) {
    p.shape = std::move(made->shape);
    p.part = std::move(made->part);
    body.show_rest = std::move(made->show_rest);
  } else {
    p.shape = make_shape(choice, model.notes);
  }
  p.nodes = p.shape.mesh.nodes;
  place(choice, p.nodes);
  const Box3 box = p.box();
  for (const auto& warning : size_warnings(box)) model.notes.push_back(choice.where + ": " + warning);
  for (const auto& entry : choice.materials)
    if (const std::string warning = warning_of(entry.second); !warning.empty()) model.notes.push_back(warning);
  body.rest = p.shape.mesh;
  body.pieces = pieces(p.shape.elements.kind);
  body.rest.nodes = p.nodes;
  body.nodes = p.part ? p.part->nodes : static_cast<int>(body.rest.nodes.size());
  body.tets = p.part ? p.part->tets : static_cast<int>(body.rest.tets.size());
  body.box = box;
  body.triangles = p.shape.triangles;
  body.surface = p.shape.surface;
  if (body.surface) place(choice, body.surface->positions);

  if (choice.materials.empty()) {
    add_points(choice, body, p);
  } else if (!body.rest.tets.empty()) {
    add_solid(choice, gravity, shares, body, p, model, parts);
  } else {
    p.thin = made(choice.materials.at("default"));
    body.edges = p.shape.edges;
    p.masses = thin_masses(choice, body, p.thin->density);
    body.wave_speed = thin_wave_speed(body, *p.thin);
  }
  const bool solid = !choice.materials.empty() && !body.rest.tets.empty();
  if (shares.shared() && (!solid || choice.springs)) {
    p.process = shares.take(body.first_node, static_cast<int>(p.nodes.size()));
    if (!solid && p.process == shares.processes().rank()) p.own = p.masses;
  }
  add_masses(choice, shares, body, p);
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

  if (choice.springs) body.edges = choice.springs->edges ? *choice.springs->edges : all_edges(p.shape);
  for (auto& prescription : prescriptions(choice, p, body.first_node, time, model.notes))
    parts.prescriptions.push_back(std::move(prescription));
  const auto& masses = shares.shared() ? p.own : p.masses;
  parts.masses.insert(parts.masses.end(), masses.begin(), masses.end());
  parts.length_scale = std::min(parts.length_scale, box.diagonal());
  model.bodies.push_back(std::move(body));
  placed.push_back(std::move(p));
}

std::vector<ContactBody> contact_bodies(const Scene& scene, const Model& model, const std::vector<Placed>& placed) {
  std::vector<ContactBody> bodies;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyChoice& choice = scene.bodies[b];
    const Body& body = model.bodies[b];
    ContactBody c{&choice, &body, placed[b].materials.young,
                  0,       {},    choice.pin.empty() && choice.pin_entries.empty() && choice.scripts.empty()};
    for (const StitchChoice& s : scene.stitches)
      if (s.body == static_cast<int>(b) || s.to == static_cast<int>(b)) c.movable = false;
    if (choice.springs) c.spring = choice.springs->stiffness;
    if (placed[b].thin) c.spring += placed[b].thin->young * choice.thickness;
    c.mass.assign(body.rest.nodes.size(), 0);
    for (const NodalMass& m : placed[b].masses) {
      c.mass[ix(m.a - body.first_node)] += m.m;
      if (m.a != m.b) c.mass[ix(m.b - body.first_node)] += m.m;
    }
    bodies.push_back(std::move(c));
  }
  return bodies;
}

std::shared_ptr<Force> make_damping(const DampingChoice& choice, const Body& body, const Placed& placed,
                                    const std::vector<NodalMass>& masses, const Vector& positions) {
  const auto product = [elastic = body.elastic](const Vector& q, const Vector& x, Vector& y) {
    elastic->add_stiffness_product(q, x, y);
  };
  constexpr RayleighAt kinds[] = {RayleighAt::rest, RayleighAt::current, RayleighAt::frozen};
  // A second elastic force, since the damping binds it to a pattern of its own that holds the prescribed nodes too.
  auto elastic = std::make_unique<ElasticForce>(placed.shape.elements, body.first_node, placed.materials.materials,
                                                placed.materials.of_element, placed.materials.means);
  return std::make_shared<RayleighDamping>(std::move(elastic), product, masses, positions,
                                           RayleighCoefficients{choice.stiffness, choice.mass},
                                           kinds[static_cast<int>(choice.at)]);
}

/// Where the force of a scene is a cavity: names it, for its columns in the table. `siblings`: cavities of the body.
void add_cavity(const ForceChoice& choice, const std::shared_ptr<Force>& force, std::size_t siblings, Model& model) {
  const auto* cavity = dynamic_cast<const CavityChoice*>(&choice);
  if (!cavity) return;
  std::string name = cavity->name;
  if (name.empty()) {
    std::size_t number = 1;
    for (const FilledSpace& other : model.cavities) number += other.body == cavity->body;
    name = model.bodies[ix(cavity->body)].name;
    if (siblings > 1) name += fmt::format(".{}", number);
  }
  for (const FilledSpace& other : model.cavities)
    if (other.name == name)
      throw InputError(cavity->where + ".name", fmt::format("'{}' is already the name of {}", name, other.where));
  model.cavities.push_back({cavity->where, name, cavity->body, std::dynamic_pointer_cast<const Cavity>(force)});
}

/// What only one process can do, by name.
void refuse_in_parallel(const Scene& scene, const std::vector<ForceMaker>& own_forces) {
  const auto refuse = [](const std::string& where, const std::string& what) {
    throw InputError(where, what + " on several processes; run it on one");
  };
  if (scene.contact && scene.contact->formulation != ContactChoice::Formulation::barrier)
    refuse("contact.formulation", "inequalities are not possible");
  if (scene.contact && scene.contact->surface == ContactChoice::Surface::smooth)
    refuse("contact.surface", "\"smooth\" is not possible yet");
  for (const BodyChoice& body : scene.bodies) {
    for (const auto& entry : body.materials)
      if (!entry.second.viscosity.empty()) refuse(entry.second.where + ".viscosity", "viscosity is not possible");
    for (const CavityChoice& cavity : choices_of<CavityChoice>(body.forces))
      refuse(cavity.where, "cavities are not possible");
  }
  if (!own_forces.empty()) refuse("forces", "forces of a program's own are not possible");
}

/// The full state of a frame of a run. `nodes`: of the scene.
State frame_of_run(const StartChoice& choice, int nodes) {
  const TrajectoryReader run((std::filesystem::path(choice.run) / run_file::trajectory).string());
  const long frames = run.frames();
  if (frames == 0) throw InputError("start.run", choice.run + " has no frames yet");
  if (choice.frame && *choice.frame >= frames)
    throw InputError("start.frame", fmt::format("{}: {} has frames 0 to {}", *choice.frame, choice.run, frames - 1));
  if (run.header().velocities == Velocities::omit)
    throw InputError("start.run",
                     fmt::format("{} has no velocities; run it again with output.velocities: true", choice.run));
  Frame frame = run.frame(choice.frame.value_or(frames - 1));
  if (frame.q.size() != 3 * static_cast<Index>(nodes))
    throw InputError("start.run", fmt::format("{} has {} nodes, the bodies of this scene have {}", choice.run,
                                              frame.q.size() / 3, nodes));
  return {std::move(frame.q), std::move(frame.v), frame.t};
}

}  // namespace

Vocabulary vocabulary() {
  Vocabulary v;
  for (const auto& m : method_catalog()) {
    v.methods.push_back(m.name);
    if (m.memory.acceleration) v.without_modes[m.name] = newmark_splits_no_modes;
  }
  for (const auto& m : material_catalog()) v.materials.push_back(m.name);
  v.solvers = linear_solver_names();
  return v;
}

Scene load_scene(const std::string& path) {
  return read_scene(Document::load(path), vocabulary(), std::filesystem::path(path).parent_path().string());
}

std::vector<std::array<int, 3>> Body::surface_triangles() const {
  return rest.tets.empty() ? triangles : boundary_triangles(rest);
}

double Model::min_det_F(const Vector& q) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& b : bodies)
    for (const auto& force : {b.elastic, b.rigid})
      if (force) least = std::min(least, force->min_det_F(q));
  least = system->space().min(least);
  return std::isfinite(least) ? least : 1;
}

void Model::start_at(const State& full, double step) {
  while (system->next_release() <= full.t + .25 * step) system->release_next();
  start = system->state(full.q, full.v, full.t);
}

Model build_model(const Scene& scene, const std::vector<ForceMaker>& own_forces, const Communicator& processes,
                  Making making) {
  Model model;
  Shares shares(processes);
  if (shares.shared()) refuse_in_parallel(scene, own_forces);
  MechanicalSystem::Parts parts;
  parts.length_scale = std::numeric_limits<double>::infinity();
  std::vector<Placed> placed;
  std::vector<Vec3> velocities;
  for (const auto& body : scene.bodies) {
    const bool by_parts = making == Making::by_parts && own_forces.empty() && made_by_parts(scene, body, processes);
    add_body(body, by_parts ? Making::by_parts : Making::whole, scene.gravity, scene.time, shares, model, parts, placed,
             velocities);
  }
  if (!(parts.length_scale > 0) || !std::isfinite(parts.length_scale)) parts.length_scale = 1;  // a single point

  int nodes = 0, all_nodes = 0;  // known here, and of the scene
  std::vector<int> number;       // of the former among the latter
  for (std::size_t b = 0; b < placed.size(); ++b) {
    const int count = static_cast<int>(placed[b].nodes.size());
    for (int i = 0; shares.shared() && i < count; ++i) number.push_back(all_nodes + placed[b].node_number(i));
    nodes += count;
    all_nodes += model.bodies[b].nodes;
  }
  parts.positions.resize(3 * nodes);
  Vector v(3 * nodes);
  for (int i = 0, b = 0; b < static_cast<int>(placed.size()); ++b)
    for (const auto& x : placed[ix(b)].nodes) {
      parts.positions.segment<3>(3 * i) = x;
      v.segment<3>(3 * i) = velocities[ix(i)];
      ++i;
    }

  if (!scene.stitches.empty()) {
    StitchGround ground{scene, model.bodies, {}};
    for (const Placed& p : placed) ground.meshed.push_back(&p.shape.mesh.nodes);
    add_stitches(ground, parts, model.notes);
  }
  Vector nodal = Vector::Zero(nodes);
  add_row_sums(parts.masses, nodal);
  if (!scene.gravity.isZero(0)) parts.forces.push_back(std::make_shared<Gravity>(nodal, scene.gravity));
  for (const ProbeChoice& probe : scene.output.probes)
    model.probes.push_back(make_probe(probe, model.bodies[ix(probe.body)], placed[ix(probe.body)].elements(),
                                      placed[ix(probe.body)].part ? &processes : nullptr));
  ForceNodes all{{}, parts.positions};
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    all.bodies.push_back(
        {placed[b].shape.mesh.nodes, placed[b].nodes, model.bodies[b].first_node,
         [&body = model.bodies[b]] { return body.surface_triangles(); }, [&p = placed[b]] { return p.faces(); },
         placed[b].chosen(scene.bodies[b].pin),
         model.bodies[b].rest.tets.empty() ? ForceNodes::Body::Kind::sheet : ForceNodes::Body::Kind::solid});
  const auto add_small = [&](std::shared_ptr<Force> force) {
    shares.hold_for_first(*force);
    parts.forces.push_back(shares.seen(std::move(force), 0));
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto& choice = scene.bodies[b];
    const auto& body = model.bodies[b];
    const Placed& p = placed[b];
    if (choice.damping.any() && body.elastic)
      parts.forces.push_back(
          make_damping(choice.damping, body, p, shares.shared() ? p.own : p.masses, parts.positions));
    if (p.thin)
      for (auto& force : thin_forces(choice, body, *p.thin, p.masses, parts.positions))
        parts.forces.push_back(shares.seen(std::move(force), p.process));
    if (choice.springs)
      parts.forces.push_back(shares.seen(make_springs(*choice.springs, body, parts.positions), p.process));
    for (const auto& force : choice.forces) {
      auto made = force->make(all);
      add_cavity(*force, made, choices_of<CavityChoice>(choice.forces).size(), model);
      add_small(std::move(made));
    }
  }
  for (const auto& force : scene.forces) add_small(force->make(all));
  if (scene.contact) {
    model.contact = build_contact(scene, contact_bodies(scene, model, placed), parts.positions, model.notes, processes);
    const ContactScene& touching = model.contact->collisions->scene();
    for (const int node : touching.surface.points)
      if (node < touching.body_nodes) shares.hold_everywhere(node);
    for (const auto& force : model.contact->forces) parts.forces.push_back(force);
    parts.gaps = model.contact->gaps;
    // The barrier needs no rule, but who guesses where things go asks what is near.
    if (!parts.gaps) parts.gaps = std::make_shared<CollisionGaps>(model.contact->collisions, GapRule::none);
  }
  const auto& method = find_method(scene.method.name);
  if ((method.kind == MethodKind::exponential || method.kind == MethodKind::explicit_) &&
      std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.rigid != nullptr; }))
    model.notes.push_back(method.name + " needs very short steps where parts are rigid; implicit methods do not");
  const State start{parts.positions, v, 0};
  for (const auto& make : own_forces) parts.forces.push_back(make(start));

  parts.holders = shares.holders(std::move(number), all_nodes, parts.ties);
  for (Probe& probe : model.probes) probe.find_speaker(parts.holders);
  model.system = std::make_shared<MechanicalSystem>(std::move(parts));
  model.start = model.system->state(start.q, start.v, 0);
  for (Body& body : model.bodies)
    if (body.show_rest || shares.processes().rank() > 0) body.rest = TetMesh();  // or who writes nothing
  if (scene.start) model.start_at(frame_of_run(*scene.start, nodes), scene.time.step);
  placed = std::vector<Placed>();
  give_back_memory();
  return model;
}

ModeSearch mode_search(const MethodChoice& choice) {
  if (choice.mode_search == "together") return ModeSearch::together;
  return choice.mode_search == "each" ? ModeSearch::each : ModeSearch::automatic;
}

MethodSettings method_settings(const MethodChoice& choice) {
  MethodSettings s;
  s.name = choice.name;
  s.parameters = choice.parameters;
  s.options.modes.count = choice.modes;
  if (choice.refresh) s.options.modes.refresh = *choice.refresh;
  s.options.modes.search = mode_search(choice);
  s.options.modes.negative = choice.negative_modes == "clamp" ? NegativeModes::clamp : NegativeModes::grow;
  if (choice.krylov_tolerance) s.options.krylov_tolerance = *choice.krylov_tolerance;
  s.options.stages.linear_solver = choice.solver;
  if (choice.linear_tolerance) s.options.stages.linear_tolerance = *choice.linear_tolerance;
  s.options.stages.newton.tolerance = choice.newton_tolerance;
  if (choice.max_iterations) s.options.stages.newton.max_iterations = *choice.max_iterations;
  s.options.stages.newton.merit = choice.merit == "potential"  ? Merit::potential
                                  : choice.merit == "residual" ? Merit::residual
                                                               : Merit::automatic;
  s.options.stages.newton.solver = choice.nonlinear == "lbfgs" ? NonlinearSolver::lbfgs : NonlinearSolver::newton;
  s.options.stages.scaling = choice.residual_scaling == "identity" ? ResidualScaling::identity
                             : choice.residual_scaling == "rows"   ? ResidualScaling::rows
                             : choice.residual_scaling == "stage"  ? ResidualScaling::stage
                                                                   : ResidualScaling::mass;
  return s;
}

Simulation build_simulation(const Scene& scene, const Model& model) {
  if (!scene.method.petsc.empty() && !same_name(scene.method.solver, "petsc") &&
      !same_name(scene.method.solver, "mumps"))
    throw InputError("method.petsc",
                     "is for the solvers \"petsc\" and \"mumps\"; method.solver is \"" + scene.method.solver + "\"");
  set_petsc_options(scene.method.petsc);
  model.system->claim(model.start.q.size());  // as it was made, also after another simulation
  const bool potential = model.system->potentials(model.start).has_value();
  if (scene.method.merit == "potential" && !potential)
    throw InputError("method.merit",
                     "\"potential\" is not possible here: a force has no potential; use \"auto\" or \"residual\"");
  if (scene.method.nonlinear == "lbfgs" && !potential)
    throw InputError("method.nonlinear", "\"lbfgs\" is not possible here: a force has no potential; use \"newton\"");
  if (scene.method.nonlinear == "lbfgs" && scene.method.merit == "residual")
    throw InputError("method.nonlinear",
                     "\"lbfgs\" lowers the potential, not the residual; use \"newton\", or \"merit\": \"auto\"");
  if (model.system->gap_rule() != GapRule::none && !potential)
    throw InputError("contact.formulation", "inequalities need forces with a potential; use \"barrier\"");
  if (model.system->gap_rule() != GapRule::none && !model.cavities.empty())
    throw InputError("contact.formulation",
                     fmt::format("inequalities are not possible beside {}; use \"barrier\"", model.cavities[0].where));
  MethodSettings method = method_settings(scene.method);
  if (model.contact && !scene.method.max_iterations) method.options.stages.newton.max_iterations = 200;
  return Simulation(model.system, method, scene.time.step, model.start);
}

Vector statics(const Scene& scene, const Model& model, StaticsReport& report) {
  auto& system = *model.system;
  if (system.gap_rule() != GapRule::none)
    throw InputError("contact.formulation", "an equilibrium is found with \"barrier\" only");
  NewtonOptions options = method_settings(scene.method).options.stages.newton;
  options.tolerance *= system.length_scale();
  options.scale *= system.length_scale();
  if (model.contact && !scene.method.max_iterations) options.max_iterations = 200;
  const auto linear = make_linear_solver(
      scene.method.solver, system.symmetric() ? Symmetry::symmetric : Symmetry::general, system.traits().nodes);
  const Vector q = solve_statics(system, model.start, *linear, options, report);
  return system.everywhere({q, Vector::Zero(q.size()), 0}).q;
}

}  // namespace limber
