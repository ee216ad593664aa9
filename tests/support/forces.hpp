#pragma once
/// Small forces for systems of a few nodes, and dense views of such systems.

#include <functional>

#include "limber/model/mechanical_system.hpp"

namespace limber::test {

inline auto node(Vector& x, int i) { return x.segment<3>(3 * static_cast<Index>(i)); }
inline auto node(const Vector& x, int i) { return x.segment<3>(3 * static_cast<Index>(i)); }

/// Bonds with W = k/(8L²) (|d|² − L²)² and dashpots −c ḋ, d = x_a − x_b: smooth, with a potential.
class Bonds final : public Force, public DampingForce {
 public:
  struct Bond {
    int a, b;
    double k, L, c;  // [N/m], [m], [N·s/m]
  };
  explicit Bonds(std::vector<Bond> bonds) : bonds_(std::move(bonds)) {}

  ForceTraits traits() const override {
    ForceTraits t{.energy = EnergyKind::elastic};
    for (const auto& b : bonds_) t.velocity_dependent = t.velocity_dependent || b.c != 0;
    return t;
  }
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override {
    for (const auto& b : bonds_) pairs.emplace_back(b.a, b.b);
  }
  void add_force(const State& u, Vector& f) const override {
    for (const auto& b : bonds_) {
      const Vec3 d = node(u.q, b.a) - node(u.q, b.b), w = node(u.v, b.a) - node(u.v, b.b);
      const Vec3 pull = b.k / (2 * b.L * b.L) * (d.squaredNorm() - b.L * b.L) * d + b.c * w;
      node(f, b.a) -= pull;
      node(f, b.b) += pull;
    }
  }
  void add_tangent(const State& u, TangentBuilder& T) const override {
    for (const auto& b : bonds_) {
      const Vec3 d = node(u.q, b.a) - node(u.q, b.b);
      double s = d.squaredNorm() - b.L * b.L;
      if (T.projected()) s = std::max(s, 0.0);
      const Mat3 k = b.k / (2 * b.L * b.L) * (s * Mat3::Identity() + 2 * d * d.transpose());
      for (const auto& [i, j, sign] :
           {std::tuple{b.a, b.a, 1.0}, {b.b, b.b, 1.0}, {b.a, b.b, -1.0}, {b.b, b.a, -1.0}}) {
        T.add_stiffness(i, j, sign * k);
        if (b.c != 0) T.add_damping(i, j, sign * b.c * Mat3::Identity());
      }
    }
  }
  std::optional<Potentials> potentials(const State& u) const override {
    Potentials p;
    for (const auto& b : bonds_) {
      const double s = (node(u.q, b.a) - node(u.q, b.b)).squaredNorm() - b.L * b.L;
      p.stored += b.k / (8 * b.L * b.L) * s * s;
      p.dissipated += b.c / 2 * (node(u.v, b.a) - node(u.v, b.b)).squaredNorm();
    }
    return p;
  }
  double damping_power(const State& u) const override { return 2 * potentials(u)->dissipated; }

 private:
  std::vector<Bond> bonds_;
};

/// Weight mᵢ g on each node.
class Weight final : public Force {
 public:
  Weight(Vector masses, const Vec3& g) : masses_(std::move(masses)), g_(g) {}
  ForceTraits traits() const override { return {.energy = EnergyKind::gravitational}; }
  void add_couplings(std::vector<std::pair<int, int>>&) const override {}
  void add_force(const State&, Vector& f) const override {
    for (int i = 0; i < masses_.size(); ++i) node(f, i) += masses_[i] * g_;
  }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State& u) const override {
    Potentials p;
    for (int i = 0; i < masses_.size(); ++i) p.stored -= masses_[i] * g_.dot(node(u.q, i));
    return p;
  }

 private:
  Vector masses_;
  Vec3 g_;
};

/// −(c I + s [z]ₓ) v on each node: D is not symmetric, and there is no potential.
class Swirl final : public Force {
 public:
  Swirl(int nodes, double c, double s) : nodes_(nodes) { B_ << c, -s, 0, s, c, 0, 0, 0, c; }
  ForceTraits traits() const override {
    return {.symmetric = false, .velocity_dependent = true, .has_potential = false};
  }
  void add_couplings(std::vector<std::pair<int, int>>&) const override {}
  void add_force(const State& u, Vector& f) const override {
    for (int i = 0; i < nodes_; ++i) node(f, i) -= B_ * node(u.v, i);
  }
  void add_tangent(const State&, TangentBuilder& T) const override {
    for (int i = 0; i < nodes_; ++i) T.add_damping(i, i, B_);
  }
  std::optional<Potentials> potentials(const State&) const override { return std::nullopt; }

 private:
  int nodes_;
  Mat3 B_;
};

/// No force at all, but a complaint where `complain` (given the step's start and a state) throws.
class Moody final : public Force, public LearningForce {
 public:
  std::function<void(double start, const State& u)> complain = [](double, const State&) {};

  ForceTraits traits() const override { return {}; }
  void add_couplings(std::vector<std::pair<int, int>>&) const override {}
  void add_force(const State& u, Vector&) const override { complain(start_, u); }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override { return Potentials{}; }
  void begin_step(const State& u) override { start_ = u.t; }

 private:
  double start_ = 0;
};

/// A line of nodes 1 m apart along x.
inline Vector line_of_nodes(int n) {
  Vector x = Vector::Zero(3 * n);
  for (int i = 0; i < n; ++i) x[3 * i] = i;
  return x;
}

/// Bonds between neighbours and next neighbours of a line, of stiffness k and damping c.
inline std::shared_ptr<Bonds> line_bonds(int n, double k, double c) {
  std::vector<Bonds::Bond> bonds;
  for (int i = 0; i + 1 < n; ++i) bonds.push_back({i, i + 1, k, 1, c});
  for (int i = 0; i + 2 < n; ++i) bonds.push_back({i, i + 2, k / 4, 2, c});
  return std::make_shared<Bonds>(std::move(bonds));
}

/// Unequal masses, coupled between neighbours as those of linear elements are.
inline std::vector<NodalMass> coupled_masses(int n) {
  std::vector<NodalMass> masses;
  for (int i = 0; i < n; ++i) masses.push_back({i, i, 1 + 0.2 * i});
  for (int i = 0; i + 1 < n; ++i) masses.push_back({i, i + 1, 0.25});
  return masses;
}
inline std::vector<NodalMass> lumped_masses(int n) {
  std::vector<NodalMass> masses;
  for (int i = 0; i < n; ++i) masses.push_back({i, i, 1 + 0.2 * i});
  return masses;
}

/// The whole mass matrix, 3N × 3N.
inline Matrix dense_mass(const std::vector<NodalMass>& masses, int n) {
  Matrix M = Matrix::Zero(3 * n, 3 * n);
  for (const auto& m : masses)
    for (int c = 0; c < 3; ++c) {
      M(3 * m.a + c, 3 * m.b + c) += m.m;
      if (m.a != m.b) M(3 * m.b + c, 3 * m.a + c) += m.m;
    }
  return M;
}

}  // namespace limber::test
