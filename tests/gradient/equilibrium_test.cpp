/// Gradients of equilibria against differences of whole equilibria, and against a closed form.

#include "limber/core/errors.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

double at_rest(const Json& scene) {
  DifferentiableEquilibrium e(document(scene), "", {});
  return Objective::value(0, {e.solve(), Vector::Zero(e.solve().size())});
}

std::vector<std::vector<double>> gradient_at_rest(const Json& scene, const std::vector<std::string>& parameters) {
  DifferentiableEquilibrium e(document(scene), "", parameters);
  const Vector x = e.solve();
  return e.gradient(Objective::adjoint(0, {x, Vector::Zero(x.size())}).q);
}

/// Backwards and forwards.
void expect_equal_at_rest(const Json& scene, const std::vector<Entry>& all, double tolerance = 1e-6) {
  std::vector<std::string> names;
  for (const Entry& e : all) names.push_back(e.parameter);
  DifferentiableEquilibrium e(document(scene), "", names);
  const Vector x = e.solve();
  const Vector by_x = Objective::adjoint(0, {x, Vector::Zero(x.size())}).q;
  const auto gradient = e.gradient(by_x);
  const Vector forwards = e.changes().transpose() * by_x;
  Index first = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double expected = difference(scene, all[i].pointer, all[i].step, at_rest), scale = std::abs(expected);
    const double found = gradient[i][all[i].component], ahead = forwards[first + static_cast<Index>(all[i].component)];
    EXPECT_GT(scale, 0) << all[i].parameter;
    EXPECT_NEAR(found, expected, tolerance * scale) << all[i].parameter << ", relative error " << found / expected - 1;
    EXPECT_NEAR(ahead, found, 1e-7 * scale) << all[i].parameter << " forwards";
    first += static_cast<Index>(gradient[i].size());
  }
}

Json sagging() {
  Json scene = beam("BE");
  scene["gravity"] = {.3, -3, 0};
  scene["bodies"][0]["material"]["young"] = 8e5;
  scene["bodies"][0]["loads"] = {{{"nodes", "right"}, {"force", {0, .2, .1}}},
                                 {{"faces", "top"}, {"pressure", 150}},
                                 {{"faces", "right"}, {"traction", {100, 50, 0}}}};
  return scene;
}

