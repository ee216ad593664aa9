#include "limber/scene/construction/build.hpp"

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
#include "limber/core/nodes.hpp"
#include "limber/force/gravity.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/cavity.hpp"
#include "limber/scene/construction/build_forces.hpp"
#include "limber/scene/construction/build_stitches.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/construction/parted_shape.hpp"
#include "limber/scene/construction/placed_body.hpp"

namespace limber {
namespace {

std::vector<ContactBody> contact_bodies(const Scene& scene, const Model& model, const std::vector<PlacedBody>& placed) {
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
  const std::string file = (std::filesystem::path(choice.run) / run_file::trajectory).string();
  choice.access.require(file, "start.run");
  const TrajectoryReader run(file);
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
  if (!frame.q.allFinite() || !frame.v.allFinite() || !std::isfinite(frame.t))
    throw InputError("start.run", fmt::format("{} has numbers in this frame that are not finite", choice.run));
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

void Model::straighten(State& u) const {
  const auto rigid = [](const Body& b) { return b.shapes != nullptr; };
  if (system->space().shared() || std::none_of(bodies.begin(), bodies.end(), rigid)) return;
  State all = system->full(u);
  for (const Body& b : bodies)
    if (b.shapes) b.shapes->straighten(all);
  u = system->state(all.q, all.v, u.t);
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
  std::vector<PlacedBody> placed;
  std::vector<Vec3> velocities;
  using Group = ForceOrigin::Group;
  using Part = ForceOrigin::Part;
  // Where the forces come from that were added since the last call.
  const auto mark = [&](const ForceOrigin& origin) { model.origins.resize(parts.forces.size(), origin); };
  for (const auto& body : scene.bodies) {
    const bool by_parts = making == Making::by_parts && own_forces.empty() && made_by_parts(scene, body, processes);
    placed.push_back(add_body(body, by_parts ? Making::by_parts : Making::whole, scene.gravity, scene.time, shares,
                              model, parts, velocities));
    mark({Group::shape, static_cast<int>(placed.size()) - 1});
  }
  if (!(parts.length_scale > 0) || !std::isfinite(parts.length_scale)) parts.length_scale = 1;  // a single point

  int nodes = 0, all_nodes = 0;  // known here, and of the scene
  std::vector<int> number;       // of the former among the latter
  for (std::size_t b = 0; b < placed.size(); ++b) {
    const int count = static_cast<int>(placed[b].nodes.size());
    for (int i = 0; i < count; ++i) number.push_back(all_nodes + placed[b].node_number(i));
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

  for (PlacedBody& p : placed)
    for (AffinePart& part : p.rigid)
      parts.ties.insert(parts.ties.end(), std::move_iterator(part.ties.begin()), std::move_iterator(part.ties.end()));
  if (!scene.stitches.empty()) {
    StitchGround ground{scene, model.bodies, {}};
    for (const PlacedBody& p : placed) ground.meshed.push_back(&p.shape.mesh.nodes);
    add_stitches(ground, parts, model.notes);
  }
  Vector nodal = Vector::Zero(nodes);
  add_row_sums(parts.masses, nodal);
  if (!scene.gravity.isZero(0)) parts.forces.push_back(std::make_shared<Gravity>(nodal, scene.gravity));
  mark({Group::gravity});
  for (const ProbeChoice& probe : scene.output.probes)
    model.probes.push_back(make_probe(probe, model.bodies[ix(probe.body)], placed[ix(probe.body)].elements(),
                                      placed[ix(probe.body)].part ? &processes : nullptr));
  ForceNodes all{{}, parts.positions};
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    all.bodies.push_back(force_nodes(scene.bodies[b], model.bodies[b], placed[b]));
  const auto add_small = [&](std::shared_ptr<Force> force) {
    shares.hold_for_first(*force);
    parts.forces.push_back(shares.seen(std::move(force), 0));
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto& choice = scene.bodies[b];
    const auto& body = model.bodies[b];
    const PlacedBody& p = placed[b];
    const int number = static_cast<int>(b);
    if (choice.damping.any() && body.elastic)
      parts.forces.push_back(make_damping(choice.damping, body, p, p.masses_here(), parts.positions));
    mark({Group::body, number, Part::damping});
    if (p.thin)
      for (auto& force : thin_forces(choice, body, *p.thin, p.masses, parts.positions))
        parts.forces.push_back(shares.seen(std::move(force), p.process));
    mark({Group::body, number, Part::thin});
    if (choice.springs)
      parts.forces.push_back(shares.seen(make_springs(*choice.springs, body, parts.positions), p.process));
    mark({Group::body, number, Part::springs});
    for (std::size_t i = 0; i < choice.forces.size(); ++i) {
      auto made = choice.forces[i]->make(all);
      add_cavity(*choice.forces[i], made, choices_of<CavityChoice>(choice.forces).size(), model);
      add_small(std::move(made));
      mark({Group::body, number, Part::choice, static_cast<int>(i)});
    }
  }
  for (std::size_t i = 0; i < scene.forces.size(); ++i) {
    add_small(scene.forces[i]->make(all));
    mark({Group::scene, -1, Part::choice, static_cast<int>(i)});
  }
  if (scene.contact) {
    model.contact = build_contact(scene, contact_bodies(scene, model, placed), parts.positions, model.notes, processes);
    const ContactScene& touching = model.contact->collisions->scene();
    for (const int node : touching.surface.points)
      if (node < touching.body_nodes) shares.hold_everywhere(node);
    for (const auto& force : model.contact->forces) parts.forces.push_back(force);
    mark({Group::contact});
    parts.gaps = model.contact->gaps;
    // The barrier needs no rule, but who guesses where things go asks what is near.
    if (!parts.gaps) parts.gaps = std::make_shared<CollisionGaps>(model.contact->collisions, GapRule::none);
  }
  const bool decided = scene.method.name != MethodChoice::to_be_decided;
  const auto& method = find_method(decided ? scene.method.name : MethodChoice().name);
  if ((method.kind == MethodKind::exponential || method.kind == MethodKind::explicit_) &&
      std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.rigid != nullptr; }))
    model.notes.push_back(method.name + " needs very short steps where parts are rigid; implicit methods do not");
  const State start{parts.positions, v, 0};
  for (const auto& make : own_forces) parts.forces.push_back(make(start));
  mark({Group::own});

  parts.holders = shares.holders(std::move(number), all_nodes, parts.ties);
  for (Probe& probe : model.probes) probe.find_speaker(parts.holders);
  model.system = std::make_shared<MechanicalSystem>(std::move(parts));
  model.start = model.system->state(start.q, start.v, 0);
  for (Body& body : model.bodies)
    if (body.show_rest || shares.processes().rank() > 0) body.rest = TetMesh();  // or who writes nothing
  if (scene.start) model.start_at(frame_of_run(*scene.start, nodes), scene.time.accuracy ? 0 : scene.time.step);
  placed = std::vector<PlacedBody>();
  give_back_memory();
  return model;
}

}  // namespace limber
