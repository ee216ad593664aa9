#include "limber/linalg/modes/mode_search.hpp"

#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/block_lanczos.hpp"
#include "limber/linalg/modes/null_vectors.hpp"
#include "limber/linalg/modes/slepc_search.hpp"

namespace limber {
namespace {

/// What is known of the spectrum: null vectors that are known exactly, and the lowest others.
struct Spectrum {
  Index zeros = 0;
  Vector others;  // ascending
  enum class Extent { all, lowest } extent = Extent::lowest;
  double top = 0;  // max |K_ii| / M_ii

  Index below() const { return (others.array() < 0).count(); }
  Index size() const { return zeros + others.size(); }
  double at(Index i) const {
    if (i < below()) return others[i];
    return i < below() + zeros ? 0 : others[i - zeros];
  }
  Index others_among(Index first) const { return std::max(std::min(first, below()), first - zeros); }
  /// How many of the lowest λ are known: zeros count only once something above them is.
  Index known() const {
    if (extent == Extent::all) return size();
    return below() == others.size() ? below() : size();
  }
};

/// How many modes to take: s, or more. Equal to `known` if it takes a look at the next to say.
Index choose(const Spectrum& spectrum, Index s, Extent extent) {
  const Index known = spectrum.known();
  if (extent == Extent::as_asked || s >= known) return std::min(s, known);
  const double largest = spectrum.others.size() > 0 ? spectrum.others.cwiseAbs().maxCoeff() : 0;
  while (s < known && same_cluster(spectrum.at(s - 1), spectrum.at(s), largest, spectrum.top)) ++s;
  return s;
}

/// How large x is at the node of each unknown: an entry of K is as rough as its 3×3 block is large.
Vector at_nodes(const Vector& x) {
  if (x.size() % 3 != 0) return x.cwiseAbs();
  Vector norms(x.size());
  for (Index i = 0; i < x.size(); i += 3) norms.segment<3>(i).setConstant(x.segment<3>(i).norm());
  return norms;
}

/// What xᵀK x is off by where each entry of K is off for itself, relative to its block: (Σ (K_ij |x_i| |x_j|)²)^½ with
/// the lengths of x at nodes.
double spread_of_products(const SparseMatrix& K, const Vector& x, const Space& space) {
  const Vector size = at_nodes(x);
  double sum = 0;
  for (Index j = 0; j < K.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it)
      if (it.row() >= j) sum += (it.row() == j ? 1 : 4) * std::pow(it.value() * size[it.row()] * size[j], 2);
  return std::sqrt(space.sum(sum));
}

/// All modes that are M-orthogonal to R, from M^(−1/2) K M^(−1/2), with the space of M^(1/2) R moved above all others.
Modes dense_others(const SparseMatrix& K, const SparseMatrix& M, const Matrix& R) {
  const DenseEigen mass = symmetric_eigen(Matrix(M));
  if (!(mass.values[0] > 0)) throw StepFailure("modes: the mass matrix is not positive definite");
  const Vector root = mass.values.cwiseSqrt();
  const Matrix half = mass.vectors * root.asDiagonal() * mass.vectors.transpose(),
               inverse = mass.vectors * root.cwiseInverse().asDiagonal() * mass.vectors.transpose();
  Matrix k = inverse * Matrix(Matrix(K).selfadjointView<Eigen::Lower>()) * inverse;
  if (R.cols() > 0) {
    const Matrix Q = half * R;  // orthonormal, since RᵀMR = I
    k -= Q * (Q.transpose() * k);
    k -= (k * Q) * Q.transpose();
    k += 2 * std::max(k.norm(), 1.0) * Q * Q.transpose();
  }
  const DenseEigen eigen = symmetric_eigen(.5 * (k + k.transpose()));
  const Index others = K.cols() - R.cols();
  return {eigen.values.head(others), inverse * eigen.vectors.leftCols(others)};
}

/// One step of inverse iteration, which damps what is left of high modes (and which several processes, that have no
/// inverse, do without), then Rayleigh-Ritz with K and M themselves.
Modes polish(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M, const Matrix& R, const Matrix& X) {
  Matrix Z = M.space().shared() ? X : op * (M * X);
  remove(R, M, Z);
  Z = orthonormal_basis(M, unit_columns(M, Z), 1e-10);
  remove(R, M, Z);
  if (Z.cols() != X.cols()) throw ModesNotFound("those found are not independent");
  const Matrix k = M.inner(Z, K * Z), m = M.inner(Z, M * Z);
  const DenseEigen eigen = generalized_eigen(.5 * (k + k.transpose()), .5 * (m + m.transpose()));
  return {eigen.values, combine(Z, eigen.vectors)};
}

/// A shift far beyond the λ that are wanted (a body of another stiffness, a first λ < 0) hides their differences:
/// brings it near them; and below them, where K − σM was not known to be indefinite. Ritz values are known from above
/// only, hence the reserve.
bool bring_shift_near(const SparseMatrix& K, const SparseMatrix& M, const Vector& ritz, Index s, ShiftInvert& op) {
  const double low = ritz[0], high = std::max(std::abs(ritz[s - 1]), std::abs(low));
  if (!(-op.sigma() > 4 * high) && !(low < op.sigma())) return false;
  const double reserve = std::max(.1 * high, 1e-13 * op.top());
  op.try_shift(K, M, std::min(1.5 * low, 0.) - reserve);
  return true;
}

std::unique_ptr<ModeIteration> make_finder(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M,
                                           const Matrix& R) {
  if (op.space().shared()) return make_slepc_search(op, K, M, R);
  return std::make_unique<BlockLanczos>(op, M, R);
}

Modes lanczos_modes(const SparseMatrix& K, const SparseMatrix& M, Index s, const Matrix& R, Extent extent,
                    const BlockProduct& K_block, const BlockProduct& M_block, ShiftInvert& op) {
  op.make(K, M);
  Index count = std::max<Index>(1, s - R.cols());
  auto lanczos = make_finder(op, K_block, M_block, R);
  lanczos->look(count);
  if (bring_shift_near(K, M, lanczos->lambda(), count, op)) lanczos = make_finder(op, K_block, M_block, R);
  while (true) {
    lanczos->find(count);
    const Spectrum spectrum{R.cols(), lanczos->lambda().head(count + 1), Spectrum::Extent::lowest, op.top()};
    const Index taken = choose(spectrum, s, extent), others = spectrum.others_among(taken);
    const bool known = taken >= s && (extent == Extent::as_asked || taken < spectrum.known());
    if (known && others <= count)
      return merge_modes(R, polish(op, K_block, M_block, R, lanczos->vectors(std::max<Index>(others, 1))), taken);
    count = std::max(others, count + 1);
    if (!op.space().shared() && few_unknowns(K.cols(), count)) {
      const Modes all = dense_others(K, M, R);
      return merge_modes(R, all, choose({R.cols(), all.lambda, Spectrum::Extent::all, op.top()}, s, extent));
    }
  }
}

}  // namespace

void require_mode_problem(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid,
                          const Space& space) {
  const Index n = K.cols(), all = space.global_size(n);
  if (s < 1 || s > all)
    throw InputError("modes",
                     std::to_string(s) + " is outside 1 to " + std::to_string(all) + ", the number of unknowns");
  if (M.cols() != n || rigid.rows() != n)
    throw InputError("modes", "the stiffness has " + std::to_string(n) + " unknowns, the mass " +
                                  std::to_string(M.cols()) + ", the rigid motions " + std::to_string(rigid.rows()));
}

void settle_zeros(const SparseMatrix& K, const Space& space, Modes& modes) {
  constexpr double rounding = 2e-13;  // of entries of K: some hundred units of their last place
  Vector& lambda = modes.lambda;
  const auto settles = [&](Index m) {
    if (!(std::abs(lambda[m]) <= rounding * spread_of_products(K, modes.X.col(m), space))) return false;
    lambda[m] = 0;
    return true;
  };
  const Index first_above = (lambda.array() < 0).count();
  for (Index m = first_above; m < lambda.size() && settles(m);) ++m;
  for (Index m = first_above; m > 0 && settles(m - 1);) --m;
}

bool few_unknowns(Index n, Index s) { return n <= 300 || n < 4 * s + 100; }

bool same_cluster(double a, double b, double largest, double top) {
  const double noise = std::max(1e-8 * largest, 1e-13 * top);
  const double size = std::max(std::abs(a), std::abs(b));
  return b - a <= 1e-6 * size || size <= noise;
}

Modes merge_modes(const Matrix& R, const Modes& others, Index count) {
  const Index below = std::min<Index>((others.lambda.array() < 0).count(), count);
  const Index zeros = std::min(R.cols(), count - below), above = count - below - zeros;
  Modes modes{Vector::Zero(count), Matrix(R.rows(), count)};
  modes.lambda.head(below) = others.lambda.head(below);
  modes.lambda.tail(above) = others.lambda.segment(below, above);
  modes.X << others.X.leftCols(below), R.leftCols(zeros), others.X.middleCols(below, above);
  return modes;
}

Modes search_modes(const SparseMatrix& K_given, const SparseMatrix& M_given, int s, const Matrix& rigid, Extent extent,
                   ShiftInvert& op) {
  const Space& space = op.space();
  require_mode_problem(K_given, M_given, s, rigid, space);
  SparseMatrix copy_k, copy_m;
  const SparseMatrix &K = compressed(K_given, copy_k), &M = compressed(M_given, copy_m);
  const BlockProduct K_block(K, space), M_block(M, space);
  if (!space.all((M_block.diagonal().array() > 0).all()))
    throw StepFailure("modes: the mass matrix is not positive definite");
  const Matrix R = null_vectors(K_block, M_block, rigid);
  if (space.shared() || !few_unknowns(K.cols(), s)) {
    Modes modes = lanczos_modes(K, M, s, R, extent, K_block, M_block, op);
    modes.X = as_owners_have(space, std::move(modes.X));
    return modes;
  }
  const Modes others = dense_others(K, M, R);
  const double top = K_block.diagonal().cwiseQuotient(M_block.diagonal()).cwiseAbs().maxCoeff();
  return merge_modes(R, others, choose({R.cols(), others.lambda, Spectrum::Extent::all, top}, s, extent));
}

}  // namespace limber
