#pragma once
/// A scene as plain data, in SI units: what the JSON says, checked for form, with every default filled in.
/// Nothing here is meshed, assembled or opened; docs/scene.md explains every key.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/material/viscosity.hpp"
#include "limber/mesh/fill/tetrahedralize.hpp"
#include "limber/mesh/hex_mesh.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/mesh/shapes/creature.hpp"
#include "limber/mesh/shapes/shapes.hpp"
#include "limber/mesh/shapes/tree.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/model/time_function.hpp"
#include "limber/scene/force_choice.hpp"
#include "limber/scene/selection.hpp"
#include "limber/time/modal/subspace.hpp"
#include "limber/time/stage.hpp"

namespace limber {

/// Steps whose lengths follow their error.
struct AccuracyChoice {
  double accuracy = 0;                      // [m] of positions at the end of the run
  std::optional<double> longest, shortest;  // [s] of steps
};

struct TimeSettings {
  double step = 0;      // [s] of each step, or the longest one where `accuracy` is given
  double duration = 0;  // [s]
  std::optional<AccuracyChoice> accuracy = {};

  /// A length of steps [s] for whatever is fixed before the first one.
  double typical_step() const;
  double shortest_step() const;
};

/// Where the motion begins: at a frame of a run of the same bodies.
struct StartChoice {
  std::string run;            // its folder
  std::optional<long> frame;  // from 0; unset: the last
  FileAccess access = {};
};

struct MethodChoice {
  static constexpr const char* to_be_decided = "auto";
  std::string name = "TR-BDF2";  // as the catalog spells it, or to_be_decided
  /// Only those given: beta, gamma, rho_inf, alpha, theta, freeze (0 or 1).
  std::map<std::string, double> parameters;
  std::optional<int> modes;                        // that a hybrid splits off
  std::optional<Refresh> refresh;                  // of the modes
  ModeSearch mode_search = ModeSearch::automatic;  // of several processes
  NegativeModes negative_modes = NegativeModes::grow;
  std::optional<double> krylov_tolerance;  // relative, of the exponential
  double newton_tolerance = 1e-6;          // × the diagonal of the body's box
  std::optional<int> max_iterations;       // unset: the nonlinear solver's own limit
  std::optional<double> linear_tolerance;  // relative; unset: the linear solver's own choice
  std::string solver = "auto";
  std::string petsc;  // options of PETSc itself
  Merit merit = Merit::automatic;
  ResidualScaling residual_scaling = ResidualScaling::mass;
  NonlinearSolver nonlinear = NonlinearSolver::newton;
};

struct BoxShape {
  Vec3 origin = Vec3::Zero();  // [m] the corner with the smallest coordinates
  Vec3 size = Vec3::Zero();    // [m]
  std::array<int, 3> cells = {1, 1, 1};
  Split split = Split::five;
};

/// A shape with its own parameters. Where `aim` is set, the resolution is the one that comes nearest to `target` of
/// them.
struct ProceduralShape {
  std::variant<CylinderShape, SphereShape, ShellShape, TorusShape, RopeShape, TreeShape, CreatureShape, BridgeShape>
      shape;
  std::optional<Count> aim;
  std::size_t target = 0;
};

/// Tetrahedra or hexahedra; or, in a format of surfaces, the triangles of a sheet or the lines of a network.
struct MeshFile {
  std::string path;  // already joined with the scene's folder
  FileAccess access = {};
};

/// A surface that is filled with tetrahedra and moves with them. At most one of resolution and aim is set.
struct SurfaceFile {
  std::string path;                  // already joined with the scene's folder
  std::optional<double> resolution;  // [m]; unset, and aim too: a part of the surface's diagonal
  std::optional<Count> aim;
  std::size_t target = 0;
  std::size_t max_tets = default_max_tets;
  Filling filling = Filling::automatic;
  double drop_pieces = 0;  // pieces below this share of the volume are left out; in [0, 1)
  FileAccess access = {};
};

/// Nodes connected by springs or rods.
struct NetworkShape {
  std::vector<Vec3> nodes;                // #V [m]
  std::vector<std::array<int, 2>> edges;  // #E
};

/// TetMesh: nodes, tets and regions written in the scene; indices are in range, orientation is not yet checked.
/// HexMesh: the same with hexahedra. TriMesh: the same of a sheet.
using MeshSource =
    std::variant<BoxShape, ProceduralShape, MeshFile, SurfaceFile, TetMesh, HexMesh, TriMesh, NetworkShape>;

struct MaterialChoice {
  std::string where;                                 // path of the key, for errors found later
  std::string model = "stable_neo_hookean";          // as the catalog spells it
  double density = 1000;                             // [kg/m³]
  std::map<std::string, double> parameters;          // only those given: young, c10, c01, bulk [Pa], poisson
  std::map<std::string, std::vector<double>> lists;  // the same of lists: mu [Pa], alpha
  /// Key (one of parameters, or density) → the cell field of the mesh that gives a number [SI] to each element.
  std::map<std::string, std::string> fields;
  Viscosity viscosity = {};  // none: it is elastic
  double thickness = 0;      // [m] of a sheet of it, by a preset; 0: the body says it
};

/// f = −(stiffness K + mass M) v; with the rest shape's K, turned with the body or not, the stage's or the step's
/// start's.
struct DampingChoice {
  enum class At { corotated, rest, current, frozen } at = At::corotated;  // in the order of RayleighAt
  enum class Given { coefficients, ratios } given = Given::coefficients;
  double stiffness = 0;  // [s]
  double mass = 0;       // [1/s]
  bool any() const { return stiffness != 0 || mass != 0; }
};

/// x(t) = pivot + R(t) (x₀ − pivot) + translation(t), R(t) = exp of the rotation vector, whose components are
/// interpolated (so that [0, 0, 4π] makes two turns).
struct MotionKey {
  double time = 0;                  // [s], increasing
  Vec3 translation = Vec3::Zero();  // [m]
  Vec3 rotation = Vec3::Zero();     // [rad]
};

/// Nodes that stand still until a time, or in some directions.
struct PinEntry {
  std::string where;
  Selection nodes;
  std::optional<double> until;   // [s] > 0
  Mat3 held = Mat3::Identity();  // the projection on the directions in which they are held
};

struct Script {
  std::string where;
  Selection nodes;
  std::vector<MotionKey> keys;   // at least one
  std::optional<double> until;   // [s] > 0: from then on the nodes are free
  Mat3 held = Mat3::Identity();  // the projection on the directions in which they are moved
  std::optional<Vec3> pivot;     // [m], in the world; unset: the centre of the selected nodes' box
  Interpolation interpolation = Interpolation::linear;
};

struct SpringsChoice {
  std::string where;
  /// Unset: every edge of the mesh.
  std::optional<std::vector<std::array<int, 2>>> edges;
  double stiffness = 0;               // [N/m]
  double damping = 0;                 // [N s/m], along the spring
  std::optional<double> rest_length;  // [m]; unset: the length in the rest shape
};

/// A part of a body that moves as one rigid thing: the elements of some regions, or those between the selected nodes.
struct RigidChoice {
  std::string where;
  std::vector<std::string> regions;  // names or numbers; empty: by nodes
  Selection nodes;
};

/// Mass that some nodes bear beside their own, in shares of that.
struct AddedMass {
  std::string where;
  Selection nodes;
  double mass = 0;  // [kg]
};

enum class MassForm { lumped, consistent };
/// Where a change of volume is resisted: automatic is mean for materials that hardly change theirs, if that is
/// possible.
enum class Dilatation { automatic, mean, local };

/// Placed shape: position + R(rotation) · scale · (mesh coordinates). It is the rest shape and the initial one.
struct BodyChoice {
  std::string where;  // bodies[i]
  std::string name;
  MeshSource mesh;
  std::string element;  // P1, P2 or hex; empty: P1, or hex where the mesh has hexahedra
  MassForm mass = MassForm::lumped;
  Dilatation dilatation = Dilatation::automatic;
  /// By region name or number, "default" for all others; empty where springs and point masses are all there is.
  std::map<std::string, MaterialChoice> materials;
  std::vector<std::pair<std::string, Selection>> regions;  // names of its own for parts of the mesh
  /// Fields beside those of the mesh: one number for each element. No key; set where parameters are changed.
  std::map<std::string, std::vector<double>> own_fields;
  DampingChoice damping;
  Vec3 position = Vec3::Zero();  // [m]
  Vec3 rotation = Vec3::Zero();  // [rad] rotation vector
  double scale = 1;
  Selection pin;  // may be empty
  std::vector<PinEntry> pin_entries;
  std::vector<Script> scripts;
  std::vector<RigidChoice> rigid;
  Vec3 velocity = Vec3::Zero();          // [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s] about the centre of mass
  double thickness = 0;  // [m] its surface lies half of this outside the mesh; that of sheets, the diameter of rods
  double bending = 1;    // sheets and rods: factor on the stiffness that material and thickness give
  std::optional<SpringsChoice> springs;
  std::vector<double> point_mass;  // [kg] one for all nodes or one each; only without materials
  std::vector<AddedMass> masses;
  ForceChoices forces;  // loads, targets, …
};

/// μ between two named objects, bodies or obstacles.
struct FrictionPair {
  std::string where;
  std::array<std::string, 2> between;
  double mu = 0;
};

struct ContactChoice {
  enum class Formulation { barrier, nonpenetration, velocity } formulation = Formulation::barrier;
  enum class Form { coupled, lagged } friction_form = Form::coupled;
  enum class Surface { triangles, smooth } surface = Surface::triangles;
  enum class Start { refuse, push_apart } start = Start::refuse;
  std::optional<double> delta;      // δ [m]; unset: 1e-3 × the scene's diagonal
  std::optional<double> stiffness;  // κ [N/m]; unset: adaptive
  double friction = 0;              // μ of all pairs that are not named
  std::vector<FrictionPair> friction_pairs;
  double epsilon = 1e-3;  // ε [m/s]
  bool self = true;       // whether a body collides with itself
};

struct ObstacleMotion {
  std::string where;
  std::vector<MotionKey> keys;  // at least one
  std::optional<Vec3> pivot;    // [m]; unset: the obstacle's own point or centre
  Interpolation interpolation = Interpolation::linear;
};

/// Meshes of the same faces that an obstacle's surface passes through.
struct MeshSequence {
  std::string where;
  std::string pattern;             // joined with the scene's folder, with * and ? in the name; empty: files
  std::vector<std::string> files;  // joined with the scene's folder
  std::vector<double> times;       // [s], increasing, one for each file; empty: by fps
  double fps = 0;                  // [1/s]
  double start = 0;                // [s] of the first file, with fps
  Interpolation interpolation = Interpolation::linear;
};

/// A solid that bodies collide with and that nothing moves but its script. Which of the numbers count depends on the
/// shape.
struct ObstacleChoice {
  enum class Shape { plane, half_space, sphere, capsule, box, cylinder, torus, mesh } shape = Shape::plane;
  enum class Form { automatic, distance, triangles } form = Form::automatic;  // of a mesh
  std::string where, name;
  Vec3 point = Vec3::Zero(), normal = {0, 1, 0};  // plane, half_space
  Vec3 center = Vec3::Zero();                     // [m] sphere, box, torus
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();        // [m] ends of a capsule's or cylinder's axis
  double radius = 0;                              // [m]
  Vec3 size = Vec3::Ones();                       // [m] box
  Vec3 rotation = Vec3::Zero();                   // [rad] box, mesh
  Vec3 axis = {0, 1, 0};                          // torus
  double major = 0, minor = 0;                    // [m] torus
  std::string file;                               // mesh, already joined with the scene's folder; empty: sequence
  std::optional<MeshSequence> sequence;           // mesh
  FileAccess access = {};                         // mesh
  Vec3 position = Vec3::Zero();                   // [m] mesh
  double scale = 1;                               // mesh
  double thickness = 0;                           // [m] mesh: the surface lies half of this outside
  int resolution = 64;                            // mesh: cells of the distance grid along the longest side
  std::optional<ObstacleMotion> motion;
};

/// Nodes of one body that follow another one.
struct StitchChoice {
  std::string where;
  int body = 0, to = 0;            // not the same
  Selection nodes;                 // of `body`
  std::optional<double> distance;  // [m] from `to` at most; unset: 1e-3 of its diagonal
};

/// A point of a body that is followed.
struct ProbeChoice {
  std::string where, name;
  int body = 0;
  Vec3 point = Vec3::Zero();  // [m] in the rest shape as placed
};

struct OutputChoice {
  static constexpr double standard_fps = 60;  // where steps have no common length
  std::string directory;                      // as written; empty: not given
  std::optional<int> frames_every;            // [steps]; unset with fps unset: 1
  std::optional<double> fps;                  // [1/s]; at most one of the two is set
  bool velocities = false;                    // whether frames hold velocities too
  std::optional<int> checkpoint_every;        // [steps]
  double checkpoint_work = 20;                // [s] of counted work
  std::vector<ProbeChoice> probes;            // names differ
};

/// What is not set is chosen so that the whole motion is seen.
struct CameraChoice {
  std::optional<Vec3> position, look_at;  // [m]
  std::optional<double> fov;              // vertical field of view [degrees]
};

struct Scene {
  std::string description;
  TimeSettings time;
  MethodChoice method;
  Vec3 gravity = {0, -9.81, 0};    // [m/s²]
  std::vector<BodyChoice> bodies;  // at least one
  ForceChoices forces;             // attachments, wind, …
  std::vector<StitchChoice> stitches;
  std::optional<ContactChoice> contact;  // set where obstacles are given too
  std::vector<ObstacleChoice> obstacles;
  OutputChoice output;
  CameraChoice camera;                    // of pictures
  int threads = 0;                        // 0: all cores
  std::optional<StartChoice> start;       // unset: as the bodies say, at t = 0
  std::vector<std::string> view_methods;  // that the viewer shows side by side; empty: the scene's own
};

}  // namespace limber
