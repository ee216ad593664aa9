#include "limber/linalg/solvers/kept_factor.hpp"

#include <cmath>

#include "limber/linalg/cost_model.hpp"
#include "limber/linalg/solvers/gathered_factor.hpp"

namespace limber {
namespace {

constexpr double unproven_life = 6;   // solves that a first factor is expected to serve
constexpr double unproven_steps = 4;  // iterations of each
constexpr double forgetting = .99;    // a solve without a factor, of the cost of factors: they may have become cheaper

class FactorPreconditioner final : public Preconditioner {
 public:
  FactorPreconditioner(Factor& factor, const Space& space) : factor_(factor), space_(space) {}
  double apply(const Vector& r, Vector& z) override {
    factor_.solve(r, z);
    return space_.dot(r, z);
  }

 private:
  Factor& factor_;
  const Space& space_;
};

}  // namespace

void KeptFactor::pattern_changed() {
  factor_.reset();
  weighed_ = any_ = exact_ = false;
  past_ = {};
}

void KeptFactor::reset() {
  weighed_ = any_ = exact_ = false;
  past_ = {};
  costs_of_ = {};
}

void KeptFactor::estimate(const SparseMatrix& A, const MatrixShape& shape) {
  if (shape.unknowns != costs_of_.unknowns || std::abs(shape.entries - costs_of_.entries) > .1 * costs_of_.entries)
    weigh(A, shape);
}

void KeptFactor::weigh(const SparseMatrix& A, const MatrixShape& shape) {
  if (weighed_) return;
  if (!factor_) {
    factor_ = make_gathered_factor(A, symmetry_, space_,
                                   [this](const SparseMatrix& all) { return make_best_factor(all, symmetry_); });
    factor_->analyze(A);
  }
  weighed_ = true;
  costs_of_ = shape;
  const FactorCost counted = factor_->cost();
  factorization_ = cost::per_flop * counted.flops + cost::per_factor_entry * counted.entries +
                   cost::per_factor_unknown * static_cast<double>(shape.unknowns);
  iteration_ = cost::per_solve_entry * counted.entries + shape.iteration;
}

double KeptFactor::usual_cost() const {
  if (past_.mean_of_former >= 0) return past_.mean_of_former;
  return std::min(factorization_ / unproven_life + unproven_steps * iteration_, cost_anew());
}

SolveReport::Status KeptFactor::make(const SparseMatrix& A, const MatrixShape& shape, long& factorizations) {
  weigh(A, shape);
  if (exact()) return SolveReport::Status::ok;
  if (any_) past_.mean_of_former = mean_cost();
  any_ = false;
  ++factorizations;
  if (const auto made = factor_->factorize(A); made != SolveReport::Status::ok) return made;
  any_ = exact_ = true;
  past_.spent = factorization_;
  past_.solves = 0;
  past_.rate = -1;
  return SolveReport::Status::ok;
}

std::unique_ptr<Preconditioner> KeptFactor::preconditioner() {
  return std::make_unique<FactorPreconditioner>(*factor_, space_);
}

void KeptFactor::note(const KrylovResult& found, double decades) {
  past_.spent += found.iterations * iteration_;
  ++past_.solves;
  const double rate = found.predicted / decades;
  past_.growth = past_.solves < 3 ? 0 : std::max(0., rate - past_.rate);  // the first solve is exact
  past_.rate = rate;
}

void KeptFactor::note_other() { past_.mean_of_former *= forgetting; }

}  // namespace limber
