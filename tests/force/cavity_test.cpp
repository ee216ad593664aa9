#include "limber/force/cavity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "force/differences.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/closed_faces.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

using namespace test;

/// A block of 3 × 3 × 3 cells without the one in the middle, which is the cavity: 1 × 2 × 3 m.
struct Hollow {
  const char* name;
  FaceMesh faces;  // as the elements have them: of the inside they look into the cavity
  Vector rest;
};

const Vec3 cell(1, 2, 3);

ElementMesh hollow_block(ElementKind kind) {
  const auto in_cavity = [](const Vec3& x) {
    const Vec3 s = x.cwiseQuotient(cell);
    return (s.array() > 1).all() && (s.array() < 2).all();
  };
  const auto middle = [](const auto& mesh, const auto& corners) {
    Vec3 sum = Vec3::Zero();
    for (const int i : corners) sum += mesh.nodes[ix(i)];
    return Vec3(sum / static_cast<double>(corners.size()));
  };
  if (kind == ElementKind::hex8) {
    ElementMesh mesh = box_hexahedra({0, 0, 0}, 3 * cell, {3, 3, 3});
    std::vector<int> kept;
    for (std::size_t e = 0; e < mesh.count(); ++e)
      if (!in_cavity(middle(mesh, mesh.element(e))))
        kept.insert(kept.end(), mesh.element(e).begin(), mesh.element(e).end());
    mesh.corners = kept;
    return mesh;
  }
  TetMesh mesh = box_mesh({0, 0, 0}, 3 * cell, {3, 3, 3}, Split::five);
  std::erase_if(mesh.tets, [&](const auto& t) { return in_cavity(middle(mesh, t)); });
  return kind == ElementKind::tet4 ? linear_elements(mesh) : quadratic_elements(mesh);
}

Vector flat_nodes(const std::vector<Vec3>& nodes) {
  Vector q(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) block(q, static_cast<int>(i)) = nodes[i];
  return q;
}

std::vector<Hollow> hollow_bodies() {
  std::vector<Hollow> all;
  for (const auto& [name, kind] :
       {std::pair{"P1", ElementKind::tet4}, {"P2", ElementKind::tet10}, {"hex", ElementKind::hex8}}) {
    const ElementMesh mesh = hollow_block(kind);
    all.push_back({name, boundary_faces(mesh), flat_nodes(mesh.nodes)});
  }
  return all;
}

ClosedFaces::Part inside(const Hollow& body) {
  const ClosedFaces closed = closed_faces(body.faces, body.rest, FaceSides::as_given);
  EXPECT_EQ(closed.open_edges, 0u);
  EXPECT_EQ(closed.parts.size(), 2u);
  for (const auto& part : closed.parts)
    if (part.turned) return part;
  return {};
}

State distorted(const Hollow& body, unsigned seed) {
  return {body.rest + random_vector(body.rest.size(), .1, seed), Vector::Zero(body.rest.size()), .25};
}

TimeFunction<double> rising() {
  return TimeFunction<double>::table({0, 1}, {1.0, 3.0}, Interpolation::linear, "amount");
}

TEST(ClosedFaces, TellInsideFromOutside) {
  for (const Hollow& body : hollow_bodies()) {
    SCOPED_TRACE(body.name);
    const ClosedFaces closed = closed_faces(body.faces, body.rest, FaceSides::as_given);
    ASSERT_EQ(closed.parts.size(), 2u);
    for (const auto& part : closed.parts) EXPECT_NEAR(part.volume, part.turned ? 6 : 27 * 6, 1e-12);
    EXPECT_NE(closed.parts[0].turned, closed.parts[1].turned);
    const auto cavity = make_cavity(inside(body).faces, body.rest, CavityGas{});
    EXPECT_NEAR(cavity->volume(body.rest), 6, 1e-13);
  }
}

