#pragma once
/// Friction (fforce) for any kind of contact. For each contact with the relative velocity Σ wᵢvᵢ, its tangential part y
/// and the normal force λ,
///
///     f = −μ λ s(|y|; ε) y/|y|, spread over the nodes by their weights w.
///
/// coupled: λ, w and the tangent plane are those of the current state; the tangent is exact and unsymmetric. lagged:
/// they are those of a stored state, and f = −∂R/∂v, R = Σ μ λ S(|y|). Coupled friction uses the same R, fixed at each
/// iterate, as a merit for Newton; its tangent there is primal-dual (see Pull). If that does not converge, it becomes
/// lagged (see stays_held), and is coupled again from the solution of the lagged problem.

#include <memory>
#include <span>

#include "limber/contact/geometry/collisions.hpp"
#include "limber/model/force.hpp"

namespace limber {

enum class FrictionForm { coupled, lagged };

class Friction : public Force, public ContactForce, public LearningForce {
 public:
  ForceTraits traits() const override;
  void add_couplings(Couplings&) const override {}
  /// Lagged friction couples the nodes of the stored contacts; others are coupled by the barrier anyway.
  void add_couplings_at(const State& u, Couplings& now) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void update_lagged(const State& u) override;
  void begin_iterates() override { holds_ = 0; }
  bool couple_again() override;
  void begin_step(const State& u) override {
    pulls_.clear();
    begin_iterates();
    update_lagged(u);
  }
  /// Σ μ λ s |y| [W]: the power dissipated by friction.
  double friction_power(const State& u) const override;
  /// The work of moving obstacles.
  double driving_work(const Travel& step, const State& u) const override;
  /// The number of stages in which coupled friction became lagged.
  long held_stages() const { return held_stages_; }

 protected:
  /// eps [m/s]: speed above which friction is fully developed.
  Friction(std::shared_ptr<const Collisions> collisions, FrictionForm form, double eps)
      : collisions_(std::move(collisions)), form_(form), eps_(eps) {}

  /// A contact with friction between two surfaces.
  struct Point {
    std::array<int, 6> pair{};    // identifies the contact in any state
    std::size_t first = 0;        // index of its first node and weight
    std::size_t count = 0;        // number of its nodes
    Vec3 n = Vec3::Zero();        // unit normal
    double pressure = 0;          // μ λ [N]
    Vec3 surface = Vec3::Zero();  // velocity [m/s] of an implicit obstacle there
  };
  struct Points {
    std::vector<Point> list;
    std::vector<int> nodes;
    std::vector<double> w;

    std::span<const int> nodes_of(const Point& p) const { return {nodes.data() + p.first, p.count}; }
    std::span<const double> weights_of(const Point& p) const { return {w.data() + p.first, p.count}; }
  };
  /// The contacts with friction.
  virtual Points points(const State& u) const = 0;
  /// Adds −∂f/∂q of coupled friction; `now` holds the points of u.
  virtual void add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const = 0;

  const Collisions& collisions() const { return *collisions_; }
  double eps() const { return eps_; }
  double mu(const std::array<int, 2>& objects) const;
  /// Σ wᵢvᵢ, and its tangential part y.
  Vec3 relative_velocity(const Points& all, const Point& p, const State& u) const;
  Vec3 slip(const Points& all, const Point& p, const State& u) const;
  /// −μ λ s(|y|) y/|y| [N].
  Vec3 force(const Point& p, const Vec3& y) const;

 private:
  /// For a sliding contact, ∂f/∂v along y is zero beyond ε and Newton overshoots. With w = s(|y|) y/|y| as a separate
  /// unknown, linearised in η w = y, η = |y|/s, w follows y with a delay, and the tangent (μλ/η)(P − η' w ŷᵀ) is stiff
  /// while they disagree (Chan, Golub, Mulet 1999, for total variation).
  struct Pull {
    std::array<int, 6> pair;
    Vec3 y, w;  // at the last iterate; |w| ≤ 1
  };
  const Pull* pull(const Point& p) const;
  Vec3 next_pull(const Point& p, const Vec3& y) const;
  /// −∂F/∂(Σ wᵢvᵢ) of the force F on a point [N·s/m].
  Mat3 resistance(const Points& all, const Point& p, const State& u) const;
  void add_damping(const Points& all, const State& u, TangentBuilder& T) const;
  /// A contact that can slip in either direction makes the iterates cycle: λ determines the direction, and the
  /// direction λ. After `coupled_iterates` of a stage coupled friction becomes lagged, which has a single potential and
  /// therefore converges. The stored state is renewed after twice as many iterates, four times as many and so on.
  bool stays_held() const { return form_ == FrictionForm::lagged || holds_ > coupled_iterates; }

  static constexpr int coupled_iterates = 25;

  std::shared_ptr<const Collisions> collisions_;
  FrictionForm form_;
  double eps_;
  Points held_;
  int holds_ = 0;  // number of iterates since begin_iterates
  long held_stages_ = 0;
  std::vector<Pull> pulls_;  // coupled friction since the start of the step, ascending by pair
};

}  // namespace limber
