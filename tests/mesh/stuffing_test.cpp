#include "limber/mesh/fill/stuffing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {
namespace {

const Box3 room{{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}};
using std::numbers::pi;

double ball(const Vec3& x, const Vec3& centre, double r) { return (x - centre).norm() - r; }
double torus(const Vec3& x) { return std::hypot(std::hypot(x[0], x[1]) - 1, x[2]) - 0.35; }

/// What holds for every φ.
MeshReport checked_stuffing(const Stuffed& stuffed) {
  const MeshReport r = mesh_report(stuffed.mesh);
  EXPECT_GT(r.tets, 0u);
  EXPECT_GT(r.min_dihedral, 10.7);
  EXPECT_LT(r.max_dihedral, 164.8);
  EXPECT_EQ(r.inverted + r.flat + r.unreferenced_nodes + r.nonmanifold_edges + r.pinched_nodes, 0u);
  const TriMesh surface{stuffed.mesh.nodes, boundary_triangles(stuffed.mesh)};
  EXPECT_TRUE(is_closed(surface));
  EXPECT_NEAR(enclosed_volume(surface), r.volume, 1e-9 * r.volume);
  EXPECT_EQ(stuffed.components, r.components);
  return r;
}

TEST(Stuffing, SphereOfSecondOrder) {
  double before = 0;
  for (const double spacing : {0.26, 0.13, 0.065}) {
    const auto stuffed = stuff(
        [](const Vec3& x) {
          return ball(x, {0.01, 0.02, 0.03}, 1);
        },
        {.box = room, .spacing = spacing});
    const MeshReport r = checked_stuffing(stuffed);
    const double error = 1 - r.volume / (4 * pi / 3);
    EXPECT_EQ(r.euler, 2);
    EXPECT_EQ(r.components, 1u);
    EXPECT_GT(error, 0);
    EXPECT_NEAR(r.mean_edge / spacing, stuffed_mean_edge, 0.05);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 2, 0.25);
    }
    before = error;
  }
}

TEST(Stuffing, SurfaceNodesLieOnTheSurface) {
  const auto phi = [](const Vec3& x) { return std::tanh(3 * torus(x)) + 0.1 * torus(x); };
  const auto m = stuff(phi, {.box = room, .spacing = 0.1}).mesh;
  for (const auto& f : boundary_triangles(m))
    for (const int i : f) EXPECT_NEAR(torus(m.nodes[i]), 0, 1e-14);
}

TEST(Stuffing, Torus) {
  for (const double spacing : {0.23, 0.1}) {
    const MeshReport r = checked_stuffing(stuff(torus, {.box = room, .spacing = spacing, .lipschitz = 1}));
    EXPECT_EQ(r.euler, 0);
    EXPECT_EQ(r.components, 1u);
    EXPECT_NEAR(r.volume, 2 * pi * pi * 0.35 * 0.35, 0.8 * spacing * spacing * r.volume);
  }
}

TEST(Stuffing, OverlappingBalls) {
  const auto phi = [](const Vec3& x) { return std::min(ball(x, {-0.4, 0, 0}, 0.7), ball(x, {0.5, 0.1, 0}, 0.6)); };
  const MeshReport r = checked_stuffing(stuff(phi, {.box = room, .spacing = 0.08, .lipschitz = 1}));
  EXPECT_EQ(r.euler, 2);
  EXPECT_EQ(r.components, 1u);
}

TEST(Stuffing, ThinPlates) {
  for (int k = 0; k < 6; ++k) {
    const Vec3 n = Vec3(std::sin(1.1 * k), std::cos(2.3 * k), std::sin(3.7 * k + 1)).normalized();
    const auto phi = [&](const Vec3& x) { return std::max(std::abs(n.dot(x)) - 0.1, x.norm() - 1.2); };
    const MeshReport r = checked_stuffing(stuff(phi, {.box = room, .spacing = 0.1, .lipschitz = 1}));
    EXPECT_EQ(r.components, 1u);
    EXPECT_EQ(r.euler, 2);
  }
}

/// Waves down to the length of a spacing: no lattice resolves them, and still the angles hold.
TEST(Stuffing, AnglesHoldForAnyFunction) {
  for (int k = 0; k < 8; ++k) {
    const double w = 6 + 4.9 * k, a = 1.37 * k, b = 0.71 * k;
    const auto phi = [&](const Vec3& x) {
      const double g = std::sin(w * x[0] + a + 2 * x[1]) * std::cos(1.1 * w * x[1] - b) +
                       std::sin(0.9 * w * x[1] + b) * std::cos(w * x[2] + a) +
                       std::sin(w * x[2] - 3 * x[0]) * std::cos(w * x[0] - a) + 0.1 * (k % 5 - 2);
      return std::max(g, x.norm() - 1);
    };
    checked_stuffing(stuff(phi, {.box = room, .spacing = 0.12}));
  }
}

TEST(Stuffing, ZeroAtLatticePoints) {
  // Planes of the lattice: box.min is a lattice point.
  const auto cube = [](const Vec3& x) { return x.cwiseAbs().maxCoeff() - 1; };
  MeshReport r = checked_stuffing(stuff(cube, {.box = room, .spacing = 0.125, .lipschitz = 1}));
  EXPECT_NEAR(r.volume, 8, 1e-12);
  EXPECT_NEAR(r.min_dihedral, 45, 1e-9);
  const auto octahedron = [](const Vec3& x) { return x.cwiseAbs().sum() - 1; };
  r = checked_stuffing(stuff(octahedron, {.box = room, .spacing = 0.125, .lipschitz = std::sqrt(3)}));
  EXPECT_EQ(r.euler, 2);
  // Zero in a whole region: all its points count as points of the surface.
  const auto shell = [](const Vec3& x) {
    return std::min(0., ball(x, Vec3::Zero(), 0.8)) + std::max(0., x.norm() - 1);
  };
  r = checked_stuffing(stuff(shell, {.box = room, .spacing = 0.125}));
  EXPECT_GT(r.volume, 4 * pi / 3 * 0.512);
  EXPECT_LT(r.volume, 4 * pi / 3);
}

