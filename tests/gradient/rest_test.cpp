/// Gradients by rest positions, of equilibria and motions, against differences over meshes with other nodes.

#include <set>

#include "limber/core/errors.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

const std::string rest = "bodies[0].rest";

double still_value(const Json& scene) {
  DifferentiableEquilibrium e(document(scene), "", {});
  const Vector x = e.solve();
  return Objective::value(0, {x, Vector::Zero(x.size())});
}

std::vector<double> still_gradient(const Json& scene) {
  DifferentiableEquilibrium e(document(scene), "", {rest});
  const Vector x = e.solve();
  return e.gradient(Objective::adjoint(0, {x, Vector::Zero(x.size())}).q)[0];
}

std::vector<double> moving_gradient(const Json& scene) { return gradient(scene, {rest}).of[0]; }

/// Box nodes, bent and sheared a little so that no element is like another.
Vec3 bent(const Vec3& x) {
  return {x[0] + .05 * x[1] + .1 * x[0] * x[2], x[1] + .08 * std::sin(4 * x[0]) + .1 * x[1] * x[2],
          x[2] + .05 * x[0] * x[1]};
}

/// The body with its mesh written out, held on its left and loaded on its right. Its own nodes of the box's corners.
Json written_out(Json scene, const Json& mesh, bool hexahedra) {
  Json& body = scene["bodies"][0];
  body["mesh"] = mesh;
  const Json box = scene;
  DifferentiableEquilibrium e(document(box), "", {});
  const Body& made = e.model().bodies[0];
  std::vector<int> left, right, top;
  Json nodes = Json::array(), cells = Json::array();
  for (std::size_t i = 0; i < made.rest.nodes.size(); ++i) {
    const Vec3& x = made.rest.nodes[i];
    if (x[0] < 1e-9) left.push_back(static_cast<int>(i));
    if (x[0] > .4 - 1e-9) right.push_back(static_cast<int>(i));
    if (x[1] > .1 - 1e-9) top.push_back(static_cast<int>(i));
    const Vec3 y = bent(x);
    nodes.push_back({y[0], y[1], y[2]});
  }
  if (hexahedra) {
    const ElementMesh hexes = box_hexahedra(Vec3::Zero(), {.4, .1, .1}, {3, 1, 1});
    for (std::size_t k = 0; k < hexes.count(); ++k) {
      const auto nodes_of = hexes.element(k);
      cells.push_back(std::vector<int>(nodes_of.begin(), nodes_of.end()));
    }
  } else {
    for (const auto& tet : made.rest.tets) cells.push_back(tet);
  }
  body["mesh"] = {{"nodes", nodes}, {hexahedra ? "hexes" : "tets", cells}};
  body["pin"] = {{"nodes", left}};
  body["loads"] = {{{"nodes", {{"nodes", right}}}, {"force", {0, .2, .1}}},
                   {{"faces", {{"nodes", top}}}, {"pressure", 150}}};
  scene["gravity"] = {.3, -3, 0};
  body["material"]["young"] = 8e5;
  return scene;
}

Json box_mesh() { return {{"shape", "box"}, {"size", {.4, .1, .1}}, {"cells", {3, 1, 1}}}; }

using ValueOf = double (*)(const Json&);

/// At a held node and two others; `spread`: of the gradient at all nodes on the nodes of the mesh.
void expect_equal_by_nodes(const Json& scene, const std::vector<double>& found, ValueOf of, double tolerance = 1e-6,
                           double step = 2e-4) {
  const std::size_t n = scene["bodies"][0]["mesh"]["nodes"].size();
  double most = 0;
  for (const double g : found) most = std::max(most, std::abs(g));
  for (const std::size_t node : {std::size_t(0), n / 2, n - 1})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double expected =
          difference(scene, "/bodies/0/mesh/nodes/" + std::to_string(node) + "/" + std::to_string(axis), step, of);
      EXPECT_NEAR(found[3 * node + axis], expected, tolerance * most) << "node " << node << " axis " << axis;
    }
}

TEST(GradientByRestPositions, EquilibriaOfSolids) {
  for (const bool hexahedra : {false, true}) {
    SCOPED_TRACE(hexahedra);
    Json scene = beam("BE");
    if (hexahedra) scene["bodies"][0]["element"] = "hex";
    scene = written_out(scene, box_mesh(), hexahedra);
    expect_equal_by_nodes(scene, still_gradient(scene), still_value);
    scene["bodies"][0]["loads"].erase(1);  // the forces that remain are symmetric
    scene["bodies"][0]["mass"] = "consistent";
    expect_equal_by_nodes(scene, still_gradient(scene), still_value);
  }
}

