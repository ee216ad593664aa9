#pragma once  // internal
/// x = A⁻¹b by whatever costs least, as counted: Krylov iterations with the diagonal blocks (soft bodies, fine steps;
/// with a factor of the few nodes in contact), with multigrid (large stiff bodies), Krylov iterations with a factor
/// kept from an earlier matrix, or with a new factor (then one iteration suffices). A kept factor is replaced once its
/// solves cost more than the mean since it was made, its own cost included.

#include <optional>

#include "limber/linalg/pattern.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/multigrid_solver.hpp"
#include "limber/linalg/solvers/stiff_block.hpp"

namespace limber {

class AutoSolver final : public LinearSolver {
 public:
  AutoSolver(Symmetry symmetry, UnknownNodes nodes)
      : symmetry_(symmetry), space_(nodes.where()), stiff_(nodes.where()), multigrid_(nodes) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override {
    y.resize(x.size());
    rows_->multiply(x.data(), y.data());
  }
  void reset() override;
  SolverCounts counts() const override { return counts_; }

 private:
  enum class Approach { diagonal, multigrid, kept_factor, new_factor };

  static constexpr double usual_multigrid_rate = 1;

  /// What was learnt since the last reset. Rates are iterations per factor e of the residual.
  struct Experience {
    double diagonal_rate = -1;  // < 0: not tried yet
    double multigrid_rate = usual_multigrid_rate;
    double kept_rate = -1;         // of the last solve with the kept factor
    double kept_growth = 0;        // from the solve before it
    double spent = 0;              // [s] on the factor and all solves with it
    int solves = 0;                // with the factor
    double mean_with_factor = -1;  // [s] a solve over the life of the last factor that was given up
  };

  /// Of a matrix, on all processes. Costs of factors are known of one.
  struct Shape {
    Index unknowns = 0;
    double entries = 0;
  };

  void forget();
  bool takes_multigrid() const;
  double multigrid_cost(double decades) const;
  /// Whether the diagonal blocks of A_ have inverses, which are kept or not.
  SolveReport::Status need_diagonal(RowMatrix::Inverse inverse);
  void need_factor_costs();
  void need_factor();
  double mean_cost_of_factor() const;
  Approach choose(double decades);
  KrylovResult iterate(Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits);
  KrylovResult try_diagonal(const Vector& b, Vector& x, double tolerance, double decades);
  KrylovResult try_multigrid(const Vector& b, Vector& x, double tolerance, double decades);
  KrylovResult try_kept_factor(const Vector& b, Vector& x, double tolerance, double decades);
  SolveReport solve_new_factor(const Vector& b, Vector& x, double tolerance, int before);
  SolveReport report(const KrylovResult& found, int before);

  Symmetry symmetry_;
  Space space_;
  const SparseMatrix* A_ = nullptr;
  SparseMatrix copy_;
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  std::unique_ptr<Factor> factor_;  // null until it is needed, or its costs; its analysis outlives a reset
  bool weighed_ = false;            // the costs of this factor are known; since the last reset
  StiffBlock stiff_;
  KeptMultigrid multigrid_;
  std::optional<RowMatrix::Inverse> inverted_;  // the diagonal blocks of A_
  bool has_factor_ = false;                     // of some matrix on this pattern
  bool exact_ = false;                          // the factor is that of A_
  SolveReport::Status diagonal_ = SolveReport::Status::ok;
  double rounding_ = 0;                                              // of rows_; 0: not yet
  Shape shape_;                                                      // of A_
  double stored_ = 0;                                                // entries of rows_, on all processes
  double iteration_ = 0, factorization_ = 0, factor_iteration_ = 0;  // modelled costs [s]
  Shape costs_of_;                                                   // the matrix that the last two were found for
  Experience past_;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
