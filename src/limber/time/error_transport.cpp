#include "limber/time/error_transport.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "limber/linalg/solvers/factor.hpp"
#include "limber/time/modal/complement_solver.hpp"
#include "limber/time/schemes/tr_bdf2.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

constexpr double tolerance = 1e-4;  // relative, of linear solves

/// The linearised motion, with K and D fixed.
class Deviations final : public Dynamics {
 public:
  Deviations(System& system, const Tangent& tangent, LinearSolver& solver)
      : system_(system), tangent_(tangent), solver_(solver) {}

  State rate(const State& d) override { return {d.v, system_.solve_mass(force(d)), 1}; }
  State solve(const Stage& s) override {
    const Vector b = system_.apply_mass(s.star.v) - s.tau_v * multiply_stiffness(system_, tangent_, s.star.q);
    Vector v;
    const bool ok = solver_.solve(b, v, tolerance).status == SolveReport::Status::ok;
    solved_ = solved_ && ok && system_.space().all_finite(v);
    if (!solved_) v = s.star.v;
    return {s.star.q + s.tau_q * v, v, s.t};
  }
  /// Whether all stages so far have been solved.
  bool solved() const { return solved_; }
  State exponential(const State&, double) override { throw std::logic_error("deviations move by an implicit scheme"); }

 private:
  Vector force(const State& d) const {
    Vector f = -multiply_stiffness(system_, tangent_, d.q);
    if (system_.velocity_dependent()) f -= multiply(system_, tangent_.D, d.v);
    return f;
  }

  System& system_;
  const Tangent& tangent_;
  LinearSolver& solver_;
  bool solved_ = true;
};

/// Without the forces of collisions.
System& without_collisions(System& all) {
  ContactPart* contact = all.contact();
  if (!contact || !contact->collides()) return all;
  System* apart = contact->without_collisions();
  return apart ? *apart : contact->smooth();
}

}  // namespace

bool ErrorTransport::carry(System& all, const std::vector<State*>& errors, const State& u) {
  System& system = without_collisions(all);
  const double h = u.t - errors[0]->t, gamma = 2 - std::sqrt(2.0), tau = gamma * h / 2;
  const Symmetry symmetry = all.symmetric() ? Symmetry::symmetric : Symmetry::general;
  if (!solver_) solver_ = make_linear_solver(name_, symmetry, all.traits().nodes);
  const bool collides = &system != &all && std::isfinite(all.smallest_gap(u));
  Tangent whole;
  if (collides) all.tangent(u, Definiteness::exact, whole);  // first, since it may enlarge the pattern
  system.tangent(u, Definiteness::exact, tangent_);
  const Tangent& resisting = collides ? whole : tangent_;
  combine(collides ? all : system, resisting, tau, tau, A_);
  double defect = 0;
  ComplementSolver indefinite_too(*solver_, nullptr, symmetry, Indefinite::solve, defect, all.traits().nodes);
  indefinite_too.set_matrix(A_);
  const Correction parts = correction(resisting, tau, tau);
  CorrectedSolver solver(indefinite_too, parts, system.space());
  Deviations deviations(system, tangent_, solver);
  std::vector<State> carried;
  for (const State* error : errors) carried.push_back(TrBdf2(gamma).step(deviations, History(*error), h));
  if (!deviations.solved()) return false;
  for (std::size_t i = 0; i < errors.size(); ++i) *errors[i] = std::move(carried[i]);
  return true;
}

}  // namespace limber
