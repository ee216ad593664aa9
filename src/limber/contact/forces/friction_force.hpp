#pragma once
/// Friction (fforce): for each collision with the relative velocity Σ wᵢvᵢ, its tangential part y and the normal force
/// λ,
///
///     f = −μ λ s(|y|; ε) y/|y|, spread over the nodes by their weights w.
///
/// coupled: λ, w and the tangent plane are those of the state itself, the tangent is exact and not symmetric. lagged:
/// they are those of a state that is held, and f = −∂R/∂v, R = Σ μ λ S(|y|). Coupled friction has that R too, held at
/// each iterate, as a merit for Newton; its tangent there is primal-dual (see Pull). Where that does not converge, it
/// becomes lagged (see stays_held).

#include <memory>

#include "limber/contact/forces/barrier_force.hpp"

namespace limber {

enum class FrictionForm { coupled, lagged };

class FrictionForce final : public Force, public ContactForce, public LearningForce {
 public:
  /// eps [m/s]: speed from which friction is fully developed.
  FrictionForce(std::shared_ptr<const Collisions> collisions, std::shared_ptr<const ContactStiffness> stiffness,
                FrictionForm form, double eps)
      : collisions_(std::move(collisions)), stiffness_(std::move(stiffness)), form_(form), eps_(eps) {}

  ForceTraits traits() const override;
  void add_couplings(Couplings&) const override {}
  /// Lagged friction couples the nodes of the collisions that are held; others are coupled by the barrier anyway.
  void add_couplings_at(const State& u, Couplings& now) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  void update_lagged(const State& u) override;
  void begin_step(const State& u) override {
    pulls_.clear();
    holds_ = 0;
    update_lagged(u);
  }

  /// [N] on the first object of a collision, with the normal force of the state itself; x: positions of all nodes.
  Vec3 force_on_first(const Collision& c, const State& u, const Vector& x) const;
  /// Σ μ λ s |y| [W]: what friction takes out of the motion.
  double friction_power(const State& u) const override;
  double driving_work(const State& u, double t0, double t1) const override;
  /// Stages in which coupled friction became lagged.
  long held_stages() const { return held_stages_; }

 private:
  /// Where and how hard two surfaces are pressed together.
  struct FrictionPoint {
    std::array<int, 4> nodes{};
    int count = 0;
    std::array<double, 4> w{};
    Vec3 n;
    double pressure = 0;          // μ λ [N], of all its pairs
    Vec3 surface = Vec3::Zero();  // velocity of an implicit obstacle there [m/s]
    std::array<int, 6> pair{};    // which primitives: nodes, obstacle, kind
  };
  /// Where a contact slides, ∂f/∂v along y is zero beyond ε and Newton overshoots; with w = s(|y|) y/|y| as an unknown
  /// of its own, linearised in η w = y, η = |y|/s, each iterate has a w that follows y with a delay, and the tangent
  /// (μλ/η)(P − η' w ŷᵀ) is stiff as long as they disagree (Chan, Golub, Mulet 1999, for total variation).
  struct Pull {
    std::array<int, 6> pair;
    Vec3 y, w;  // at the last iterate; |w| ≤ 1
  };
  /// The collisions with friction; they hold until the next configuration is asked for.
  std::vector<const Collision*> with_friction(const State& u) const;
  std::vector<FrictionPoint> friction_points(const State& u) const;
  FrictionPoint friction_point(const Collision& c, const State& u, const Vector& x) const;
  /// y.
  Vec3 slip(const FrictionPoint& g, const State& u) const;
  NodeMatrix coupled_stiffness(const Collision& c, const FrictionPoint& g, const State& u, const Vector& x) const;
  NodeMatrix damping(const FrictionPoint& g, const State& u) const;
  const Pull* pull(const FrictionPoint& g) const;
  Vec3 next_pull(const FrictionPoint& g, const Vec3& y) const;
  double mu(const Collision& c) const;
  /// A contact that can slip one way or the other sends iterates in circles: its λ decides where it goes, and where it
  /// goes decides its λ. After `coupled_iterates` of a stage coupled friction becomes lagged, which has one potential
  /// and therefore converges. It is held anew after twice as many iterates, four times as many and so on.
  bool stays_held() const { return form_ == FrictionForm::lagged || holds_ > coupled_iterates; }

  static constexpr int coupled_iterates = 25;

  std::shared_ptr<const Collisions> collisions_;
  std::shared_ptr<const ContactStiffness> stiffness_;
  FrictionForm form_;
  double eps_;
  std::vector<FrictionPoint> held_;
  int holds_ = 0;       // since the step's start, at the time held_at_
  double held_at_ = 0;  // [s]
  long held_stages_ = 0;
  std::vector<Pull> pulls_;  // of coupled friction since the step's start, ascending by pair
};

}  // namespace limber
