#pragma once
/// Springs between pairs of points, each a weighted mean of up to four nodes: mass-spring networks and attachments.
///
///     d = x_A − x_B,  n = d/|d|,   W = k/2 (|d| − L)²,   damping: −c (n · ḋ) n   on A, the opposite on B.
///
/// With L = 0 everything is smooth: W = k/2 |d|², and the damping is −c ḋ, since n has no limit at d = 0.

#include <array>
#include <limits>
#include <map>

#include "limber/core/errors.hpp"
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
  /// [N] Where the tension k (|d| − L) is larger at the end of a step, the spring is broken from then on.
  double strength = std::numeric_limits<double>::infinity();
};

/// One spring per edge of a network, with its length in `q` (3N) as rest length.
std::vector<Spring> network_springs(const std::vector<std::array<int, 2>>& edges, const Vector& q, double stiffness,
                                    double damping);

class PointSprings : public Force, public DampingForce, public LearningForce, public TurningStiffness {
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

  void begin_step(const State& u) override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Spring& s = springs_[i];
      const double length = (s.a.position(u.q) - s.b.position(u.q)).norm();
      if (s.stiffness * (length - s.rest_length) > s.strength) snap(i);
    }
  }
  /// The numbers of the broken springs.
  std::vector<double> memory() const override {
    std::vector<double> numbers;
    for (const auto& [i, whole] : broken_) numbers.push_back(static_cast<double>(i));
    return numbers;
  }
  void restore(const std::vector<double>& memory) override {
    for (const double i : memory)
      if (!(i >= 0 && i < static_cast<double>(springs_.size())))
        throw InputError("forces", "a spring that is not there cannot be broken");
    for (const auto& [i, whole] : broken_) springs_[i] = whole;
    broken_.clear();
    for (const double i : memory) snap(static_cast<std::size_t>(i));
  }

 private:
  void snap(std::size_t i) {
    broken_.emplace(i, springs_[i]);
    springs_[i].stiffness = springs_[i].damping = 0;
  }
  /// K += the blocks of all springs, block(spring, stretch) = −∂F/∂d of the force F on A.
  template <class BlockOf>
  void add_stiffness(const State& u, const BlockOf& block, TangentBuilder& T) const;
  /// Σ term(spring, stretch).
  template <class Term>
  double sum(const State& u, const Term& term) const;

  std::vector<Spring> springs_;
  std::map<std::size_t, Spring> broken_;            // as they were
  std::vector<std::size_t> short_, long_, damped_;  // indices: of at most four nodes; of more; short and damped
  EnergyKind energy_;
};

}  // namespace limber