TEST(Stuffing, ALipschitzBoundSavesEvaluationsAndChangesNothing) {
  std::atomic<long> calls = 0;
  const auto phi = [&](const Vec3& x) {
    ++calls;
    return torus(x);
  };
  const Box3 hall{{-3, -3, -3}, {3, 3, 3}};
  const auto all = stuff(phi, {.box = hall, .spacing = 0.12});
  const long of_all = calls.exchange(0);
  const auto few = stuff(phi, {.box = hall, .spacing = 0.12, .lipschitz = 1});
  EXPECT_LT(calls, of_all / 3);
  EXPECT_EQ(all.mesh.nodes, few.mesh.nodes);
  EXPECT_EQ(all.mesh.tets, few.mesh.tets);
}

TEST(Stuffing, SameBitsForAnyNumberOfThreads) {
  const auto phi = [](const Vec3& x) { return torus(x) + 0.05 * std::sin(9 * x[0]); };
  set_threads(1);
  const auto alone = stuff(phi, {.box = room, .spacing = 0.09});
  set_threads(3);
  const auto together = stuff(phi, {.box = room, .spacing = 0.09});
  set_threads(0);
  EXPECT_EQ(alone.mesh.nodes, together.mesh.nodes);
  EXPECT_EQ(alone.mesh.tets, together.mesh.tets);
}

TEST(Stuffing, KeepsTheLargest) {
  const auto phi = [](const Vec3& x) { return std::min(ball(x, {-0.8, 0, 0}, 0.3), ball(x, {0.5, 0, 0}, 0.6)); };
  const auto all = stuff(phi, {.box = room, .spacing = 0.1});
  EXPECT_EQ(all.components, 2u);
  const auto largest = stuff(phi, {.box = room, .spacing = 0.1, .keep = Keep::largest});
  EXPECT_EQ(largest.components, 2u);
  const MeshReport r = mesh_report(largest.mesh);
  EXPECT_EQ(r.components, 1u);
  EXPECT_EQ(r.unreferenced_nodes, 0u);
  EXPECT_GT(bounding_box(largest.mesh.nodes).min[0], -0.11);
  EXPECT_NEAR(r.volume, 4 * pi / 3 * 0.216, 0.03 * r.volume);
}

TEST(Stuffing, RemovesPinches) {
  // Two boxes that share an edge, and two that share a corner.
  TetMesh m = box_mesh({0, 0, 0}, {3, 3, 3}, {3, 3, 3}, Split::six);
  std::vector<std::array<int, 4>> kept;
  for (std::size_t t = 0; t < m.tets.size(); ++t) {
    const std::size_t cell = t / 6, i = cell % 3, j = cell / 3 % 3, k = cell / 9;
    if ((i < 2 && j < 2 && k < 2) || (i == 2 && j == 2)) kept.push_back(m.tets[t]);
  }
  m.tets = kept;
  EXPECT_GT(mesh_report(m).nonmanifold_edges, 0u);
  EXPECT_GT(remove_pinches(m), 0u);
  const MeshReport r = mesh_report(m);
  EXPECT_EQ(r.nonmanifold_edges + r.pinched_nodes + r.unreferenced_nodes, 0u);
  EXPECT_GE(r.volume, 8);
  EXPECT_EQ(remove_pinches(m), 0u);
}

TEST(Stuffing, EmptyWhereTheLatticeMissesAll) {
  const auto stuffed = stuff(
      [](const Vec3& x) {
        return ball(x, {0.03, 0.02, 0.01}, 0.001);
      },
      {.box = room, .spacing = 0.3});
  EXPECT_TRUE(stuffed.mesh.tets.empty());
  EXPECT_TRUE(stuffed.mesh.nodes.empty());
  EXPECT_EQ(stuffed.components, 0u);
}

TEST(Stuffing, BadInput) {
  const auto phi = [](const Vec3& x) { return x.norm() - 1; };
  const auto error = [&](const ScalarField& f, const StuffingOptions& options) -> std::string {
    try {
      stuff(f, options);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_EQ(error(phi, {.box = room, .spacing = 0}), "spacing: 0 must be finite and > 0");
  EXPECT_NE(error(phi, {.box = room, .spacing = NAN}), "");
  EXPECT_NE(error(phi, {.box = {{0, 0, 0}, {-1, 1, 1}}, .spacing = 0.1}), "");
  EXPECT_NE(error(phi, {.box = room, .spacing = 1e-9}).find("too fine"), std::string::npos);
  EXPECT_NE(error(phi, {.box = room, .spacing = 1e-3}).find("million points"), std::string::npos);
  EXPECT_NE(error(phi, {.box = {{-1.5, -1.5, -1.5}, {0.5, 1.5, 1.5}}, .spacing = 0.1}).find("outside the box"),
            std::string::npos);
  EXPECT_NE(error([](const Vec3&) { return NAN; }, {.box = room, .spacing = 0.3}).find("not a number"),
            std::string::npos);
}

}  // namespace
}  // namespace limber
