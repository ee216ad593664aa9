#include "limber/linalg/modes/parts.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/mode_tracker.hpp"
#include "linalg/matrices.hpp"

namespace limber {
namespace {

using namespace test;

struct Blocks {
  std::vector<SparseMatrix> K, M;

  void add(const SparseMatrix& k, double mass) {
    K.push_back(k);
    SparseMatrix m(k.cols(), k.cols());
    m.setIdentity();
    M.push_back(mass * m);
  }
};

/// The blocks on one diagonal, their unknowns dealt out by threes in turn, so that no part is contiguous.
struct Dealt {
  SparseMatrix K, M;
  std::vector<std::vector<int>> places;  // of each block's unknowns

  explicit Dealt(const Blocks& b) {
    int next = 0;
    places.resize(b.K.size());
    for (bool more = true; more;) {
      more = false;
      for (std::size_t p = 0; p < b.K.size(); ++p)
        for (int c = 0; c < 3 && static_cast<Index>(places[p].size()) < b.K[p].cols(); ++c, more = true)
          places[p].push_back(next++);
    }
    K = assemble(b.K, next);
    M = assemble(b.M, next);
  }
  SparseMatrix assemble(const std::vector<SparseMatrix>& blocks, Index n) const {
    Triplets t;
    for (std::size_t p = 0; p < blocks.size(); ++p)
      for (int j = 0; j < blocks[p].outerSize(); ++j)
        for (SparseMatrix::InnerIterator it(blocks[p], j); it; ++it)
          t.emplace_back(places[p][static_cast<std::size_t>(it.row())], places[p][static_cast<std::size_t>(j)],
                         it.value());
    return from_triplets(n, t);
  }
  Matrix placed(std::size_t p, const Matrix& columns) const {
    Matrix all = Matrix::Zero(K.cols(), columns.cols());
    all(places[p], Eigen::all) = columns;
    return all;
  }
};

SpringBox box(int length, double stiffness) {
  return spring_box(length, 3, 3, [=](int node) { return stiffness * (1 + .1 * std::sin(node)); });
}

/// All modes, by dense solutions of the blocks.
struct Reference {
  Vector lambda;
  Matrix X;

  void add(const Vector& values, const Matrix& vectors) {
    Vector more(lambda.size() + values.size());
    more << lambda, values;
    Matrix beside(vectors.rows(), more.size());
    beside << X, vectors;
    std::vector<Index> order(static_cast<std::size_t>(more.size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return more[a] < more[b]; });
    lambda = more(order);
    X = beside(Eigen::all, order);
  }
};

Reference reference(const Blocks& b, const Dealt& d) {
  Reference all{Vector(0), Matrix(d.K.cols(), 0)};
  for (std::size_t p = 0; p < b.K.size(); ++p) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(b.K[p]), full(b.M[p]));
    all.add(dense.eigenvalues(), d.placed(p, dense.eigenvectors()));
  }
  return all;
}

/// λ, orthonormality and the spans of clusters.
void expect_lowest(const Modes& modes, const Dealt& d, const Reference& dense) {
  const Index s = modes.lambda.size(), n = d.K.cols();
  const Vector& all = dense.lambda;
  const double scale = std::max(std::abs(all[0]), std::abs(all[s - 1]));
  const Matrix MX = d.M.selfadjointView<Eigen::Lower>() * modes.X;
  EXPECT_LE((modes.X.transpose() * MX - Matrix::Identity(s, s)).cwiseAbs().maxCoeff(), 1e-12);
  const double rounding = 1e-13 * d.K.diagonal().cwiseQuotient(d.M.diagonal()).cwiseAbs().maxCoeff();
  for (Index i = 0; i < s; ++i) EXPECT_NEAR(modes.lambda[i], all[i], 1e-9 * scale + rounding) << i;
  for (Index begin = 0, end = 1; begin < s; begin = end++) {
    while (end < n && all[end] - all[end - 1] <= 1e-7 * scale + rounding) ++end;
    if (end > s) break;  // cut
    const Matrix theirs = dense.X.middleCols(begin, end - begin), ours = modes.X.middleCols(begin, end - begin);
    EXPECT_LE((theirs - ours * (MX.middleCols(begin, end - begin).transpose() * theirs)).norm(), 1e-5) << begin;
  }
}

TEST(Parts, AreFoundByValuesAndByColumnsThatJoin) {
  const SparseMatrix K = from_triplets(6, {{0, 0, 1}, {3, 0, 2}, {1, 1, 1}, {2, 1, 0}, {2, 2, 1}, {4, 4, 1}});
  const SparseMatrix M =
      from_triplets(6, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {5, 4, .1}, {5, 5, 1}});
  using Parts = std::vector<std::vector<int>>;
  EXPECT_EQ(uncoupled_parts(K, M, Matrix(6, 0)), (Parts{{0, 3}, {1}, {2}, {4, 5}}));
  Matrix joining = Matrix::Zero(6, 2);
  joining(2, 0) = joining(4, 0) = 1;
  EXPECT_EQ(uncoupled_parts(K, M, joining), (Parts{{0, 3}, {1}, {2, 4, 5}}));
  joining.col(1).setOnes();
  EXPECT_EQ(uncoupled_parts(K, M, joining).size(), 1u);
}

