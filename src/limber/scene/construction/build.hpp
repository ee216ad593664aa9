#pragma once
/// Scene → Model → Simulation: meshes are made or read, placed and checked, forces and masses assembled.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/force/cavity.hpp"
#include "limber/force/elastic.hpp"
#include "limber/force/rigid_shapes.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/build_contact.hpp"
#include "limber/scene/construction/probe.hpp"
#include "limber/scene/read.hpp"
#include "limber/sim/simulation.hpp"
#include "limber/solve/statics.hpp"

namespace limber {

/// The names of the catalogs: methods, materials, solvers.
Vocabulary vocabulary();

/// A scene from its file, with the catalogs' names. Throws InputError.
Scene load_scene(const std::string& path);

/// A body as it stands in the model. Nodes of all bodies are stacked in the scene's order.
struct Body {
  std::string name;
  TetMesh rest;                               // placed in the world [m]; sheets and networks have no tets, and
                                              // processes that write nothing have nothing of it
  ShowRest show_rest;                         // set where it is made by parts, and `rest` is empty; in body numbering
  int nodes = 0, tets = 0;                    // in all
  Box3 box{};                                 // around it at rest
  std::vector<std::array<int, 3>> triangles;  // of a sheet, in body numbering
  std::vector<std::array<int, 2>> edges;      // of its springs or rods, in body numbering
  std::optional<SurfaceMesh> surface;         // that moves with it, placed: what is drawn and exported
  int first_node = 0;
  int pieces = 1;                             // tetrahedra of `rest` for each element, one after the other
  std::shared_ptr<ElasticForce> elastic;      // of a solid without its rigid parts; at long times, where it is viscous
  std::shared_ptr<ElasticForce> rigid;        // of the corners of rigid parts; none without such
  std::shared_ptr<const RigidShapes> shapes;  // keeps them in shape
  double mass = 0;                            // [kg]
  double wave_speed = 0;                      // [m/s] of pressure waves at rest, the fastest of its materials

  /// Its outside as triangles, in body numbering: the boundary of its tetrahedra, or all of a sheet.
  std::vector<std::array<int, 3>> surface_triangles() const;
};

/// A cavity and its name among all.
struct FilledSpace {
  std::string where, name;
  int body = 0;
  std::shared_ptr<const Cavity> cavity;
};

/// What a force of the system belongs to. Forces stand in the order of their origins.
struct ForceOrigin {
  enum class Group { shape, gravity, body, scene, contact, own } group = Group::shape;
  int body = -1;
  enum class Part { none, damping, thin, springs, choice } part = Part::none;
  int number = 0;  // of a choice
  auto operator<=>(const ForceOrigin&) const = default;
};

struct Model {
  std::shared_ptr<MechanicalSystem> system;
  std::vector<ForceOrigin> origins;  // of its forces
  State start;                       // free degrees of freedom at t = 0, or where and when the scene's `start` says
  std::vector<Body> bodies;
  std::optional<Contact> contact;
  std::vector<Probe> probes;  // of the scene's output
  std::vector<FilledSpace> cavities;
  std::vector<std::string> notes;  // what the user should hear, such as reordered tetrahedra

  /// Begins at this full state (q and v are 3N) instead: what is to be released until then is free. `step`: h [s].
  void start_at(const State& full, double step);
  /// Rigid parts take their shape at a state between two steps, where interpolation strains what turns. On several
  /// processes states stay as they are.
  void straighten(State& u) const;
  /// Smallest det F over all elements, 1 where there are none. q: 3N.
  double min_det_F(const Vector& q) const;
};

/// A force of the user's own, made when the nodes are known: from the full start state (3N).
using ForceMaker = std::function<std::shared_ptr<Force>(const State& start)>;

/// Whether several processes may make bodies by parts. Then a process does not know all nodes.
enum class Making { whole, by_parts };

/// Throws InputError that names the key or the file and line. Several processes each take their share of the elements;
/// all of them call this with the same scene.
Model build_model(const Scene& scene, const std::vector<ForceMaker>& own_forces = {},
                  const Communicator& processes = one_process(), Making making = Making::whole);

MethodSettings method_settings(const MethodChoice& choice);

/// Whether the steps' records hold their stages; see Substep.
enum class StageRecords { none, kept };
Simulation build_simulation(const Scene& scene, const Model& model, StageRecords records = StageRecords::none);

/// Equilibrium under the loads at t = 0, 3N [m].
Vector statics(const Scene& scene, const Model& model, StaticsReport& report, const StaticsWatch& watch = {});

/// A line for each body, or group of bodies that are tied together, that something lets move as a whole, contact aside:
/// statics then has no equilibrium, or many. Empty where several processes share the nodes.
std::vector<std::string> free_bodies(const Model& model);

}  // namespace limber
