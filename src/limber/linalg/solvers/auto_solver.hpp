#pragma once  // internal
/// x = A⁻¹b by the cheapest method according to counted costs: Krylov iterations with the diagonal blocks (soft bodies,
/// fine steps; with a factor of the few nodes in contact), with multigrid (large stiff bodies), with a factor retained
/// from an earlier matrix, or with a new factor (one iteration then suffices). A retained factor is replaced once its
/// solves cost more than the average since its construction, including the construction.

#include <cmath>
#include <optional>

#include "limber/linalg/solvers/kept_factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/matrix_rows.hpp"
#include "limber/linalg/solvers/multigrid_solver.hpp"
#include "limber/linalg/solvers/stiff_block.hpp"

namespace limber {

class AutoSolver final : public LinearSolver {
 public:
  AutoSolver(Symmetry symmetry, UnknownNodes nodes)
      : space_(nodes.where()),
        matrix_(symmetry, nodes.where()),
        diagonal_{StiffBlock(nodes.where())},
        multigrid_(nodes),
        factor_(symmetry, nodes.where()) {}

  void set_matrix(const SparseMatrix& A) override;
  SolveReport solve(const Vector& b, Vector& x, double tolerance) override {
    return solve_request({b, tolerance, nullptr}, x);
  }
  std::optional<SolveReport> solve_sum(const Correction& beside, const Vector& b, Vector& x, double tolerance) override;
  void multiply(const Vector& x, Vector& y) const override { matrix_.multiply(x, y); }
  void reset() override;
  SolverCounts counts() const override { return counts_; }

 private:
  struct Request {
    const Vector& b;
    double tolerance;
    const Correction* beside;  // null: none
    double decades() const { return -std::log(tolerance); }
  };
  enum class Approach { diagonal, multigrid, kept_factor, new_factor };

  static constexpr double usual_multigrid_rate = 1;

  /// The diagonal blocks of A and its stiff nodes.
  struct Diagonal {
    StiffBlock stiff;
    std::optional<RowMatrix::Inverse> inverted = {};  // of the present A
    SolveReport::Status status = SolveReport::Status::ok;
    double rounding = 0;  // of the rows; 0: not yet computed
  };
  /// Iterations per factor e of the residual since the last reset.
  struct Rates {
    double diagonal = -1;  // < 0: not tried yet
    double multigrid = usual_multigrid_rate;
  };

  bool symmetric() const { return matrix_.symmetry() == Symmetry::symmetric; }
  bool takes_multigrid() const;
  double multigrid_cost(double decades) const;
  /// Returns whether the diagonal blocks of A are invertible; the inverses are kept or dropped.
  SolveReport::Status need_diagonal(RowMatrix::Inverse inverse);
  Approach choose(double decades);
  SolveReport solve_request(Request request, Vector& x);
  KrylovResult iterate(Preconditioner& M, const Request& request, Vector& x, const KrylovLimits& limits);
  KrylovResult try_diagonal(const Request& request, Vector& x);
  KrylovResult try_multigrid(const Request& request, Vector& x);
  KrylovResult try_kept_factor(const Request& request, Vector& x);
  SolveReport solve_new_factor(const Request& request, Vector& x, int before);
  SolveReport report(const KrylovResult& found, int before);

  Space space_;
  MatrixRows matrix_;
  MatrixShape shape_;
  Diagonal diagonal_;
  KeptMultigrid multigrid_;
  KeptFactor factor_;
  Rates rates_;
  KrylovWork work_;
  SolverCounts counts_;
};

}  // namespace limber
