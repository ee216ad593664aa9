#pragma once
/// Contact scenes made piece by piece for tests, and dense tangents of forces whose couplings come and go.

#include <memory>
#include <numeric>
#include <set>

#include "force/differences.hpp"
#include "limber/contact/forces/friction_force.hpp"

namespace limber::test {

inline Vec3 node_of(const Vector& x, int i) { return x.segment<3>(3 * static_cast<Index>(i)); }

/// Moves by `by` [m/s] and turns with the rotation vector `turn` [rad/s] about `pivot`, from t = 0 to 10 s.
inline Motion steady(const Vec3& by, const Vec3& turn = Vec3::Zero(), const Vec3& pivot = Vec3::Zero()) {
  const auto ramp = [](const Vec3& rate) {
    return TimeFunction<Vec3>::table({0, 10}, {Vec3::Zero(), 10 * rate}, Interpolation::linear, "test");
  };
  Motion m;
  m.pivot = pivot;
  m.translation = ramp(by);
  m.rotation = ramp(turn);
  return m;
}

/// Bodies first, then obstacles. All bodies may collide with all other objects, and with themselves if asked.
class SceneBuilder {
 public:
  explicit SceneBuilder(double delta) { c_.delta = delta; }

  /// Returns its object's number.
  int body(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 3>>& triangles,
           const std::vector<std::array<int, 2>>& rods = {}, double radius = 0) {
    const int object = add(nodes, triangles, rods, radius);
    c_.body_nodes = static_cast<int>(c_.surface.object.size());
    c_.stiffness.push_back(300 * (object + 1));
    ++bodies_;
    return object;
  }
  int tet(const std::vector<Vec3>& nodes) { return body(nodes, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}); }
  int rod(const std::vector<Vec3>& nodes, double radius) {
    std::vector<std::array<int, 2>> edges;
    for (int i = 0; i + 1 < static_cast<int>(nodes.size()); ++i) edges.push_back({i, i + 1});
    return body(nodes, {}, edges, radius);
  }
  int implicit(ShapePtr shape, Motion motion = {}) {
    c_.implicit.push_back({MovingShape(std::move(shape), std::move(motion)), objects_});
    c_.stiffness.push_back(std::numeric_limits<double>::infinity());
    return objects_++;
  }
  int surface(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 3>>& triangles,
              const std::vector<std::array<int, 2>>& rods, double radius, Motion motion = {}) {
    const int first = static_cast<int>(c_.surface.object.size());
    const int object = add(nodes, triangles, rods, radius);
    SurfaceObstacle o{{}, nodes, std::move(motion)};
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i) o.nodes.push_back(first + i);
    c_.surfaces.push_back(std::move(o));
    c_.stiffness.push_back(std::numeric_limits<double>::infinity());
    return object;
  }
  void self_contact(int object) { selfish_.insert(object); }

  ContactScene build(double mu = 0) {
    c_.rest = Eigen::Map<Vector>(rest_.data(), static_cast<Index>(rest_.size()));
    const auto n = static_cast<std::size_t>(objects_);
    c_.may_collide.assign(n, std::vector<char>(n, 1));
    c_.mu.assign(n, std::vector<double>(n, mu));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        if (i >= bodies_ && j >= bodies_) c_.may_collide[i][j] = 0;
      c_.may_collide[i][i] = selfish_.count(static_cast<int>(i)) ? 1 : 0;
      c_.objects.push_back("object " + std::to_string(i));
    }
    return c_;
  }

 private:
  int add(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 3>>& triangles,
          const std::vector<std::array<int, 2>>& rods, double radius) {
    const int first = static_cast<int>(c_.surface.object.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      rest_.insert(rest_.end(), {nodes[i][0], nodes[i][1], nodes[i][2]});
      c_.surface.points.push_back(first + static_cast<int>(i));
      c_.surface.object.push_back(objects_);
      c_.surface.radius.push_back(radius);
    }
    std::set<std::array<int, 2>> edges;
    const auto edge = [&](int i, int j) { edges.insert({first + std::min(i, j), first + std::max(i, j)}); };
    for (const auto& t : triangles) {
      c_.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      for (std::size_t k = 0; k < 3; ++k) edge(t[k], t[(k + 1) % 3]);
    }
    for (const auto& e : rods) edge(e[0], e[1]);
    c_.surface.edges.insert(c_.surface.edges.end(), edges.begin(), edges.end());
    return objects_++;
  }

  ContactScene c_;
  int objects_ = 0;
  std::size_t bodies_ = 0;
  std::set<int> selfish_;
  std::vector<double> rest_;
};

