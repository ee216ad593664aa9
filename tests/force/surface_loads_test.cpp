#include "limber/force/surface_loads.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

using namespace test;

Vector flat(const std::vector<Vec3>& nodes) {
  Vector q(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = nodes[i];
  return q;
}

struct Surface {
  const char* name;
  FaceMesh faces;
  Vector rest;
};

const Vec3 size(1, 2, 3);

ElementMesh block_of(ElementKind kind) {
  if (kind == ElementKind::hex8) return box_hexahedra({0, 0, 0}, size, {1, 2, 1});
  const TetMesh mesh = box_mesh({0, 0, 0}, size, {1, 1, 1}, Split::five);
  return kind == ElementKind::tet4 ? linear_elements(mesh) : quadratic_elements(mesh);
}

std::vector<int> at_top(const std::vector<Vec3>& nodes) {
  std::vector<int> top;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].z() == size.z()) top.push_back(static_cast<int>(i));
  return top;
}

std::vector<Surface> closed_surfaces() {
  std::vector<Surface> all;
  for (const auto& [name, kind] :
       {std::pair{"P1", ElementKind::tet4}, {"P2", ElementKind::tet10}, {"hex", ElementKind::hex8}}) {
    const ElementMesh mesh = block_of(kind);
    all.push_back({name, boundary_faces(mesh), flat(mesh.nodes)});
  }
  const TetMesh box = box_mesh({0, 0, 0}, size, {1, 1, 1}, Split::five);
  all.push_back({"sheet", triangle_faces(boundary_triangles(box)), flat(box.nodes)});
  return all;
}

std::vector<Surface> open_surfaces() {
  std::vector<Surface> all;
  for (const auto& [name, kind] :
       {std::pair{"P1", ElementKind::tet4}, {"P2", ElementKind::tet10}, {"hex", ElementKind::hex8}}) {
    const ElementMesh mesh = block_of(kind);
    all.push_back({name, faces_between(boundary_faces(mesh), at_top(mesh.nodes)), flat(mesh.nodes)});
  }
  all.push_back({"sheet", triangle_faces({{0, 1, 2}, {2, 1, 3}}), flat({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, .5}})});
  return all;
}

TimeFunction<double> constant(double p) { return TimeFunction<double>::constant(p); }

State bent(const Surface& s, unsigned seed) {
  return {s.rest + random_vector(s.rest.size(), .15, seed), Vector::Zero(s.rest.size()), 0};
}

Vec3 total(const Vector& f) { return f.reshaped(3, f.size() / 3).rowwise().sum(); }

TEST(Faces, AreThoseOfOneElementOnlyAndLookOutwards) {
  for (const Surface& s : closed_surfaces()) {
    SCOPED_TRACE(s.name);
    EXPECT_NEAR(enclosed_volume(s.faces, s.rest), 6, 1e-13);
    EXPECT_TRUE(rim(s.faces).empty());
  }
  const ElementMesh hexes = block_of(ElementKind::hex8);
  EXPECT_EQ(boundary_faces(hexes).count(), 10u);
  const FaceMesh top = faces_between(boundary_faces(hexes), at_top(hexes.nodes));
  EXPECT_EQ(top.count(), 2u);
  EXPECT_EQ(rim(top).size(), 6u);
  EXPECT_EQ(faces_between(boundary_faces(hexes), {0, 1, 2}).count(), 0u);
}

TEST(Faces, MiddlesOfQuadraticOnesLieBetweenTheirCorners) {
  const ElementMesh mesh = block_of(ElementKind::tet10);
  const FaceMesh faces = boundary_faces(mesh);
  for (std::size_t f = 0; f < faces.count(); ++f)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto node = [&](std::size_t a) { return mesh.nodes[static_cast<std::size_t>(faces.face(f)[a])]; };
      EXPECT_LE((node(3 + k) - (node(k) + node((k + 1) % 3)) / 2).norm(), 1e-15);
    }
}

TEST(Traction, IsAreaTimesTractionOfTheRestShape) {
  const Vec3 T(3, -5, 7);
  for (const Surface& s : open_surfaces()) {
    SCOPED_TRACE(s.name);
    const auto load = make_traction(s.faces, s.rest, TimeFunction<Vec3>::constant(T));
    const double area = std::string(s.name) == "sheet" ? .5 + std::sqrt(1.5) / 2 : 2;
    const State u = bent(s, 3);
    EXPECT_LE((total(force_at(*load, u)) - area * T).norm(), 1e-13);
    expect_force_from_potentials(*load, u);
    expect_stiffness(*load, u);
    EXPECT_NEAR(load->potentials({s.rest, u.v, 0})->stored, 0, 1e-14);
    EXPECT_TRUE(load->traits().symmetric && load->traits().has_potential);
  }
}

TEST(Traction, OfQuadraticFacesIsOnTheirMiddles) {
  const Surface s{"tri6",
                  {FaceKind::tri6, {0, 1, 2, 3, 4, 5}},
                  flat({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {.5, 0, 0}, {.5, .5, 0}, {0, .5, 0}})};
  const auto load = make_traction(s.faces, s.rest, TimeFunction<Vec3>::constant({0, 0, 6}));
  const Vector f = force_at(*load, {s.rest, s.rest, 0});
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(f[3 * i + 2], i < 3 ? 0 : 1, 1e-14);
}