const std::vector<Entry> of_sagging = {{"bodies[0].material.young", "/bodies/0/material/young", 0, 8e3},
                                       {"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 1e-3},
                                       {"bodies[0].material.density", "/bodies/0/material/density", 0, 10},
                                       {"gravity", "/gravity/1", 1, 1e-1},
                                       {"bodies[0].loads[0].force", "/bodies/0/loads/0/force/1", 1, 1e-2},
                                       {"bodies[0].loads[1].pressure", "/bodies/0/loads/1/pressure", 0, 5},
                                       {"bodies[0].loads[2].traction", "/bodies/0/loads/2/traction/0", 0, 5}};

/// The pressure follows the faces, whose rim moves: K is not symmetric.
TEST(GradientOfEquilibria, SolidsUnderLoads) {
  for (const char* element : {"P1", "P2", "hex"}) {
    SCOPED_TRACE(element);
    Json scene = sagging();
    scene["bodies"][0]["element"] = element;
    expect_equal_at_rest(scene, of_sagging);
  }
}

TEST(GradientOfEquilibria, NearlyIncompressible) {
  for (const char* element : {"P1", "P2", "hex"}) {
    SCOPED_TRACE(element);
    Json scene = sagging();
    scene["bodies"][0]["element"] = element;
    scene["bodies"][0]["material"]["poisson"] = .49;
    Entry poisson = of_sagging[1];
    poisson.step = 2e-4;
    expect_equal_at_rest(scene, {of_sagging[0], poisson, of_sagging[5]});
  }
}

TEST(GradientOfEquilibria, OneModulusForEachElement) {
  for (const char* element : {"P1", "P2", "hex"}) {
    SCOPED_TRACE(element);
    Json scene = sagging();
    scene["bodies"][0]["element"] = element;
    const auto g = gradient_at_rest(scene, {"bodies[0].element.young", "bodies[0].material.young"});
    double sum = 0, most = 0;
    for (const double each : g[0]) sum += each, most = std::max(most, std::abs(each));
    EXPECT_NEAR(sum, g[1][0], 1e-8 * most);
    EXPECT_GT(g[0].size(), 2u);
  }
}

TEST(GradientOfEquilibria, PlacesOfPinnedBodiesAndScripts) {
  Json scene = sagging();
  scene["bodies"][0]["position"] = {.1, .2, .3};
  scene["bodies"][0]["rotation"] = {.1, .2, .3};
  scene["bodies"][0]["script"] = {
      {{"nodes", "right"}, {"keys", {{{"time", 0}, {"translation", {.01, .02, 0}}, {"rotation", {.1, .2, 0}}}}}}};
  expect_equal_at_rest(scene,
                       {{"bodies[0].position", "/bodies/0/position/1", 1, 1e-3},
                        {"bodies[0].rotation", "/bodies/0/rotation/2", 2, 1e-3},
                        {"bodies[0].script[0].keys[0].translation", "/bodies/0/script/0/keys/0/translation/1", 1, 1e-4},
                        {"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 1e-3}});
}

TEST(GradientOfEquilibria, Sheet) {
  Json sheet = beam("BE");
  Json& body = sheet["bodies"][0];
  body["mesh"] = {{"shape", "sheet"}, {"size", {.3, .3}}, {"cells", {4, 4}}};
  body["thickness"] = .01;
  body["material"] = {{"model", "stable_neo_hookean"}, {"young", 1e7}, {"poisson", .3}, {"density", 800}};
  body["loads"] = {{{"nodes", "right"}, {"force", {0, .01, .02}}}};
  expect_equal_at_rest(sheet, {{"bodies[0].material.young", "/bodies/0/material/young", 0, 1e5},
                               {"bodies[0].material.density", "/bodies/0/material/density", 0, 8},
                               {"bodies[0].loads[0].force", "/bodies/0/loads/0/force/2", 2, 1e-4},
                               {"bodies[0].thickness", "/bodies/0/thickness", 0, 5e-5}});
}

Json net() {
  Json scene = beam("BE");
  scene["bodies"] = {{{"name", "net"},
                      {"mesh", {{"shape", "box"}, {"size", {.3, .1, .1}}, {"cells", {3, 1, 1}}}},
                      {"springs", {{"stiffness", 500}}},
                      {"point_mass", .05},
                      {"pin", {"left"}}}};
  return scene;
}

TEST(GradientOfEquilibria, Springs) {
  expect_equal_at_rest(
      net(), {{"bodies[0].springs.stiffness", "/bodies/0/springs/stiffness", 0, 2}, {"gravity", "/gravity/1", 1, .05}});
}

/// A gas in a shell is a part of K of rank one.
TEST(GradientOfEquilibria, Cavity) {
  Json scene = beam("BE");
  scene["gravity"] = {0, -9.81, 0};
  Json& body = scene["bodies"][0];
  body["mesh"] = {{"shape", "shell"}, {"radius", .05}, {"thickness", .01}, {"layers", 1}, {"resolution", .03}};
  body["pin"] = {{"plane", {{"point", {0, .03, 0}}, {"normal", {0, -1, 0}}}}};
  body["cavities"] = {{{"gas", {{"amount", 1.3}}}}};
  expect_equal_at_rest(scene, {{"bodies[0].cavities[0].gas.amount", "/bodies/0/cavities/0/gas/amount", 0, 1e-3},
                               {"bodies[0].material.young", "/bodies/0/material/young", 0, 2e3},
                               {"bodies[0].material.density", "/bodies/0/material/density", 0, 10}});
}

Json on_a_floor() {
  Json scene = beam("BE");
  scene["contact"] = {{"delta", .01}, {"stiffness", 1e4}, {"friction", .4}};
  scene["obstacles"] = {{{"name", "floor"}, {"shape", "plane"}, {"point", {0, -.02, 0}}, {"normal", {.1, 1, 0}}}};
  scene["bodies"][0]["mesh"]["cells"] = {4, 1, 1};
  scene["bodies"][0]["material"]["young"] = 5e4;
  return scene;
}

TEST(GradientOfEquilibria, Contact) {
  const Json scene = on_a_floor();
  DifferentiableEquilibrium e(document(scene), "", {});
  const Vector x = e.solve();
  const MechanicalSystem& system = *e.model().system;
  const State u = system.state(x, Vector::Zero(x.size()), 0);
  ASSERT_LT(system.smallest_gap(u), .01) << "nothing touches";
  expect_equal_at_rest(scene,
                       {{"bodies[0].material.young", "/bodies/0/material/young", 0, 50},
                        {"bodies[0].material.density", "/bodies/0/material/density", 0, 1},
                        {"gravity", "/gravity/1", 1, 1e-2},
                        {"contact.stiffness", "/contact/stiffness", 0, 10}},
                       1e-4);
  DifferentiableEquilibrium without(document(scene), "", {"contact.friction", "bodies[0].velocity"});
  without.solve();
  const auto g = without.gradient(Vector::Ones(x.size()));
  EXPECT_EQ(g[0][0], 0);  // friction does not act at rest
  EXPECT_EQ(g[1][2], 0);
}

/// A bar that hangs: u(L) = ρ g L²/(2E) for small strains, so that du/dE = −u/E, du/dρ = u/ρ, du/dg = u/g, with ν = 0.
/// Nodal values of linear elements are exact.
TEST(GradientOfEquilibria, BarUnderItsOwnWeight) {
  const double L = .4, E = 2e7, rho = 1000, g = 9.81, u = rho * g * L * L / (2 * E);
  Json scene = beam("BE");
  Json& body = scene["bodies"][0];
  scene["gravity"] = {g, 0, 0};
  body["element"] = "hex";
  body["material"] = {{"model", "linear"}, {"young", E}, {"poisson", 0}, {"density", rho}};
  DifferentiableEquilibrium e(document(scene), "",
                              {"bodies[0].material.young", "bodies[0].material.density", "gravity"});
  const Vector x = e.solve();
  const Vector& rest = e.model().system->map().reference();
  Index end = 0;  // a node at the end
  for (Index i = 0; i < x.size(); i += 3)
    if (rest[i] > rest[end]) end = i;
  ASSERT_NEAR(x[end] - rest[end], u, 1e-8 * u);
  Vector by_x = Vector::Zero(x.size());
  by_x[end] = 1;
  const auto found = e.gradient(by_x);
  EXPECT_NEAR(found[0][0], -u / E, 1e-8 * u / E);
  EXPECT_NEAR(found[1][0], u / rho, 1e-8 * u / rho);
  EXPECT_NEAR(found[2][0], u / g, 1e-8 * u / g);
}

TEST(GradientOfEquilibria, RefusesWithAReason) {
  const auto refused = [](const Json& scene, const std::string& parameter, const std::string& words) {
    try {
      gradient_at_rest(scene, {parameter});
      ADD_FAILURE() << parameter << " was not refused";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  refused(sagging(), "initial.positions", "does not depend on the state at the start");
  refused(sagging(), "initial.velocities", "does not depend on the state at the start");
  refused(sagging(), "time.step", "time step");
}

/// What lies on a floor may lie elsewhere on it.
TEST(GradientOfEquilibria, SingularStiffness) {
  Json scene = on_a_floor();
  scene["bodies"][0].erase("pin");
  scene["obstacles"][0]["normal"] = {0, 1, 0};
  scene["gravity"] = {0, -9.81, 0};
  scene["bodies"][0]["material"]["young"] = 1e6;
  DifferentiableEquilibrium e(document(scene), "", {"bodies[0].material.young"});
  const Vector x = e.solve();
  try {
    e.gradient(Vector::Ones(x.size()));
    ADD_FAILURE() << "no failure";
  } catch (const StepFailure& failure) {
    EXPECT_NE(failure.reason.find("singular"), std::string::npos) << failure.reason;
    EXPECT_NE(failure.reason.find("beam"), std::string::npos) << failure.reason;
  }
}

}  // namespace
}  // namespace limber::test
