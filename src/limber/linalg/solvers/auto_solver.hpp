#pragma once  // internal
/// x = A⁻¹b by the cheapest method according to counted costs: Krylov iterations with the diagonal blocks (soft bodies,
/// fine steps; with a factor of the few nodes in contact), with multigrid (large stiff bodies), with a factor retained
/// from an earlier matrix, or with a new factor (one iteration then suffices). A retained factor is replaced once its
/// solves cost more than the average since its construction, including the construction.

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

  /// Statistics since the last reset. Rates are iterations per factor e of the residual.
  struct Experience {
    double diagonal_rate = -1;  // < 0: not tried yet
    double multigrid_rate = usual_multigrid_rate;
    double kept_rate = -1;         // of the last solve with the retained factor
    double kept_growth = 0;        // increase of the rate since the solve before
    double spent = 0;              // [s] on the factor and all its solves
    int solves = 0;                // with the factor
    double mean_with_factor = -1;  // [s] average per solve over the lifetime of the last discarded factor
  };

  /// The size of a matrix over all processes. Costs of factors are known for one shape.
  struct Shape {
    Index unknowns = 0;
    double entries = 0;
  };

  void forget();
  bool takes_multigrid() const;
  double multigrid_cost(double decades) const;
  /// Returns whether the diagonal blocks of A_ are invertible; the inverses are kept or dropped.
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
  std::unique_ptr<Factor> factor_;  // null until it or its costs are needed; its analysis survives a reset
  bool weighed_ = false;            // the costs of this factor were computed since the last reset
  StiffBlock stiff_;
  KeptMultigrid multigrid_;
  std::optional<RowMatrix::Inverse> inverted_;  // the diagonal blocks of A_
  bool has_factor_ = false;                     // of some matrix on this pattern
  bool exact_ = false;                          // the factor belongs to A_
  SolveReport::Status diagonal_ = SolveReport::Status::ok;
  double rounding_ = 0;                                              // of rows_; 0: not yet computed
  Shape shape_;                                                      // of A_
  double stored_ = 0;                                                // entries of rows_, on all processes
  double iteration_ = 0, factorization_ = 0, factor_iteration_ = 0;  // modelled costs [s]
  Shape costs_of_;                                                   // the shape for which the last two were computed
  Experience past_;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
