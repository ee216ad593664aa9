/// The stiffness at rest of every elastic force, turned with the shape.

#include "limber/force/turning.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "force/sheets.hpp"
#include "limber/force/bending.hpp"
#include "limber/force/elastic.hpp"
#include "limber/force/mass.hpp"
#include "limber/force/membrane.hpp"
#include "limber/force/rayleigh.hpp"
#include "limber/force/rod.hpp"

namespace limber::test {
namespace {

struct TurningCase {
  std::string name;
  Vector rest;
  std::unique_ptr<Force> (*make)();
};

ElementMesh turning_mesh(ElementKind kind) {
  const Vec3 size(1, .8, 1.2);
  const std::array<int, 3> cells{1, 1, 2};
  ElementMesh mesh = kind == ElementKind::hex8    ? box_hexahedra(Vec3::Zero(), size, cells)
                     : kind == ElementKind::tet10 ? quadratic_elements(box_mesh(Vec3::Zero(), size, cells, Split::five))
                                                  : linear_elements(box_mesh(Vec3::Zero(), size, cells, Split::five));
  const Vector shake = random_vector(3 * static_cast<Index>(mesh.nodes.size()), .04, 3);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) mesh.nodes[i] += shake.segment<3>(3 * static_cast<Index>(i));
  return mesh;
}

template <ElementKind kind, bool means>
std::unique_ptr<Force> turning_solid() {
  const ElementMesh mesh = turning_mesh(kind);
  std::vector<AnyMaterial> materials{make_material({"stable_neo_hookean", 50, .49, {}}, "m"),
                                     make_material({"stable_neo_hookean", 90, .4, {}}, "m")};
  std::vector<int> of(mesh.count());
  for (std::size_t e = 0; e < of.size(); ++e) of[e] = e % 3 == 0;
  if (!means) return std::make_unique<ElasticForce>(mesh, 0, materials, of);
  materials[0] = softened(materials[0], 700);
  return std::make_unique<ElasticForce>(mesh, 0, materials, of, MeanParts{{700, 0}, {0, 0}});
}
TriMesh turning_sheet() {
  TriMesh mesh = grid_sheet(2, 2, .5, .4);
  const Vector shake = random_vector(3 * static_cast<Index>(mesh.nodes.size()), .05, 4);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) mesh.nodes[i] += shake.segment<3>(3 * static_cast<Index>(i));
  return mesh;
}
const std::vector<std::array<int, 2>> turning_edges{{0, 1}, {1, 2}, {2, 3}};
const Vector turning_line{{0, 0, 0, 1, 0, 0, 1.7, 0, 0, 2.9, 0, 0}};
const Vector turning_curve{{0, 0, 0, 1, .2, 0, 1.7, 0, .3, 2.9, .5, 0}};

const std::vector<TurningCase>& turning_cases() {
  using enum ElementKind;
  static const std::vector<TurningCase> all = {
      {"tetrahedra", stacked(turning_mesh(tet4).nodes), turning_solid<tet4, false>},
      {"tetrahedra_with_means", stacked(turning_mesh(tet4).nodes), turning_solid<tet4, true>},
      {"quadratic", stacked(turning_mesh(tet10).nodes), turning_solid<tet10, false>},
      {"quadratic_with_means", stacked(turning_mesh(tet10).nodes), turning_solid<tet10, true>},
      {"hexahedra", stacked(turning_mesh(hex8).nodes), turning_solid<hex8, false>},
      {"hexahedra_with_means", stacked(turning_mesh(hex8).nodes), turning_solid<hex8, true>},
      {"membrane", stacked(turning_sheet().nodes),
       []() -> std::unique_ptr<Force> {
         const TriMesh mesh = turning_sheet();
         return std::make_unique<MembraneForce>(mesh, 0, std::vector{make_material({"neo_hookean", 50, .4, {}}, "m")},
                                                std::vector<int>(mesh.triangles.size(), 0), .1, "m");
       }},
      {"bending", stacked(turning_sheet().nodes),
       []() -> std::unique_ptr<Force> {
         const TriMesh mesh = turning_sheet();
         return std::make_unique<BendingForce>(mesh, 0, std::vector<double>(mesh.triangles.size(), 2.),
                                               RestAngles::of_rest_shape, "m");
       }},
      {"springs", turning_curve,
       []() -> std::unique_ptr<Force> {
         return std::make_unique<PointSprings>(network_springs(turning_edges, turning_curve, 80, 0), 4,
                                               EnergyKind::elastic, "s");
       }},
      {"bent_rod", turning_curve,
       []() -> std::unique_ptr<Force> {
         return std::make_unique<RodBending>(turning_edges, turning_curve, 2, RestAngles::of_rest_shape, "r");
       }},
      {"straight_rod", turning_line,
       []() -> std::unique_ptr<Force> {
         return std::make_unique<RodBending>(turning_edges, turning_line, 2, RestAngles::of_rest_shape, "r");
       }},
  };
  return all;
}

class Turning : public testing::TestWithParam<std::size_t> {
 protected:
  const TurningCase& own = turning_cases()[GetParam()];
  std::unique_ptr<Force> force = own.make();

  Matrix turned(const State& start, double dt) {
    std::vector<int> all(static_cast<std::size_t>(own.rest.size() / 3));
    std::iota(all.begin(), all.end(), 0);
    Couplings pairs;
    force->add_couplings(pairs);
    const BlockPattern pattern(static_cast<int>(all.size()), pairs, Storage::full);
    force->bind(pattern, all);
    SparseMatrix K = pattern.zero();
    TangentBuilder T(pattern, all, Definiteness::exact, K.valuePtr(), nullptr);
    dynamic_cast<const TurningStiffness&>(*force).add_turned_stiffness(start, dt, T);
    return K;
  }
  Vector spinning(const Vector& q, const Vec3& omega) const {
    Vector v(q.size());
    for (Index i = 0; i < q.size(); i += 3) v.segment<3>(i) = omega.cross(q.segment<3>(i)) + Vec3(3, 1, 4);
    return v;
  }
  Vector strained() const {
    return mapped(some_rotation(), Vec3(1, 2, 3), own.rest + random_vector(own.rest.size(), .15, 7));
  }
};