/// In a scene the middles of edges follow the corners.
TEST(GradientByRestPositions, EquilibriaOfQuadraticTetrahedra) {
  for (const char* mass : {"lumped", "consistent"}) {
    Json scene = written_out(beam("BE"), box_mesh(), false);
    const Json& nodes = scene["bodies"][0]["mesh"]["nodes"];
    scene["bodies"][0]["element"] = "P2";
    scene["bodies"][0]["mass"] = mass;
    scene["bodies"][0]["loads"].erase(1);
    DifferentiableEquilibrium e(document(scene), "", {rest});
    const std::vector<double> all = e.parameters()[0].values;
    const std::size_t corners = nodes.size();
    ASSERT_GT(all.size(), 3 * corners);
    const std::vector<double> by_all = still_gradient(scene);
    std::vector<double> by_corners(by_all.begin(), by_all.begin() + static_cast<std::ptrdiff_t>(3 * corners));
    const auto at = [&](std::size_t i) { return Vec3(all[3 * i], all[3 * i + 1], all[3 * i + 2]); };
    std::size_t middles = 0;
    std::set<std::pair<int, int>> edges;
    for (const Json& tet : scene["bodies"][0]["mesh"]["tets"])
      for (const int a : tet.get<std::vector<int>>())
        for (const int b : tet.get<std::vector<int>>())
          if (a < b) edges.emplace(a, b);
    for (const auto& [a, b] : edges)
      for (std::size_t m = corners; m < all.size() / 3; ++m) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if ((at(m) - .5 * (at(i) + at(j))).norm() > 1e-12) continue;
        ++middles;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          by_corners[3 * i + axis] += .5 * by_all[3 * m + axis];
          by_corners[3 * j + axis] += .5 * by_all[3 * m + axis];
        }
      }
    EXPECT_EQ(middles, all.size() / 3 - corners);
    expect_equal_by_nodes(scene, by_corners, still_value);
  }
}

TEST(GradientByRestPositions, Motions) {
  for (const char* method : {"TR-BDF2", "SI", "gen-alpha"})
    for (const bool hexahedra : {false, true}) {
      SCOPED_TRACE(method);
      Json scene = beam(method);
      if (hexahedra) scene["bodies"][0]["element"] = "hex";
      scene = written_out(scene, box_mesh(), hexahedra);
      if (hexahedra) scene["bodies"][0]["mass"] = "consistent";
      scene["bodies"][0]["script"] = {{{"nodes", scene["bodies"][0]["pin"]},
                                       {"keys",
                                        {{{"time", 0}, {"translation", {0, 0, 0}}},
                                         {{"time", .03}, {"translation", {.01, .02, 0}}},
                                         {{"time", .1}, {"translation", {0, .05, 0}}}}}}};
      scene["bodies"][0]["script"][0]["interpolation"] = "smooth";
      scene["bodies"][0].erase("pin");
      expect_equal_by_nodes(scene, moving_gradient(scene), value);
    }
}

TEST(GradientByRestPositions, Contact) {
  Json scene = written_out(beam("BE"), box_mesh(), false);
  scene["bodies"][0]["material"]["young"] = 5e4;
  scene["bodies"][0].erase("loads");
  scene["gravity"] = {0, -9.81, 0};
  scene["contact"] = {{"delta", .01}, {"stiffness", 1e4}};
  scene["obstacles"] = {{{"shape", "plane"}, {"point", {0, -.02, 0}}, {"normal", {.1, 1, 0}}}};
  DifferentiableEquilibrium e(document(scene), "", {});
  const Vector x = e.solve();
  ASSERT_LT(e.model().system->smallest_gap(e.model().system->state(x, Vector::Zero(x.size()), 0)), .01);
  expect_equal_by_nodes(scene, still_gradient(scene), still_value, 1e-4, 1e-5);
}

Json sheet() {
  Json scene = beam("TR-BDF2");
  Json& body = scene["bodies"][0];
  Json nodes = Json::array(), triangles = Json::array();
  const int n = 4;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) nodes.push_back({.1 * i + .01 * j, .02 * std::sin(2. * i + j), .1 * j - .005 * i * j});
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i) {
      const int a = n * j + i;
      triangles.push_back({a, a + 1, a + n + 1});
      triangles.push_back({a, a + n + 1, a + n});
    }
  body["mesh"] = {{"nodes", nodes}, {"triangles", triangles}};
  body["thickness"] = .01;
  body["material"] = {{"model", "stable_neo_hookean"}, {"young", 1e7}, {"poisson", .3}, {"density", 800}};
  body["pin"] = {{"nodes", {0, 1, 4, 5}}};
  return scene;
}

