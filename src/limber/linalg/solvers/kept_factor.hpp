#pragma once  // internal
/// A factor that serves several matrices on one pattern: exactly that for which it was made, as a preconditioner the
/// following ones. Knows what it costs, in modelled seconds, and how well it has served.

#include <algorithm>
#include <memory>

#include "limber/core/space.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"

namespace limber {

/// The size of a matrix over all processes, and what an iteration with it costs [s].
struct MatrixShape {
  Index unknowns = 0;
  double entries = 0, stored = 0;
  double iteration = 0;
};

class KeptFactor {
 public:
  KeptFactor(Symmetry symmetry, const Space& space) : symmetry_(symmetry), space_(space) {}

  void pattern_changed();
  void matrix_changed() { exact_ = false; }
  /// Later results depend on the next matrix only; the analysis of the pattern stays.
  void reset();

  bool any() const { return any_; }
  /// It is that of the present matrix.
  bool exact() const { return any_ && exact_; }
  /// Costs are known for this pattern.
  bool weighed() const { return weighed_; }
  /// Analyses A if there are no costs of a similar matrix: a few entries more or less (contacts that come and go) are
  /// not worth an analysis.
  void estimate(const SparseMatrix& A, const MatrixShape& shape);
  /// Costs: of a new factor and a solve with it; of a solve by the usual factor, with its share of making it; of a
  /// solve by the present one; of its solves so far, with their shares.
  double cost_anew() const { return factorization_ + iteration_; }
  double usual_cost() const;
  double cost_of_next(double decades) const { return std::max(1., (past_.rate + past_.growth) * decades) * iteration_; }
  double mean_cost() const { return past_.spent / past_.solves; }
  double iteration() const { return iteration_; }
  /// Whether the present factor is still worth a solve.
  bool serves(double decades) const { return any_ && past_.rate * decades * iteration_ <= mean_cost(); }

  /// Makes the factor of A if it is not that already; counts it.
  SolveReport::Status make(const SparseMatrix& A, const MatrixShape& shape, long& factorizations);
  /// z = approximately A⁻¹r
  std::unique_ptr<Preconditioner> preconditioner();
  /// After a solve with it; after one without.
  void note(const KrylovResult& found, double decades);
  void note_other();

 private:
  struct Past {
    double rate = -1;   // iterations per factor e of the residual in the last solve
    double growth = 0;  // increase of the rate since the solve before
    double spent = 0;   // [s] on the factor and all its solves
    int solves = 0;
    double mean_of_former = -1;  // [s] average per solve over the lifetime of the last discarded factor
  };
  void weigh(const SparseMatrix& A, const MatrixShape& shape);

  Symmetry symmetry_;
  Space space_;
  std::unique_ptr<Factor> factor_;  // null until it or its costs are needed; its analysis survives a reset
  bool weighed_ = false;            // the costs of this factor were computed since the last reset
  bool any_ = false;                // factor_ has been factorised, for some matrix on this pattern
  bool exact_ = false;
  double factorization_ = 0, iteration_ = 0;
  MatrixShape costs_of_;  // for which the last two were computed
  Past past_;
};

}  // namespace limber