TEST(ClosedFaces, CountOpenEdgesAndTurnSheets) {
  const TetMesh box = box_mesh({0, 0, 0}, cell, {1, 1, 1}, Split::five);
  std::vector<std::array<int, 3>> triangles = boundary_triangles(box);
  const Vector q = flat_nodes(box.nodes);
  std::swap(triangles[2][0], triangles[2][1]);
  EXPECT_EQ(closed_faces(triangle_faces(triangles), q, FaceSides::as_given).open_edges, 3u);
  const ClosedFaces closed = closed_faces(triangle_faces(triangles), q, FaceSides::consistent);
  EXPECT_EQ(closed.open_edges, 0u);
  ASSERT_EQ(closed.parts.size(), 1u);
  EXPECT_NEAR(closed.parts[0].volume, 6, 1e-13);
  EXPECT_NEAR(make_cavity(closed.parts[0].faces, q, CavityGas{})->volume(q), 6, 1e-13);
  triangles.pop_back();
  EXPECT_EQ(closed_faces(triangle_faces(triangles), q, FaceSides::consistent).open_edges, 3u);
}

TEST(Cavity, ForceAndTangentComeFromThePotential) {
  for (const Hollow& body : hollow_bodies()) {
    SCOPED_TRACE(body.name);
    const FaceMesh faces = inside(body).faces;
    const auto gas = make_cavity(faces, body.rest, CavityGas{.ambient = 2, .amount = rising()});
    const auto liquid = make_cavity(faces, body.rest, CavityLiquid{.bulk = 5, .volume = rising()});
    for (const auto& cavity : {gas, liquid}) {
      const State u = distorted(body, 3);
      expect_force_from_potentials(*cavity, u);
      expect_stiffness(*cavity, u);
      expect_balanced(*cavity, u);
      expect_symmetric(tangent_at(*cavity, u).K);
      expect_psd(tangent_at(*cavity, u, Definiteness::projected).K);
      EXPECT_GT(tangent_at(*cavity, u, Definiteness::projected).K.norm(), 0);
    }
  }
}

TEST(Cavity, LeavesOutPrescribedNodes) {
  const Hollow body = hollow_bodies()[0];
  const auto gas = make_cavity(inside(body).faces, body.rest, CavityGas{.ambient = 2, .amount = rising()});
  std::vector<int> free_index(static_cast<std::size_t>(body.rest.size() / 3));
  for (std::size_t i = 0, next = 0; i < free_index.size(); ++i)
    free_index[i] = i % 4 == 1 ? -1 : static_cast<int>(next++);
  expect_restricts(*gas, distorted(body, 4), free_index);
}

TEST(Cavity, PressureOfGasAndLiquid) {
  const Hollow body = hollow_bodies()[0];
  const FaceMesh faces = inside(body).faces;
  const auto gas = make_cavity(faces, body.rest, CavityGas{.ambient = 1e5, .amount = rising()});
  // p V = p₀ V₀ a, less the pressure outside.
  EXPECT_NEAR(gas->pressure(6, 0), 0, 1e-9);
  EXPECT_NEAR(gas->pressure(6, .5), 1e5, 1e-9);
  EXPECT_NEAR(gas->pressure(12, .5), 0, 1e-9);
  EXPECT_NEAR(gas->pressure(3, 0), 1e5, 1e-9);
  EXPECT_FALSE(std::isfinite(gas->potentials({Vector::Zero(body.rest.size()), {}, 0})->stored));
  const auto liquid = make_cavity(faces, body.rest, CavityLiquid{.bulk = 1e6, .volume = rising()});
  EXPECT_NEAR(liquid->pressure(6, 0), 0, 1e-9);
  EXPECT_NEAR(liquid->pressure(5.94, 0), 1e4, 1e-6);
  EXPECT_NEAR(liquid->pressure(12, .5), 0, 1e-6);
}

TEST(Cavity, StepsDoNotTurnItInsideOut) {
  const Hollow body = hollow_bodies()[0];
  const auto gas = make_cavity(inside(body).faces, body.rest, CavityGas{});
  Vector in = -body.rest;  // to a point, and through it
  in *= 2;
  const double s = gas->max_step(body.rest, in, 0, 0);
  EXPECT_GT(s, 0);
  EXPECT_GT(gas->volume(body.rest + s * in), 0);
  EXPECT_EQ(gas->max_step(body.rest, .1 * body.rest, 0, 0), 1);
}

}  // namespace
}  // namespace limber
