/// Limber beside Bullet on scenes/beam.json: one thread each, the same mesh, masses, material, gravity and step, in
/// turns.
///
///     limber_peers [STEPS]     (default: the 500 of the scene)

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>

#include "bench/turns.hpp"
#include "bullet_beam.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber::peers {
namespace {

constexpr int steps_a_round = 10;

BulletBody bullet_body(const Scene& scene, const Model& model) {
  const TetMesh& mesh = model.bodies[0].rest;
  const MaterialChoice& material = scene.bodies[0].materials.at("default");
  BulletBody body;
  for (const Vec3& x : mesh.nodes) body.nodes.push_back({x[0], x[1], x[2]});
  body.tets = mesh.tets;
  std::vector<double> mass(mesh.nodes.size(), 0);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (const int i : mesh.tets[t]) mass[static_cast<std::size_t>(i)] += material.density * signed_volume(mesh, t) / 4;
  body.mass.assign(mass.size(), 0);
  for (const int i : model.system->free_nodes())
    body.mass[static_cast<std::size_t>(i)] = mass[static_cast<std::size_t>(i)];
  // Both have the energy of Smith, de Goes and Kim (2018); Bullet takes its constants as they stand there.
  const MaterialParameters p{material.model, material.parameters.at("young"), material.parameters.at("poisson"), {}};
  body.mu = 4 * p.mu() / 3;
  body.lambda = p.lambda() + 5 * p.mu() / 6;
  body.gravity = scene.gravity[1];
  return body;
}

/// The node nearest to the middle of the beam.
int middle_node(const TetMesh& mesh) {
  const Vec3 middle(4, .5, .5);
  int nearest = 0;
  for (int i = 0; i < static_cast<int>(mesh.nodes.size()); ++i)
    if ((mesh.nodes[static_cast<std::size_t>(i)] - middle).norm() <
        (mesh.nodes[static_cast<std::size_t>(nearest)] - middle).norm())
      nearest = i;
  return nearest;
}

struct Runner {
  Model model;
  Simulation simulation;
  explicit Runner(const Scene& scene) : model(build_model(scene)), simulation(build_simulation(scene, model)) {}
  double height(int node) const { return model.system->full(simulation.state()).q[3 * node + 1]; }
};

Runner under_method(Scene scene, const std::string& method) {
  scene.method.name = method;
  return Runner(scene);
}

void describe(const BulletSettings& s) {
  fmt::print("Bullet {}, {} precision: backward Euler, Newton iterations: {}, no line search, no substeps;\n",
             LIMBER_BULLET_VERSION, s.scalar_bytes == 4 ? "single" : "double", s.newton_iterations);
  fmt::print("conjugate gradients with M as preconditioner, to r.r/M < {:.3g} min(1, b.b/M), iterations at most {}\n\n",
             s.linear_tolerance, s.linear_iterations);
}

void print_table(const std::vector<bench::Contestant>& contestants, const bench::Times& times, const double* heights) {
  fmt::print("{:<10} {:>11} {:>16} {:>16} {:>24}\n", "", "ms a step", "over Bullet", "quartiles",
             "middle at the end [m]");
  for (std::size_t k = 0; k < contestants.size(); ++k) {
    const bench::Ratio r = bench::ratio(times[k], times[0]);
    fmt::print("{:<10} {:>11.3f} {:>16.3f} {:>16} {:>24.4f}\n", contestants[k].name, 1000 * bench::median(times[k]),
               r.median, fmt::format("{:.3f} - {:.3f}", r.low, r.high), heights[k]);
  }
}

void compare(int steps) {
  set_threads(1);
  const Scene scene = load_scene(std::string(LIMBER_SCENES) + "/beam.json");
  const double h = scene.time.step;
  Runner si = under_method(scene, "SI"), be = under_method(scene, "BE"), tr_bdf2 = under_method(scene, "TR-BDF2");
  const int middle = middle_node(si.model.bodies[0].rest);
  BulletBeam bullet(bullet_body(scene, si.model));
  fmt::print("scenes/beam.json, {} tetrahedra, {} nodes, step {} s, {} steps, one thread, processor time\n",
             si.model.bodies[0].rest.tets.size(), si.model.bodies[0].rest.nodes.size(), h, steps);
  describe(bullet.settings());
  const std::vector<bench::Contestant> contestants{{"Bullet", [&] { bullet.step(h); }, steps_a_round},
                                                   {"SI", [&] { si.simulation.step(); }, steps_a_round},
                                                   {"BE", [&] { be.simulation.step(); }, steps_a_round},
                                                   {"TR-BDF2", [&] { tr_bdf2.simulation.step(); }, steps_a_round}};
  const bench::Times times = bench::take_turns(contestants, steps / steps_a_round, bench::Clock::processor);
  const double heights[] = {bullet.node(middle)[1], si.height(middle), be.height(middle), tr_bdf2.height(middle)};
  print_table(contestants, times, heights);
  const BulletCounts counts = bullet.counts();
  fmt::print("\nBullet, a step: forces {:.2f} times, products with the stiffness {:.1f}\n",
             static_cast<double>(counts.forces) / steps, static_cast<double>(counts.products) / steps);
}

int steps_of(int argc, char** argv) {
  if (argc < 2) return 500;
  int steps = 0;
  const char* end = argv[1] + std::strlen(argv[1]);
  if (argc > 2 || std::from_chars(argv[1], end, steps).ptr != end || steps < steps_a_round ||
      steps % steps_a_round != 0)
    throw InputError("STEPS", fmt::format("'{}' is not a multiple of {}", argv[1], steps_a_round));
  return steps;
}

}  // namespace
}  // namespace limber::peers

int main(int argc, char** argv) {
  try {
    limber::peers::compare(limber::peers::steps_of(argc, argv));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "limber_peers: {}\n", e.what());
    return 2;
  }
}