TEST(Parts, ModesOfDifferentAndEqualBodiesAreThoseOfTheWhole) {
  Blocks b;
  const SpringBox small = box(3, 1), large = box(13, 1), stiff = box(4, 20);
  for (const SpringBox* body : {&small, &large, &small, &stiff}) b.add(body->K, 2);
  b.add(from_triplets(3, {{0, 0, 0.}, {1, 1, 0.}, {2, 2, 0.}}), 1);   // a free point
  b.add(from_triplets(3, {{0, 0, .3}, {1, 1, .3}, {2, 2, 1.}}), 1);   // a held one
  b.add(from_triplets(2, {{0, 0, -.2}, {1, 0, .1}, {1, 1, .4}}), 1);  // one that buckles
  SparseMatrix buckled = small.K;
  for (Index i = 0; i < buckled.cols(); ++i) buckled.coeffRef(i, i) -= .05;
  b.add(buckled, 1);
  b.M[1] = b.M[1] + SparseMatrix(.1 * large.K);  // a mass that is not diagonal
  const Dealt d(b);
  const Reference dense = reference(b, d);
  Matrix rigid(d.K.cols(), 24);
  rigid << d.placed(0, small.rigid), d.placed(1, large.rigid), d.placed(2, small.rigid), d.placed(3, stiff.rigid);
  for (const int s : {1, 5, 33, 60}) {
    expect_lowest(lowest_modes(d.K, d.M, s, rigid), d, dense);
    expect_lowest(lowest_modes(d.K, d.M, s), d, dense);
    const Modes whole = whole_modes(d.K, d.M, s, rigid);
    expect_lowest(whole, d, dense);
    ShiftInvert op;
    EXPECT_EQ(whole.lambda.size(), search_modes(d.K, d.M, s, rigid, Extent::whole_clusters, op).lambda.size()) << s;
  }
  EXPECT_EQ((lowest_modes(d.K, d.M, 60, rigid).lambda.array() == 0).count(), 27);
}

TEST(Parts, AttachedBodiesAreOnePartAndAllModesCanBeHad) {
  Blocks b;
  const SpringBox pair = box(3, 1);
  for (int i = 0; i < 3; ++i) b.add(pair.K, 1 + i % 2);
  Dealt d(b);
  d.K.coeffRef(d.places[1][7], d.places[0][3]) -= .5;
  d.K.coeffRef(d.places[1][7], d.places[1][7]) += .5;
  d.K.coeffRef(d.places[0][3], d.places[0][3]) += .5;
  ASSERT_EQ(uncoupled_parts(d.K, d.M, Matrix(d.K.cols(), 0)).size(), 2u);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(d.K), full(d.M));
  const Reference all{dense.eigenvalues(), dense.eigenvectors()};
  for (const Index s : {Index{20}, d.K.cols()})
    expect_lowest(lowest_modes(d.K, d.M, static_cast<int>(s), d.placed(2, pair.rigid)), d, all);
}

TEST(Parts, ClustersAcrossEqualBodiesAreNotCut) {
  Blocks b;
  const SpringBox twin = box(4, 1), other = box(3, 1.3);
  for (const SpringBox* body : {&twin, &other, &twin}) b.add(body->K, 1);
  const Dealt d(b);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(d.K), full(d.M));
  const Reference all{dense.eigenvalues(), dense.eigenvectors()};
  Matrix rigid(d.K.cols(), 18);
  rigid << d.placed(0, twin.rigid), d.placed(1, other.rigid), d.placed(2, twin.rigid);
  for (int s = 1; s <= 40; ++s) {
    Index whole = std::max(s, 18);
    while (all.lambda[whole] - all.lambda[whole - 1] <= 1e-7 * all.lambda[whole]) ++whole;
    const Modes modes = whole_modes(d.K, d.M, s, rigid);
    EXPECT_EQ(modes.lambda.size(), whole) << s;
    expect_lowest(modes, d, all);
  }
}