TEST_P(Turning, IsTheStiffnessAtRest) {
  const Matrix K = tangent_at(*force, at_rest(own.rest)).K;
  expect_near(turned(at_rest(own.rest), 0), K, 1e-12, "at rest");
  // And of the rest shape that has turned, the same seen from there.
  const Mat3 R = some_rotation();
  Matrix all = Matrix::Zero(K.rows(), K.cols());
  for (Index i = 0; i < K.rows(); i += 3)
    for (Index j = 0; j < K.cols(); j += 3) all.block<3, 3>(i, j) = R * K.block<3, 3>(i, j) * R.transpose();
  expect_near(turned(at_rest(mapped(R, Vec3(1, 2, 3), own.rest)), 0), all, 1e-12, "turned");
}

TEST_P(Turning, ResistsNoRotationOfAnyShape) {
  const Vector q = strained();
  const Matrix K = turned(at_rest(q), 0);
  expect_psd(K);
  const Vector v = spinning(q, {1, -2, .5});
  // What is straight at rest keeps a little, less the further it is bent.
  const double most = own.name == "straight_rod" ? .01 : 1e-12;
  EXPECT_LE((K * v).norm(), most * K.norm() * v.norm());
  EXPECT_GT((K * random_vector(q.size(), 1, 9)).norm(), .1 * K.norm());
}

TEST_P(Turning, StandsShapesWithoutVolume) {
  for (const Mat3& flat : {Mat3(Vec3(1, 1, 0).asDiagonal()), Mat3(Vec3(1, 1, -1).asDiagonal()), Mat3(Mat3::Zero())}) {
    const Vector q = mapped(flat, Vec3::Zero(), own.rest);
    const Matrix K = turned({q, random_vector(q.size(), 1, 3), 0}, .1);
    // Springs and angles are not defined where edges have no length.
    if (own.name.find("rod") == std::string::npos && own.name != "springs" && own.name != "bending") {
      EXPECT_TRUE(K.allFinite()) << flat;
      expect_psd(K);
    }
  }
}

TEST_P(Turning, MovesOnWithOrderTwo) {
  const Vector q = strained(), spin = spinning(q, {1, -2, .5});
  // A rotation is followed exactly, but by a spring alone, which does not see how it turns about itself.
  const Mat3 later = Eigen::AngleAxisd(.7 * Vec3(1, -2, .5).norm(), Vec3(1, -2, .5).normalized()).toRotationMatrix();
  if (own.name != "springs")
    expect_near(turned({q, spin, 0}, .7), turned(at_rest(mapped(later, Vec3::Zero(), q)), 0), 1e-9, "rotation");
  // Of any other motion: x(t) = q + t v + t² a.
  const Vector v = spin + random_vector(q.size(), .3, 5), a = random_vector(q.size(), .5, 6);
  const auto error = [&](double t) {
    return (turned({q, v, 0}, t) - turned(at_rest(q + t * v + t * t * a), 0)).norm();
  };
  EXPECT_NEAR(std::log2(error(.01) / error(.005)), 2, .15);
}

INSTANTIATE_TEST_SUITE_P(Forces, Turning, testing::Range(std::size_t{0}, turning_cases().size()),
                         [](const auto& info) { return turning_cases()[info.param].name; });

/// Of a step, along the motion with which it began: a potential, D its exact tangent, nothing for what turns as a
/// whole.
TEST(CorotatedDamping, IsAForceWithAPotential) {
  const ElementMesh mesh = turning_mesh(ElementKind::hex8);
  const auto masses = element_masses(mesh, 0, std::vector<double>(mesh.count(), 10.), MassKind::lumped);
  const Vector rest = stacked(mesh.nodes);
  RayleighDamping damping(turning_solid<ElementKind::hex8, true>(), masses, rest, {.02, 0}, RayleighAt::corotated);
  EXPECT_TRUE(damping.traits().symmetric && damping.traits().has_potential && damping.traits().time_dependent);
  const State start{rest + random_vector(rest.size(), .1, 1), random_vector(rest.size(), 1, 2), .3};
  State u{rest + random_vector(rest.size(), .1, 3), random_vector(rest.size(), 1, 4), .3};
  for (const bool begun : {false, true}) {
    if (begun) damping.begin_step(start);
    for (const double t : {.3, .35}) {
      u.t = t;
      expect_force_from_potentials(damping, u);
      expect_damping(damping, u);
      if (begun) expect_stiffness(damping, u);
      EXPECT_GT(damping.damping_power(u), 0);
      EXPECT_NEAR(damping.damping_power(u), -force_at(damping, u).dot(u.v), 1e-12);
    }
  }
  std::vector<int> free(mesh.nodes.size());
  for (std::size_t i = 0, k = 0; i < free.size(); ++i) free[i] = i % 4 == 1 ? -1 : static_cast<int>(k++);
  expect_restricts(damping, u, free);
  // A step that is tried again from elsewhere, and back.
  const Vector f = force_at(damping, u);
  damping.begin_step({rest, Vector::Zero(rest.size()), .3});
  EXPECT_GT((force_at(damping, u) - f).norm(), 1e-3 * f.norm());
  damping.begin_step(start);
  EXPECT_EQ(force_at(damping, u), f);
}

}  // namespace
}  // namespace limber::test