/// The 12 triangles of a box whose corners are numbered x fastest, facing outwards.
inline std::vector<std::array<int, 3>> box_triangles() {
  return {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
}
inline std::vector<Vec3> box_corners(const Vec3& min, const Vec3& max) {
  std::vector<Vec3> x;
  for (int k = 0; k < 8; ++k) x.emplace_back(k & 1 ? max[0] : min[0], k & 2 ? max[1] : min[1], k & 4 ? max[2] : min[2]);
  return x;
}

/// A configuration with what acts on it.
struct ContactCase {
  std::string name;
  std::shared_ptr<Collisions> collisions;
  std::shared_ptr<ContactStiffness> stiffness;
  State u;
  bool free = false;  // no obstacles: forces balance

  ContactCase(std::string n, const ContactScene& scene, double t = 0)
      : name(std::move(n)),
        collisions(std::make_shared<Collisions>(scene)),
        stiffness(std::make_shared<ContactStiffness>(scene, ContactStiffness::Rule::given)),
        u{scene.rest.head(3 * scene.body_nodes), random_vector(3 * scene.body_nodes, 1, 7), t},
        free(scene.implicit.empty() && scene.surfaces.empty()) {}
};

/// K and D, once on a pattern of all pairs and once on that of the declared couplings: they must be the same.
inline DenseTangent declared_tangent(const std::vector<const Force*>& forces, const State& u,
                                     Definiteness d = Definiteness::exact) {
  const int nodes = static_cast<int>(u.q.size() / 3);
  Couplings all, now;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < a; ++b) all.emplace_back(a, b);
  for (const Force* f : forces) dynamic_cast<const ContactForce&>(*f).add_couplings_at(u, now);
  std::vector<int> free_index(static_cast<std::size_t>(nodes));
  std::iota(free_index.begin(), free_index.end(), 0);
  const BlockPattern whole(nodes, all, Storage::full);
  SparseMatrix K = whole.zero(), D = whole.zero();
  SparseMatrix unsymmetric;
  TangentBuilder T(whole, free_index, d, K.valuePtr(), D.valuePtr(), {&whole, &unsymmetric});
  for (const Force* f : forces) f->add_tangent(u, T);
  if (unsymmetric.size() > 0) K += unsymmetric;
  const BlockPattern declared(nodes, now, Storage::full);
  const DenseTangent dense{Matrix(K), Matrix(D)};
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b)
      if (declared.slot(a, b).first < 0) {
        EXPECT_TRUE(dense.K.block(3 * a, 3 * b, 3, 3).isZero(0)) << "undeclared block " << a << ", " << b;
        EXPECT_TRUE(dense.D.block(3 * a, 3 * b, 3, 3).isZero(0)) << "undeclared block " << a << ", " << b;
      }
  return dense;
}

