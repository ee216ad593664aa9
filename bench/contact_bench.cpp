/// What a step of backward Euler with contact costs: scenes of scenes/, on one core, with and without friction, and the
/// Newton iterations that it takes.

#include <benchmark/benchmark.h>

#include "limber/core/parallel.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber::bench {
namespace {

void contact_step(benchmark::State& state, const std::string& name, double friction) {
  set_threads(1);
  Scene scene = load_scene(std::string(LIMBER_SCENES) + "/" + name + ".json");
  scene.method.name = "BE";
  scene.contact->friction = friction;
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  long newton = 0;
  for (auto _ : state) newton += simulation.step().newton_iterations;
  state.counters["newton"] = static_cast<double>(newton) / static_cast<double>(state.iterations());
}

struct Case {
  const char* name;
  double friction;
  int steps;
};

const int registered = [] {
  for (const Case& c : {Case{"stack", 0, 150},
                        {"stack", .5, 150},
                        {"twisted_mat", 0, 50},
                        {"gripper", 0, 100},
                        {"gripper", .8, 100},
                        {"drop_pile", .3, 60}})
    benchmark::RegisterBenchmark(
        (std::string("contact_step/") + c.name + (c.friction > 0 ? "/friction" : "/frictionless")).c_str(),
        contact_step, c.name, c.friction)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(c.steps)
        ->UseRealTime();
  return 0;
}();

}  // namespace
}  // namespace limber::bench
