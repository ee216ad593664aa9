#include "limber/linalg/modes/connected_tracker.hpp"

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/cost_model.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/null_vectors.hpp"
#include "limber/linalg/scattered_numbers.hpp"

namespace limber {
namespace {

constexpr int most_iterations = 8;
constexpr double good_guard = .1;
constexpr Index guards = 4;  // vectors above the modes that are followed too

Matrix side_by_side(const Matrix& A, const Matrix& B) {
  Matrix C(A.rows(), A.cols() + B.cols());
  C << A, B;
  return C;
}

/// Of all entries.
double frobenius_norm(const Matrix& A, const Space& space) {
  if (!space.shared()) return A.norm();
  double squares = 0;
  for (Index c = 0; c < A.cols(); ++c) squares += space.squared_norm(A.col(c));
  return std::sqrt(squares);
}

/// In units of an iteration, which is a solve with the block.
double cost_of_factor(const ShiftInvert& op, Index columns) {
  return cost::factor_in_block_solves(op.cost().flops, op.cost().entries, static_cast<double>(columns));
}

}  // namespace

/// The modes that are not exact null vectors and a few above them: the lowest Ritz pairs on the span of S, which grows
/// by the corrections.
struct ConnectedTracker::Block {
  Index count = 0;  // modes; what follows has up to `guards` more columns
  Matrix S, KS;     // #n × (count, then more), S M-orthonormal
  Matrix k, m;      // SᵀKS, SᵀMS
  Matrix Y, residual;
  Vector lambda, error;

  void add(const Matrix& Z, const BlockProduct& K, const BlockProduct& M) {
    const Index old = S.cols(), fresh = Z.cols();
    S = old > 0 ? side_by_side(S, Z) : Z;
    const Matrix KZ = K * Z;
    KS = old > 0 ? side_by_side(KS, KZ) : KZ;
    const Matrix right_k = M.inner(S, KZ), right_m = M.inner(S, M * Z);
    k.conservativeResize(old + fresh, old + fresh);
    m.conservativeResize(old + fresh, old + fresh);
    k.rightCols(fresh) = right_k;
    m.rightCols(fresh) = right_m;
    k.bottomRows(fresh) = right_k.transpose();
    m.bottomRows(fresh) = right_m.transpose();
  }

  void solve(const BlockProduct& K, const BlockProduct& M) {
    const DenseEigen eigen = generalized_eigen(.5 * (k + k.transpose()), .5 * (m + m.transpose()));
    const Index all = std::min(count + guards, k.cols());
    lambda = eigen.values.head(all);
    Y = eigen.vectors.leftCols(all);
    residual = combine(KS, Y);
    subtract(M * combine(S, Y), Matrix(lambda.asDiagonal()), residual);
    error = mode_errors(residual, lambda, K.diagonal(), M.diagonal(), M.space());
  }

  double worst() const { return largest(error.head(count)); }
  Modes modes() const { return {lambda.head(count), combine(S, Y.leftCols(count))}; }
};

Vector mode_errors(const Matrix& residual, const Vector& lambda, const Vector& k, const Vector& m, const Space& space) {
  const double top = lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0;
  if (top == 0) return Vector::Zero(lambda.size());
  const Vector weight = k.cwiseAbs().cwiseMax(top * m).cwiseInverse();
  const Vector squares = space.shared() ? Vector(space.inner(residual.cwiseAbs2(), weight))
                                        : Vector(residual.cwiseAbs2().transpose() * weight);
  return squares.cwiseQuotient(lambda.cwiseAbs().cwiseMax(1e-2 * top)).cwiseSqrt();
}

void ConnectedTracker::set_space(const Space& space) {
  if (space.shared() != space_.shared()) guards_.resize(0, 0);
  space_ = space;
  exact_.set_space(space);
  rough_.set_space(space);
}

void ConnectedTracker::reset() {
  exact_.drop();
  rough_.drop();
  factor_.present = false;
  guards_.resize(0, 0);
  random_.seed(seed);
}

Matrix ConnectedTracker::random_block(Index columns) {
  if (space_.shared()) return scattered_numbers(space_, M_.diagonal().size(), columns, random_());
  Matrix R(M_.diagonal().size(), columns);
  for (Index i = 0; i < R.size(); ++i) R.data()[i] = static_cast<double>(random_() >> 11) * 0x1p-53 - .5;
  return R;
}

Modes ConnectedTracker::from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, int s) {
  ++counts_.from_scratch;
  guards_.resize(0, 0);
  factor_.spent = 0;
  factor_.refined = 0;
  exact_.drop();
  rough_.drop();
  Modes modes = search_modes(K, M, s, rigid, Extent::whole_clusters, exact_);
  exact_.require_above_floor(modes.lambda[0]);
  if (space_.shared()) exact_.forget();  // the refinement has another one
  if (exact_.made() && K.cols() < large_) factor_.spent = cost_of_factor(exact_, modes.X.cols());
  return modes;
}

void ConnectedTracker::make_factor(const SparseMatrix& K, const SparseMatrix& M, Index columns) {
  op().make(K, M);
  factor_.present = true;
  factor_.refined = 0;
  factor_.spent = cost_of_factor(op(), columns);
}

/// Gives the factor up once a refinement with it costs more than the mean since it was made, its own cost included.
void ConnectedTracker::judge_factor(long iterations) {
  ++factor_.refined;
  factor_.spent += static_cast<double>(iterations);
  if (!factor_.present && static_cast<double>(iterations * factor_.refined) > factor_.spent) op().drop();
}