/// Configurations in which all kinds of pairs meet, at gaps between δ/5 and δ = .1 m.
inline std::vector<ContactCase> contact_cases(double mu) {
  constexpr double delta = .1;
  std::vector<ContactCase> cases;
  {
    SceneBuilder s(delta);
    s.tet({{0, 0, 0}, {1, .02, .1}, {.1, -.01, 1.1}, {.3, -1, .4}});
    s.tet({{.2, .07, .1}, {.2, .05, .9}, {1.1, .09, .2}, {.3, 1.1, .3}});
    cases.emplace_back("face_to_face", s.build(mu));
  }
  {
    SceneBuilder s(delta);
    s.tet({{-.5, 0, .02}, {.6, .01, -.03}, {0, -1, .7}, {.1, -.9, -.8}});
    s.tet({{.03, .05, -.6}, {-.04, .07, .5}, {.7, 1, .1}, {-.8, 1.1, .1}});
    cases.emplace_back("edge_to_edge", s.build(mu));
  }
  {
    // sin² of the angle is 4e-4 or less: well inside the mollifier's range of 1e-3.
    SceneBuilder s(delta);
    s.tet({{-.5, 0, 0}, {.6, .005, -.006}, {0, -1, .7}, {.1, -.9, -.8}});
    s.tet({{-.45, .05, .012}, {.52, .061, -.009}, {.1, 1, .9}, {-.1, 1.1, -.8}});
    cases.emplace_back("nearly_parallel_edges", s.build(mu));
  }
  {
    SceneBuilder s(delta);
    s.tet({{0, 0, 0}, {1, .02, .1}, {.1, -.01, 1.1}, {.3, -1, .4}});
    s.tet({{.4, .04, .3}, {.2, 1.05, .9}, {1.1, .99, .2}, {.3, 1.1, -.3}});
    cases.emplace_back("point_to_face", s.build(mu));
  }
  {
    SceneBuilder s(delta);
    s.tet({{.1, .05, .2}, {1, .3, .1}, {.1, .4, 1.1}, {.3, 1.5, .4}});
    s.implicit(half_space({0, 0, 0}, {.1, 1, -.05}), steady({.4, 0, .2}));
    s.implicit(sphere({-.95, .2, .2}, 1), steady({0, .02, 0}, {.3, .2, .1}, {-.95, .2, .2}));
    cases.emplace_back("plane_and_sphere", s.build(mu), .5);
  }
  {
    // Inside the ring's hole the shape is concave: ∇²φ is indefinite.
    SceneBuilder s(delta);
    s.tet({{.65, 0, .02}, {.2, .6, .1}, {-.1, -.2, .6}, {0, .1, -.5}});
    s.implicit(torus({0, 0, 0}, {.05, 1, 0}, 1, .3));
    s.implicit(cylinder({.1, -2, .63}, {-.1, -.25, .67}, .1), steady({0, 0, -.02}, {.1, 0, .2}));
    cases.emplace_back("torus_and_cylinder", s.build(mu), .3);
  }
  {
    SceneBuilder s(delta);
    s.tet({{0, 0, 0}, {1, .02, .1}, {.1, -.01, 1.1}, {.3, -1, .4}});
    s.surface({{.4, .35, .3}}, {}, {}, .3, steady({.1, -.01, .2}));
    s.surface({{-.6, .2, .5}, {1.5, .25, .6}}, {}, {{0, 1}}, .15, steady({0, .01, .3}, {0, .02, 0}));
    cases.emplace_back("kinematic_sphere_and_capsule", s.build(mu), .5);
  }
  {
    SceneBuilder s(delta);
    s.tet({{0, .04, 0}, {1, .06, .1}, {.1, .05, 1.1}, {.3, 1, .4}});
    s.surface(box_corners({-.3, -1, -.4}, {.8, 0, .9}), box_triangles(), {}, 0, steady({.2, .01, -.1}, {.01, .3, 0}));
    cases.emplace_back("kinematic_box", s.build(mu), .1);
  }
  {
    SceneBuilder s(delta);
    s.rod({{-1, 0, 0}, {0, .02, .01}, {1, 0, .03}}, .05);
    s.rod({{.3, .17, -1}, {.32, .16, .1}, {.28, .19, 1}}, .06);
    s.tet({{-.5, -.09, .01}, {-1.2, -.9, 1}, {-.9, -1, -.8}, {.1, -1.1, .1}});
    cases.emplace_back("rods_with_thickness", s.build(mu));
  }
  {
    // Corners near corners: many pairs are nearest at the same vertices and edges.
    SceneBuilder s(delta);
    for (const double y : {0., .05}) {
      const Vector off = random_vector(27, .03, 11 + (y > 0));
      std::vector<Vec3> nodes;
      for (int i = 0; i < 9; ++i)
        nodes.push_back(Vec3(i % 3, y, i / 3) + Vec3(off[3 * i], .3 * off[3 * i + 1], off[3 * i + 2]));
      s.body(nodes, {{0, 3, 1}, {1, 3, 4}, {1, 4, 2}, {2, 4, 5}, {3, 6, 4}, {4, 6, 7}, {4, 7, 5}, {5, 7, 8}});
    }
    cases.emplace_back("stacked_sheets", s.build(mu));
  }
  {
    // A sheet of two flaps folded onto itself.
    SceneBuilder s(delta);
    const int sheet =
        s.body({{0, 0, 0}, {0, 0, 1}, {1, .02, .1}, {1, 0, 1.1}, {.9, .07, .2}, {.8, .06, .9}, {1.9, .3, .5}},
               {{0, 1, 2}, {1, 3, 2}, {4, 5, 6}, {2, 3, 6}});
    s.self_contact(sheet);
    cases.emplace_back("self_contact", s.build(mu));
  }
  return cases;
}

}  // namespace limber::test
