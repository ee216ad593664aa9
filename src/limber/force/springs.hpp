#pragma once
/// Springs between pairs of points, each a weighted mean of up to four nodes: mass-spring networks and attachments.
///
///     d = x_A − x_B,  n = d/|d|,   W = k/2 (|d| − L)²,   damping: −c (n · ḋ) n   on A, the opposite on B.
///
/// With L = 0 everything is smooth: W = k/2 |d|², and the damping is −c ḋ, since n has no limit at d = 0.

#include <array>

#include "limber/force/turning.hpp"

namespace limber {

/// x = Σ weight · node; the weights sum to 1, so that a spring carries no net force.
struct WeightedPoint {
  std::array<int, 4> nodes{};
  std::array<double, 4> weights{};
  int count = 0;

  static WeightedPoint node(int i) { return {{i}, {1.0}, 1}; }
  Vec3 position(const Vector& q) const;
};

struct Spring {
  WeightedPoint a, b;
  double stiffness = 0;    // k [N/m]
  double rest_length = 0;  // L [m]
  double damping = 0;      // c [N·s/m]
};

/// One spring per edge of a network, with its length in `q` (3N) as rest length.
std::vector<Spring> network_springs(const std::vector<std::array<int, 2>>& edges, const Vector& q, double stiffness,
                                    double damping);

class PointSprings : public Force, public DampingForce, public TurningStiffness {
 public:
  /// Throws InputError("where[i].…", …) for a spring with a negative or non-finite number, weights that do not sum to
  /// 1, or a node outside 0…nodes−1.
  PointSprings(std::vector<Spring> springs, int nodes, EnergyKind energy, const std::string& where);

  /// Damping along n has neither a potential nor a symmetric −∂f/∂q (it contains c/|d| n (ḋ − (n·ḋ)n)ᵀ).
  ForceTraits traits() const override;
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override;
  /// The stored energy of the springs, even if the traits deny a potential.
  std::optional<Potentials> potentials(const State& u) const override;
  double damping_power(const State& u) const override;

 private:
  /// K += the blocks of all springs, block(spring, stretch) = −∂F/∂d of the force F on A.
  template <class BlockOf>
  void add_stiffness(const State& u, const BlockOf& block, TangentBuilder& T) const;
  /// Σ term(spring, stretch).
  template <class Term>
  double sum(const State& u, const Term& term) const;

  std::vector<Spring> springs_;
  std::vector<std::size_t> short_, long_, damped_;  // indices: of at most four nodes; of more; short and damped
  EnergyKind energy_;
};

}  // namespace limber