TEST(GradientByRestPositions, Sheets) {
  for (const char* mass : {"lumped", "consistent"}) {
    Json scene = sheet();
    scene["bodies"][0]["mass"] = mass;
    expect_equal_by_nodes(scene, still_gradient(scene), still_value, 1e-6, 1e-4);
    expect_equal_by_nodes(scene, moving_gradient(scene), value, 1e-6, 1e-4);
  }
}

TEST(GradientByRestPositions, Springs) {
  Json scene = sheet();
  Json& body = scene["bodies"][0];
  body.erase("material");
  body.erase("thickness");
  body["springs"] = {{"stiffness", 200}, {"damping", .1}};
  body["point_mass"] = .01;
  body["pin"] = {{"nodes", {0, 3, 12}}};
  scene["gravity"] = {0, -9.81, .5};
  expect_equal_by_nodes(scene, moving_gradient(scene), value, 1e-6, 1e-4);
}

/// A linear bar whose rest shape is λ times as long: u = ρ g L²/(2E), so that by L, by all rest positions together, the
/// end x = L + u moves by 1 + ρ g L/E.
TEST(GradientByRestPositions, LongerBar) {
  const double L = .4, E = 2e7, rho = 1000, g = 9.81;
  Json scene = beam("BE");
  scene["gravity"] = {g, 0, 0};
  scene["bodies"][0]["element"] = "hex";
  scene["bodies"][0]["material"] = {{"model", "linear"}, {"young", E}, {"poisson", 0}, {"density", rho}};
  DifferentiableEquilibrium e(document(scene), "", {rest});
  const Vector x = e.solve();
  const std::vector<double>& X = e.parameters()[0].values;
  Vector by_x = Vector::Zero(x.size());
  Index ends = 0;
  for (std::size_t i = 0; i < X.size(); i += 3)
    if (X[i] > L - 1e-9) by_x[static_cast<Index>(i)] = 1, ++ends;
  const std::vector<double> found = e.gradient(by_x / static_cast<double>(ends))[0];
  double by_length = 0;
  for (std::size_t i = 0; i < X.size(); i += 3) by_length += found[i] * X[i] / L;
  EXPECT_NEAR(by_length, 1 + rho * g * L / E, 1e-8);
}

/// Moved as a whole, everything moves along.
TEST(GradientByRestPositions, AllTogetherArePosition) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["position"] = {.1, .2, .3};
  const Gradient g = gradient(scene, {rest, "bodies[0].position"});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0, most = 0;
    for (std::size_t i = axis; i < g.of[0].size(); i += 3)
      sum += g.of[0][i], most = std::max(most, std::abs(g.of[0][i]));
    EXPECT_NEAR(sum, g.of[1][axis], 1e-7 * most);
  }
}

TEST(GradientByRestPositions, RefusesWithAReason) {
  const auto refused = [](const Json& scene, const std::string& words) {
    try {
      moving_gradient(scene);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  const auto with = [](const std::string& key, const Json& x) {
    Json scene = beam("TR-BDF2");
    scene["bodies"][0][key] = x;
    return scene;
  };
  refused(with("loads", {{{"faces", "top"}, {"traction", {1, 0, 0}}}}), "tractions");
  refused(with("damping", {{"stiffness", 1e-3}}), "damping");
  refused(with("angular_velocity", {0, 0, 1}), "angular velocity");
  Json soft = beam("TR-BDF2");
  soft["bodies"][0]["material"]["poisson"] = .49;
  refused(soft, "dilatation");
  soft["bodies"][0]["material"]["poisson"] = .3;
  soft["bodies"][0]["material"]["viscosity"] = {{{"share", .3}, {"time", .02}}};
  refused(soft, "viscous");
  Json rod = beam("TR-BDF2");
  rod["bodies"][0]["mesh"] = {{"nodes", {{0, 0, 0}, {.1, 0, 0}, {.2, 0, 0}}}, {"edges", {{0, 1}, {1, 2}}}};
  rod["bodies"][0]["thickness"] = .01;
  rod["bodies"][0]["pin"] = {{"nodes", {0, 1}}};
  refused(rod, "rods");
  Json contact = beam("TR-BDF2");
  contact["contact"] = {{"delta", .01}};
  refused(contact, "contact.stiffness");
}

}  // namespace
}  // namespace limber::test