/// Of the only part; of several, such a part has no modes, or those that it had, and the others have theirs.
TEST(Parts, ALambdaBelowTheFloorIsAFailure) {
  const SpringBox body = box(13, 1);
  for (const int bodies : {1, 3}) {
    Blocks b;
    for (int i = 0; i < bodies; ++i) b.add(body.K, 1);
    SparseMatrix& last = b.K.back();
    for (Index i = 0; i < last.cols(); ++i) last.coeffRef(i, i) -= .02;  // λ = −.02 six times
    const Dealt d(b);
    const Matrix none(d.K.cols(), 0);
    ModeTracker tracker(20);
    const Modes start = tracker.from_scratch(d.K, d.M, none);
    EXPECT_NEAR(start.lambda[0], -.02, 1e-9);
    tracker.set_floor(-.03);
    EXPECT_NEAR(tracker.from_scratch(d.K, d.M, none).lambda[0], -.02, 1e-9);
    EXPECT_NO_THROW(tracker.refine(d.K, d.M, none, start, 1e-6));
    EXPECT_TRUE(tracker.below_floor().empty());
    tracker.set_floor(-.01);
    SparseMatrix later = d.K;
    for (Index i = 0; i < later.cols(); ++i) later.coeffRef(i, i) *= 1 + 1e-3 * std::sin(static_cast<double>(i));
    if (bodies == 1) {
      EXPECT_THROW(tracker.from_scratch(d.K, d.M, none), BelowFloor);
      EXPECT_THROW(tracker.refine(later, d.M, none, start, 1e-8), BelowFloor);
      continue;
    }
    const auto parts = uncoupled_parts(d.K, d.M, none);
    const std::vector<int> of_start = parts_of_columns(parts, start.X);
    const auto sunk = static_cast<std::size_t>(of_start[0]);
    const std::vector<std::vector<int>> only(1, parts[sunk]);
    const Modes others = tracker.from_scratch(d.K, d.M, none);
    EXPECT_EQ(tracker.below_floor(), only);
    EXPECT_GE(others.lambda.size(), 20);
    EXPECT_GT(others.lambda[0], -1e-9);
    for (const int p : parts_of_columns(parts, others.X)) EXPECT_NE(p, static_cast<int>(sunk));
    tracker.reset();
    for (const char* again : {"from scratch", "from what it has"}) {
      const Modes kept = tracker.refine(later, d.M, none, start, 1e-8);
      EXPECT_EQ(tracker.below_floor(), only) << again;
      ASSERT_EQ(kept.lambda.size(), start.lambda.size()) << again;
      const std::vector<int> of_kept = parts_of_columns(parts, kept.X);
      EXPECT_EQ(std::count(of_kept.begin(), of_kept.end(), of_start[0]),
                std::count(of_start.begin(), of_start.end(), of_start[0]));
      for (Index i = 0; i < kept.lambda.size(); ++i) {
        if (of_kept[static_cast<std::size_t>(i)] == static_cast<int>(sunk)) {
          bool had = false;
          for (Index c = 0; c < start.X.cols(); ++c) had = had || start.X.col(c) == kept.X.col(i);
          EXPECT_TRUE(had) << again;
        } else {
          const Vector x = kept.X.col(i), Kx = later.selfadjointView<Eigen::Lower>() * x,
                       Mx = d.M.selfadjointView<Eigen::Lower>() * x;
          EXPECT_LT((Kx - kept.lambda[i] * Mx).norm(), 1e-6) << again;
        }
      }
    }
  }
}

TEST(Parts, AreFollowedAsTheyChangePlaces) {
  const SpringBox body = box(13, 1);
  const Eigen::SelfAdjointEigenSolver<Matrix> one(full(body.K));
  const auto stiffnesses = [](double t) { return std::vector<double>{1., .6 + t, 1.7 - t}; };
  const auto bodies = [&](double t) {
    Blocks b;
    for (const double stiffness : stiffnesses(t)) b.add(stiffness * body.K, 1);
    return Dealt(b);
  };
  const Dealt first = bodies(0);
  Matrix rigid(first.K.cols(), 18);
  rigid << first.placed(0, body.rigid), first.placed(1, body.rigid), first.placed(2, body.rigid);
  ModeTracker tracker(25);
  Modes modes = tracker.from_scratch(first.K, first.M, rigid);
  for (int step = 1; step <= 8; ++step) {
    const Dealt d = bodies(.1 * step);
    modes = tracker.refine(d.K, d.M, rigid, modes, 1e-6);
    ASSERT_GE(modes.lambda.size(), 25);
    Reference dense{Vector(0), Matrix(d.K.cols(), 0)};
    for (std::size_t p = 0; p < 3; ++p)
      dense.add(stiffnesses(.1 * step)[p] * one.eigenvalues(), d.placed(p, one.eigenvectors()));
    expect_lowest(modes, d, dense);
  }
  EXPECT_LE(tracker.counts().from_scratch, 4);
}

TEST(Parts, SameBitsForAnyNumberOfThreadsAndAfterAReset) {
  Blocks b;
  const SpringBox body = box(13, 1);
  for (int i = 0; i < 5; ++i) b.add((1 + .1 * i) * body.K, 1);
  const Dealt d(b);
  ModeTracker used(20), fresh(20);
  set_threads(1);
  const Modes one = lowest_modes(d.K, d.M, 20), start = used.from_scratch(d.K, d.M, Matrix(d.K.cols(), 0));
  const SparseMatrix later = 1.1 * d.K;
  used.refine(later, d.M, Matrix(d.K.cols(), 0), start, 1e-6);
  used.reset();
  const Modes again = used.refine(d.K, d.M, Matrix(d.K.cols(), 0), start, 1e-6);
  set_threads(2);
  const Modes two = lowest_modes(d.K, d.M, 20);
  const Modes anew = fresh.refine(d.K, d.M, Matrix(d.K.cols(), 0), start, 1e-6);
  set_threads(0);
  EXPECT_EQ(one.lambda, two.lambda);
  EXPECT_EQ(one.X, two.X);
  EXPECT_EQ(again.lambda, anew.lambda);
  EXPECT_EQ(again.X, anew.X);
}

}  // namespace
}  // namespace limber
