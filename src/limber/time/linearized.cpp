#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/time/modal/complement_solver.hpp"
#include "limber/time/partial_system.hpp"
#include "limber/time/solver_bank.hpp"
#include "limber/time/stage.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

/// One linear solve per stage. An indefinite stage matrix (K has strongly negative eigenvalues) is solved as it is, by
/// LU, because the formula defines a solution, not a minimum.
class Linearized final : public StageSolver {
 public:
  Linearized(System& system, const StageOptions& o)
      : options_(o), bank_(o.linear_solver, symmetry(system), system.traits().nodes) {}

  StageResult solve_stage(System& system, const Stage& s) override {
    ++counts_.stages;
    if (system.contact()) return solve_with_contact(system, s);
    return {s.all_modal() ? s.state(s.star.v) : solve_linearized(system, s)};
  }

  std::optional<Vector> linearization_error(System& system, const Stage& s, const State& u) override {
    if (system.contact() || !linear_) return std::nullopt;
    Vector missing = system.apply_mass(s.star.v - u.v) + s.tau_v * system.force(u);
    if (s.modes) missing = s.modes->complement_of_force(missing);
    if (!system.space().all_finite(missing)) return std::nullopt;
    constexpr double rough = 1e-2;
    return solve_linear(system, missing, rough);
  }

  void begin_step(System& system, const State& u) override {
    if (newton_) newton_->begin_step(system, u);
  }
  bool touched() const override { return newton_ && newton_->touched(); }
  StageCounts counts() const override {
    StageCounts c = counts_;
    if (newton_) {
      c.newton_iterations += newton_->counts().newton_iterations;
      c.projections += newton_->counts().projections;
    }
    return c;
  }
  SolverCounts linear_counts() const override { return newton_ ? newton_->linear_counts() : bank_.counts(); }

 private:
  State solve_linearized(System& system, const Stage& s) {
    State at = s.at;
    at.t = s.t;
    Vector f;
    const Tangent* T = &tangent_;
    if (s.known && !s.tangent_at) {
      f = s.known->f;
      T = &s.known->tangent;
      frozen_.reset();
      set_matrix(system, s, *T);
    } else if (!s.tangent_at) {
      if (tangent_.K.size() == 0) tangent_.K.swap(A_);  // reuses its memory
      f = system.linearize(at, Definiteness::exact, tangent_);
      frozen_.reset();
    } else {
      f = system.force(at);
      if (!frozen_at(system, *s.tangent_at) || tau_q_ != s.tau_q || tau_v_ != s.tau_v) {
        system.tangent(*s.tangent_at, Definiteness::exact, tangent_);
        frozen_ = s.tangent_at;
        set_matrix(system, s, tangent_);
      }
    }
    const Vector v = s.admissible(at.v);
    State next{s.state(v).q, v, s.t};
    Vector rhs = system.apply_mass(s.star.v - v) + s.tau_v * (f - multiply_stiffness(system, *T, next.q - at.q));
    if (s.modes && system.velocity_dependent()) rhs -= s.tau_v * multiply(system, T->D, v - at.v);
    if (!system.space().all_finite(rhs)) throw StepFailure("the force is not finite");
    if (T == &tangent_ && !frozen_) {  // K is no longer needed
      combine_in_place(system, tangent_, s.tau_q, s.tau_v, A_);
      take_matrix(system, s, tangent_.low_rank);
    }
    if (s.modes && correction_.any()) rhs = s.modes->complement_of_force(rhs);
    const Vector change =
        solve_linear(system, rhs, options_.linear_tolerance);  // in the complement, if modes are split off
    next.q += s.tau_q * change;
    next.v += change;
    return next;
  }

  /// Whether K and D were last evaluated at these positions and velocities, on all processes.
  bool frozen_at(const System& system, const State& u) const {
    return frozen_ && system.space().all(frozen_->q == u.q && frozen_->v == u.v);
  }
  static Symmetry symmetry(System& system) { return system.symmetric() ? Symmetry::symmetric : Symmetry::general; }

  /// Linearises everything except contact, which is iterated to convergence.
  StageResult solve_with_contact(System& system, const Stage& s) {
    if (!newton_) newton_ = make_implicit(system, options_);
    State about = s.at;
    about.t = s.t;
    LinearForce smooth(system.contact()->smooth(), about, s.tangent_at, nullptr);
    Stage here = s;
    here.linear = &smooth;
    WithContact both(system, smooth);
    return newton_->solve_stage(both, here);
  }

  void set_matrix(System& system, const Stage& s, const Tangent& T) {
    combine(system, T, s.tau_q, s.tau_v, A_);
    take_matrix(system, s, T.low_rank);
  }

  /// Passes the assembled A to the solver; `low_rank`: the low-rank part of K.
  void take_matrix(System& system, const Stage& s, const LowRank& low_rank) {
    tau_q_ = s.tau_q;
    tau_v_ = s.tau_v;
    linear_.emplace(bank_.at(s.tau_q, s.tau_v), s.modes, symmetry(system), Indefinite::solve, defect_,
                    system.traits().nodes);
    linear_->set_matrix(A_);
    LowRank part = low_rank;
    if (s.modes) s.modes->take_out_of(part);
    correction_ = {
        .U = part.U, .C = part.any() ? Matrix((-s.tau_v * s.tau_q * part.c).asDiagonal()) : Matrix(), .N = {}};
  }

  Vector solve_linear(const System& system, const Vector& rhs, double tolerance) {
    Vector x;
    CorrectedSolver corrected(*linear_, correction_, system.space());
    const auto report = corrected.solve(rhs, x, tolerance);
    if (report.status != SolveReport::Status::ok)
      throw StepFailure(fmt::format("the linear solver failed ({} iterations, relative residual {:.1e})",
                                    report.iterations, report.residual),
                        report.iterations, report.residual);
    if (!system.space().all_finite(x)) throw StepFailure("the solution of the linearised stage is not finite");
    return x;
  }

  StageOptions options_;
  SolverBank bank_;
  double defect_ = 0;                       // of the modes, see ComplementSolver
  std::optional<ComplementSolver> linear_;  // with the matrix of the current stage
  Correction correction_;                   // the parts of A kept apart from the sparse matrix
  Tangent tangent_;
  SparseMatrix A_;
  std::optional<State> frozen_;
  double tau_q_ = 0, tau_v_ = 0;
  StageCounts counts_;
  std::unique_ptr<StageSolver> newton_;  // for stages with contact
};

}  // namespace

std::unique_ptr<StageSolver> make_linearized(System& system, const StageOptions& options) {
  return std::make_unique<Linearized>(system, options);
}

}  // namespace limber