TEST(Pressure, OnAClosedSurfaceIsMinusItTimesTheGradientOfVolume) {
  for (const Surface& s : closed_surfaces()) {
    SCOPED_TRACE(s.name);
    const auto load = make_pressure(s.faces, s.rest, constant(4));
    EXPECT_TRUE(load->traits().symmetric && load->traits().has_potential);
    for (const unsigned seed : {1u, 2u}) {
      const State u = bent(s, seed);
      const auto V = [&](const Vector& q) { return Vector::Constant(1, enclosed_volume(s.faces, q)); };
      expect_near(force_at(*load, u), 4 * minus_jacobian(V, u.q).transpose(), 1e-9, "f = -p dV/dx");
      expect_force_from_potentials(*load, u);
      expect_stiffness(*load, u);
      expect_symmetric(tangent_at(*load, u).K);
      expect_balanced(*load, u);
      std::vector<int> free(static_cast<std::size_t>(s.rest.size() / 3));
      std::iota(free.begin(), free.end(), -1);
      expect_restricts(*load, u, free);
    }
    // Inwards: a face's force is against its normal.
    EXPECT_LT(force_at(*load, {s.rest, s.rest, 0}).dot(s.rest), 0);
    EXPECT_NEAR(load->potentials({2 * s.rest, s.rest, 0})->stored, 4 * 7 * 6, 1e-11);
  }
}

TEST(Pressure, OnAnOpenSurfaceHasAnExactTangentThatIsNotSymmetric) {
  for (const Surface& s : open_surfaces()) {
    SCOPED_TRACE(s.name);
    const auto load = make_pressure(s.faces, s.rest, constant(-2));
    EXPECT_FALSE(load->traits().symmetric || load->traits().has_potential);
    EXPECT_FALSE(load->potentials({s.rest, s.rest, 0}).has_value());
    for (const unsigned seed : {1u, 2u}) {
      const State u = bent(s, seed);
      expect_stiffness(*load, u);
      const Matrix K = tangent_at(*load, u).K;
      EXPECT_GT((K - K.transpose()).norm(), .1);
    }
  }
}

/// A sheet whose rim stands still encloses a volume with it.
TEST(Pressure, WithAFixedRimHasAPotential) {
  const TetMesh box = box_mesh({0, 0, 0}, {3, 3, 1}, {3, 3, 1}, Split::six);
  std::vector<int> top, fixed, free_index(box.nodes.size(), -1);
  int inside = 0;
  for (std::size_t i = 0; i < box.nodes.size(); ++i) {
    if (box.nodes[i].z() != 1) continue;
    top.push_back(static_cast<int>(i));
    const bool at_rim = box.nodes[i].head<2>().minCoeff() == 0 || box.nodes[i].head<2>().maxCoeff() == 3;
    if (at_rim)
      fixed.push_back(static_cast<int>(i));
    else
      free_index[i] = inside++;
  }
  ASSERT_EQ(inside, 4);
  const Vector rest = flat(box.nodes);
  const FaceMesh faces = faces_between(boundary_faces(linear_elements(box)), top);
  const auto load = make_pressure(faces, rest, constant(5), fixed);
  EXPECT_TRUE(load->traits().symmetric && load->traits().has_potential);
  State u{rest, Vector::Zero(rest.size()), 0};
  const Vector moves = random_vector(rest.size(), .2, 7);
  for (std::size_t i = 0; i < free_index.size(); ++i)
    if (free_index[i] >= 0) u.q.segment<3>(3 * static_cast<Index>(i)) += moves.segment<3>(3 * static_cast<Index>(i));
  const auto W = [&](const Vector& q) { return Vector::Constant(1, load->potentials({q, u.v, 0})->stored); };
  const auto f = [&](const Vector& q) { return force_at(*load, {q, u.v, 0}); };
  const Matrix slope = minus_jacobian(W, u.q), K = minus_jacobian(f, u.q);
  const Matrix part = tangent_on(*load, u, Definiteness::exact, Storage::lower, free_index).K;
  for (std::size_t a = 0; a < free_index.size(); ++a)
    for (std::size_t b = 0; b < free_index.size(); ++b) {
      if (free_index[a] < 0 || free_index[b] < 0) continue;
      const Index i = 3 * static_cast<Index>(a), j = 3 * static_cast<Index>(b);
      EXPECT_LE((force_at(*load, u).segment<3>(i) - slope.transpose().block(i, 0, 3, 1)).norm(), 1e-8);
      EXPECT_LE((part.block<3, 3>(3 * free_index[a], 3 * free_index[b]) - K.block<3, 3>(i, j)).norm(), 1e-8);
    }
  fixed.pop_back();
  EXPECT_FALSE(make_pressure(faces, rest, constant(5), fixed)->traits().has_potential);
}

TEST(Pressure, ChangesWithTime) {
  const Surface s = closed_surfaces()[0];
  const auto load =
      make_pressure(s.faces, s.rest, TimeFunction<double>::table({0, 2}, {0, 6}, Interpolation::linear, "time"));
  EXPECT_TRUE(load->traits().time_dependent);
  EXPECT_EQ(force_at(*load, {s.rest, s.rest, 0}).norm(), 0);
  const auto constantly = make_pressure(s.faces, s.rest, constant(3));
  EXPECT_LE((force_at(*load, {s.rest, s.rest, 1}) - force_at(*constantly, {s.rest, s.rest, 0})).norm(), 1e-14);
  EXPECT_NEAR(load->potentials({2 * s.rest, s.rest, 1})->stored, 3 * 42, 1e-11);
}

}  // namespace
}  // namespace limber