/// The span of `start` without the exact null vectors. False if it does not hold enough.
bool ConnectedTracker::begin(const Modes& start, const Matrix& R, Block& block) const {
  block.count = start.X.cols() - R.cols();
  if (start.X.rows() != R.rows() || block.count < 0 || !space_.all(start.X.allFinite())) return false;
  Matrix S = guards_.rows() == start.X.rows() ? side_by_side(start.X, guards_) : start.X;
  remove(R, M_, S);
  S = orthonormal_basis(M_, S, 1e-6);
  remove(R, M_, S);
  if (S.cols() < block.count) return false;
  if (block.count == 0) return true;
  block.add(S, K_, M_);
  block.solve(K_, M_);
  op().require_above_floor(block.lambda[0]);
  return true;
}

void ConnectedTracker::correct(Block& block, const Matrix& R, double tolerance, First first) {
  Matrix W(R.rows(), 0);
  for (Index i = 0; i < block.error.size(); ++i) {
    if (block.error[i] <= (i < block.count ? tolerance : std::max(tolerance, good_guard))) continue;
    W.conservativeResize(Eigen::NoChange, W.cols() + 1);
    W.rightCols(1) = block.residual.col(i);
  }
  if (first == First::yes) {  // B M r of a random r holds all low modes: one that comes down from above will be met
    Matrix fresh = M_ * random_block(guards_.cols() == 0 ? guards : 1);
    const double all = frobenius_norm(fresh, space_), size = all > 0 ? frobenius_norm(W, space_) / all : 1;
    W = side_by_side(W, size * fresh);
  }
  Matrix Z = op() * W;
  for (int pass = 0; pass < 2; ++pass) {
    remove(R, M_, Z);
    remove(block.S, M_, Z);
    Z = orthonormal_basis(M_, unit_columns(M_, Z), 1e-7);
  }
  ++counts_.iterations;
  block.add(Z, K_, M_);
  block.solve(K_, M_);
  op().require_above_floor(block.lambda[0]);
}

bool ConnectedTracker::converge(Block& block, const Matrix& R, double tolerance, First first) {
  double worst = block.worst();
  for (int i = 1; !(worst <= tolerance); ++i) {
    correct(block, R, tolerance, i == 1 ? first : First::no);
    const double rate = block.worst() / worst;
    worst = block.worst();
    if (worst <= tolerance) break;
    const double more = rate < 1 ? std::log(tolerance / worst) / std::log(rate) : most_iterations;
    if (!(i + more <= most_iterations) && i > 1) return false;  // at first a new mode may have appeared
  }
  return true;
}

ConnectedTracker::Outcome ConnectedTracker::iterate(Block& block, const Matrix& R, double tolerance) {
  if (!converge(block, R, tolerance, First::yes)) return Outcome::too_slow;
  const Index count = block.count;
  if (block.lambda.size() == count) return Outcome::converged;
  const double last = block.lambda[count - 1];
  const double near = guards_.cols() == 0 ? .1 : .01;  // how far off the next Ritz value may be
  if (block.lambda[count] - last > near * std::abs(last)) return Outcome::converged;
  // The next one may belong to the cluster of the last: find out.
  ++block.count;
  if (!converge(block, R, std::min(tolerance, resolved), First::no)) return Outcome::too_slow;
  --block.count;
  const bool cuts =
      same_cluster(block.lambda[count - 1], block.lambda[count], block.lambda.cwiseAbs().maxCoeff(), op().top());
  return cuts ? Outcome::cuts_cluster : Outcome::converged;
}

Modes ConnectedTracker::refine(const SparseMatrix& K_given, const SparseMatrix& M_given, const Matrix& rigid,
                               const Modes& start, double tolerance, int s) {
  ++counts_.refinements;
  const Index n = space_.global_size(K_given.cols());
  if (few_unknowns(n, std::max<Index>(s, start.X.cols()))) return from_scratch(K_given, M_given, rigid, s);
  SparseMatrix copy_k, copy_m;
  const SparseMatrix &K = compressed(K_given, copy_k), &M = compressed(M_given, copy_m);
  K_.take(K, space_);
  M_.take(M, space_);
  factor_.present = false;
  refined_roughly_ = space_.shared() || n >= large_;
  rough_.set_rough_from(large_);
  const Matrix R = null_vectors(K_, M_, rigid);
  Block block;
  if (!begin(start, R, block)) return from_scratch(K, M, rigid, s);
  if (block.S.cols() == 0) return merge_modes(R, {Vector(0), Matrix(R.rows(), 0)}, R.cols());
  const long before = counts_.iterations;
  Outcome outcome = Outcome::converged;
  if (!(block.worst() <= tolerance)) {
    if (!op().made()) make_factor(K, M, block.count);
    outcome = iterate(block, R, tolerance);
    if (outcome == Outcome::too_slow && !factor_.present) {
      make_factor(K, M, block.count);
      outcome = iterate(block, R, tolerance);
    }
    judge_factor(counts_.iterations - before);
  }
  if (outcome != Outcome::converged) return from_scratch(K, M, rigid, s);
  guards_ = as_owners_have(space_, combine(block.S, block.Y.rightCols(block.Y.cols() - block.count)));
  Modes modes = merge_modes(R, block.modes(), start.X.cols());
  modes.X = as_owners_have(space_, std::move(modes.X));
  return modes;
}

}  // namespace limber
