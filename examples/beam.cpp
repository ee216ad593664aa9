/// The beam of the README from C++: runs two seconds and prints what is left of its energy.

#include <cstdio>

#include "limber/scene/construction/build.hpp"

int main(int argc, char** argv) {
  const limber::Scene scene = limber::load_scene(argc > 1 ? argv[1] : "scenes/beam.json");
  const limber::Model model = limber::build_model(scene);
  limber::Simulation sim = limber::build_simulation(scene, model);
  while (sim.time() < 2) sim.step();
  std::printf("%g J\n", sim.energies().total());
}
