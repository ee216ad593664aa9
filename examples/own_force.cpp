/// A force and a method of one's own, without a scene: two masses in a bowl, moved by a θ-scheme. Prints the energy
/// before and after ten seconds; docs/tutorials.md goes through it.

#include <cstdio>
#include <memory>

#include "limber/model/mechanical_system.hpp"
#include "limber/time/stepper.hpp"

namespace {

using namespace limber;

/// f_i = −k |x_i|² x_i,  W = Σ k/4 |x_i|⁴.
class Bowl final : public Force {
 public:
  explicit Bowl(double k) : k_(k) {}

  ForceTraits traits() const override { return {}; }
  void add_couplings(Couplings&) const override {}  // each node for itself
  void add_force(const State& u, Vector& f) const override {
    for (int i = 0; i < u.q.size() / 3; ++i) {
      const Vec3 x = u.q.segment<3>(3 * i);
      f.segment<3>(3 * i) -= k_ * x.squaredNorm() * x;
    }
  }
  /// K = −∂f/∂q.
  void add_tangent(const State& u, TangentBuilder& T) const override {
    for (int i = 0; i < u.q.size() / 3; ++i) {
      const Vec3 x = u.q.segment<3>(3 * i);
      T.add_stiffness(i, i, k_ * (x.squaredNorm() * Mat3::Identity() + 2 * x * x.transpose()));
    }
  }
  std::optional<Potentials> potentials(const State& u) const override {
    Potentials p;
    for (int i = 0; i < u.q.size() / 3; ++i) {
      const double d2 = u.q.segment<3>(3 * i).squaredNorm();
      p.stored += k_ / 4 * d2 * d2;
    }
    return p;
  }

 private:
  double k_;  // [N/m³]
};

/// u₁ = u₀ + (1 − θ) h F(u₀) + θ h F(u₁): the implicit part is one stage.
class Theta final : public TimeIntegrator {
 public:
  explicit Theta(double theta) : theta_(theta) {}

  State step(Dynamics& F, const History& u, double h) const override {
    return F.implicit(u[0] + (1 - theta_) * h * F.rate(u[0]), theta_ * h, u[0]);
  }

 private:
  double theta_;
};

}  // namespace

int main() {
  MechanicalSystem::Parts parts;
  parts.positions = Vector{{1, 0, 0, 0, 2, 0}};
  parts.masses = {{0, 0, 1.0}, {1, 1, 2.0}};
  parts.forces = {std::make_shared<Bowl>(3.0)};
  const Vector start = parts.positions;
  MechanicalSystem system(std::move(parts));

  MethodInfo method{.name = "theta",
                    .order = 2,
                    .kind = MethodKind::implicit,
                    .stages = 1,
                    .stability = "A-stable",
                    .good_for = "showing how",
                    .parameters = {},
                    .make = [](const MethodParameters&) { return std::make_unique<Theta>(.5); }};
  Stepper stepper(method, {}, system, {});
  History u(system.state(start, Vector::Zero(6), 0));
  std::printf("%.6f J\n", limber::energies(system, u[0]).total());
  while (u[0].t < 10) u.push(stepper.step(system, u, .01), stepper.memory().states);
  std::printf("%.6f J\n", limber::energies(system, u[0]).total());
}
