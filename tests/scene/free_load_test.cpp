/// A load that grows in time on a body that nothing holds: its centre of mass moves by F₀ t³/(6 m), and every method
/// comes as close to that as its order says.

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

constexpr double duration = .4, mass = 200, rate = 200;  // [s], [kg], [N/s]

/// Of the centre's position, relative to how far it goes.
double error(const std::string& method, double step) {
  const nlohmann::json scene = {
      {"time", {{"step", step}, {"duration", duration}}},
      {"method", method},
      {"gravity", {0, 0, 0}},
      {"bodies",
       {{{"mesh", {{"shape", "box"}, {"size", {1, .5, .4}}, {"cells", {4, 2, 2}}}},
         {"material", {{"model", "neo_hookean"}, {"young", 1e4}, {"poisson", .3}, {"density", 1000}}},
         {"loads", {{{"nodes", "all"}, {"total_force", {0, rate, 0}}, {"time", {{"keys", {{0, 0}, {1, 1}}}}}}}}}}}};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation simulation = build_simulation(read, model);
  const System& system = simulation.system();
  Vector up = Vector::Zero(system.size());
  for (Index i = 1; i < up.size(); i += 3) up[i] = 1;
  const Vector weights = system.apply_mass(up) / mass;
  const double before = weights.dot(simulation.state().q);
  simulation.run_until(duration);
  const double exact = rate * std::pow(duration, 3) / (6 * mass);
  return std::abs(weights.dot(simulation.state().q) - before - exact) / exact;
}

class FreeLoad : public ::testing::TestWithParam<std::string> {};

TEST_P(FreeLoad, MovesTheCentreByTheOrderOfTheMethod) {
  const double coarse = error(GetParam(), .02), fine = error(GetParam(), .01);
  if (coarse < 1e-9) return;  // exact
  EXPECT_GT(std::log2(coarse / fine), find_method(GetParam()).order - .15) << coarse << " and " << fine;
}

INSTANTIATE_TEST_SUITE_P(Catalog, FreeLoad, ::testing::ValuesIn(method_names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace limber
