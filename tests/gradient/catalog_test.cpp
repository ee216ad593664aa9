/// Gradients through every method on every kind of body, against differences of whole runs.

#include "limber/time/catalog.hpp"

#include <algorithm>
#include <functional>

#include "motions.hpp"

namespace limber::test {
namespace {

struct Kind {
  const char* name;
  std::function<void(Json& body)> change;  // of beam()
  std::vector<Entry> entries;
  /// Of explicit methods [s].
  double short_step = 2e-4;
  int modes = 8;
  /// Its forces know of the past, so that its gradients go forwards.
  bool remembers = false;
};

/// Nodes in a row, as those of the beam.
void make_chain(Json& body) {
  body["mesh"] = {{"shape", "chain"}, {"from", {0, 0, 0}}, {"to", {.4, .02, .05}}, {"segments", 4}};
}

const std::vector<Kind> kinds = {
    {"P2",
     [](Json& body) {
       body["element"] = "P2";
       body["mass"] = "consistent";
     },
     {young, poisson, density, gravity, velocity}},
    {"hexahedra",
     [](Json& body) {
       body["element"] = "hex";
       body["mesh"]["size"] = {.4, .1, .07};  // no two modes are equal
     },
     {young, density, gravity, velocity}},
    {"nearly incompressible",
     [](Json& body) { body["material"]["poisson"] = .49; },
     {young, {"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 1e-4}, density, velocity}},
    {"viscous",
     [](Json& body) {
       body["material"]["viscosity"] = {{{"share", .3}, {"time", .02}}};
     },
     {young,
      density,
      velocity,
      {"bodies[0].material.viscosity[0].share", "/bodies/0/material/viscosity/0/share", 0, 1e-3},
      {"bodies[0].material.viscosity[0].time", "/bodies/0/material/viscosity/0/time", 0, 1e-4}},
     2e-4,
     8,
     true},
    {"sheet",
     [](Json& body) {
       body["mesh"] = {{"shape", "sheet"}, {"size", {.3, .3}}, {"cells", {2, 2}}};
       body["thickness"] = .01;
     },
     {young, density, velocity, {"bodies[0].thickness", "/bodies/0/thickness", 0, 1e-5}}},
    {"rod",
     [](Json& body) {
       make_chain(body);
       body["thickness"] = .02;
     },
     {young, density, velocity},
     2e-4,
     4},
    {"springs",
     [](Json& body) {
       make_chain(body);
       body.erase("material");
       body["springs"] = {{"edges", "mesh"}, {"stiffness", 100}, {"damping", .1}};
       body["point_mass"] = .05;
       body["pin"] = {{"nodes", {0}}};
     },
     {{"bodies[0].springs.stiffness", "/bodies/0/springs/stiffness", 0, .1},
      {"bodies[0].springs.damping", "/bodies/0/springs/damping", 0, 1e-4},
      {"bodies[0].point_mass", "/bodies/0/point_mass", 0, 5e-5},
      velocity},
     2e-4,
     4},
};

/// Of steps as wholes, which are differences themselves, and of differences of energies, which are rounded.
double tolerance_of(const MethodInfo& method) {
  if (!method.linear) return 3e-5;
  return method.splitting != Splitting::none || method.kind == MethodKind::exponential ? 1e-5 : 1e-6;
}

class MethodOnBodies : public testing::TestWithParam<std::string> {};

TEST_P(MethodOnBodies, EqualsDifferences) {
  const MethodInfo& method = find_method(GetParam());
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    Json scene = beam(method.name);
    kind.change(scene["bodies"][0]);
    if (method.kind == MethodKind::explicit_)
      scene["time"] = {{"step", kind.short_step}, {"duration", 10 * kind.short_step}};
    // No pair of equal modes is cut in two, for which differences of whole runs would jump.
    if (method.splitting != Splitting::none) scene["method"]["modes"] = kind.modes;
    expect_equal(scene, kind.entries, tolerance_of(method), kind.remembers);
  }
}

INSTANTIATE_TEST_SUITE_P(Gradient, MethodOnBodies, testing::ValuesIn(method_names()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace limber::test
