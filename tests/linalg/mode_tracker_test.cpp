#include "limber/linalg/modes/mode_tracker.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "linalg/matrices.hpp"

namespace limber {
namespace {

using namespace test;

SparseMatrix diagonal(const Vector& d) {
  SparseMatrix D(d.size(), d.size());
  D.setIdentity();
  for (Index i = 0; i < d.size(); ++i) D.coeffRef(i, i) = d[i];
  return D;
}

struct Body {
  SparseMatrix K, M;
  Matrix rigid;
};

/// A free box whose stiffness varies along it, the more the larger `change` is.
Body body(double change) {
  const auto box = spring_box(12, 3, 4, [=](int node) { return 1 + change * std::sin(.4 * (node % 12)); });
  Vector m(box.K.cols());
  for (Index i = 0; i < m.size(); ++i) m[i] = 1 + .2 * static_cast<double>(i / 3 % 4);
  return {box.K, diagonal(m), box.rigid};
}

void expect_dense_answer(const Modes& modes, const Body& b, double accuracy) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(full(b.K), full(b.M));
  const Index s = modes.lambda.size();
  const Matrix MX = b.M * modes.X;
  EXPECT_LE((modes.X.transpose() * MX - Matrix::Identity(s, s)).cwiseAbs().maxCoeff(), 1e-13);
  for (Index i = 0; i < s; ++i)
    EXPECT_NEAR(modes.lambda[i], dense.eigenvalues()[i], accuracy * dense.eigenvalues()[s - 1]) << i;
  const Matrix lowest = dense.eigenvectors().leftCols(s);
  EXPECT_LE((lowest - modes.X * (MX.transpose() * lowest)).norm(), std::sqrt(accuracy));
}

TEST(ModeTracker, FollowsAChangingStiffness) {
  ModeTracker tracker(12);
  Body b = body(0);
  Modes modes = tracker.from_scratch(b.K, b.M, b.rigid);
  for (int step = 1; step <= 20; ++step) {
    b = body(.01 * step);
    modes = tracker.refine(b.K, b.M, b.rigid, modes, 1e-6);
    EXPECT_EQ(modes.lambda.head(6), Vector::Zero(6));
  }
  expect_dense_answer(modes, b, 1e-10);
  EXPECT_EQ(tracker.counts().from_scratch, 1);
  EXPECT_EQ(tracker.counts().refinements, 20);
  EXPECT_LE(tracker.counts().iterations, 100);
  const Matrix residual = b.K.selfadjointView<Eigen::Lower>() * modes.X - b.M * modes.X * modes.lambda.asDiagonal();
  EXPECT_LE(mode_errors(residual, modes.lambda, b.K.diagonal(), b.M.diagonal()).maxCoeff(), 1e-6);
}

TEST(ConnectedTracker, RefinesLargeOnesWithMultigrid) {
  Vector positions(3 * 12 * 3 * 4);
  for (int n = 0; n < 12 * 3 * 4; ++n) positions.segment<3>(3 * n) = Vec3(n % 12, n / 12 % 3, n / 36);
  for (const bool known : {true, false}) {  // where the nodes are
    ConnectedTracker tracker;
    if (known) tracker.set_positions(&positions);
    tracker.set_large(0);
    const Body first = body(.2);
    Modes modes = tracker.from_scratch(first.K, first.M, first.rigid, 12);
    for (const double change : {.25, .35, .5}) {
      const Body b = body(change);
      modes = tracker.refine(b.K, b.M, b.rigid, modes, 1e-5, 12);
      expect_dense_answer(modes, b, 1e-9);
    }
    EXPECT_EQ(tracker.counts().from_scratch, 1);
  }
}

TEST(ModeTracker, LeavesAloneWhatIsGoodEnough) {
  ModeTracker tracker(12);
  const Body b = body(.3);
  const Modes modes = tracker.from_scratch(b.K, b.M, b.rigid);
  tracker.refine(b.K, b.M, b.rigid, modes, 1e-6);
  EXPECT_EQ(tracker.counts().iterations, 0);
}

TEST(ModeTracker, RemakesItsFactorOrStartsAgainWhereTheOldOneDoesNotServe) {
  ModeTracker tracker(12);
  const Body soft = body(0);
  const Modes modes = tracker.from_scratch(soft.K, soft.M, soft.rigid);
  Body stiff = body(.9);
  stiff.K *= 1e4;
  expect_dense_answer(tracker.refine(stiff.K, stiff.M, stiff.rigid, modes, 1e-6), stiff, 1e-9);
}

TEST(ModeTracker, DependsOnItsArgumentsOnlyAfterAResetAndOnNoThreads) {
  const Body old = body(0), now = body(.05);
  const Modes start = whole_modes(old.K, old.M, 12, old.rigid);
  ModeTracker used(12), fresh(12);
  used.from_scratch(old.K, old.M, old.rigid);
  used.reset();
  set_threads(1);
  const Modes a = used.refine(now.K, now.M, now.rigid, start, 1e-8);
  set_threads(2);
  const Modes b = fresh.refine(now.K, now.M, now.rigid, start, 1e-8);
  set_threads(0);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.X, b.X);
  EXPECT_EQ(used.counts().from_scratch, 1);
  EXPECT_EQ(fresh.counts().from_scratch, 0);
}

TEST(ModeTracker, IndefiniteStiffness) {
  ModeTracker tracker(12);
  Body b = body(0);
  Modes modes = tracker.from_scratch(b.K, b.M, b.rigid);
  for (int step = 1; step <= 5; ++step) {
    b = body(.01 * step);
    b.K -= 4e-5 * step * b.M;  // no exact null vectors any more
    modes = tracker.refine(b.K, b.M, b.rigid, modes, 1e-6);
  }
  EXPECT_LT(modes.lambda[0], -1e-4);
  expect_dense_answer(modes, b, 1e-9);
}

/// Chains of springs that do not know each other: their modes cross without touching.
TEST(ModeTracker, ModesThatCrossInsideTheSet) {
  const auto K = [](double t) {
    Triplets entries;
    for (int i = 0; i < 800; ++i) {
      const double k = i < 400 ? 1 : .9 + .4 * t;
      entries.emplace_back(i, i, 2 * k);
      if (i != 399 && i != 799) entries.emplace_back(i + 1, i, -k);
    }
    return from_triplets(800, entries);
  };
  const SparseMatrix M = diagonal(Vector::Ones(800));
  const Matrix none(800, 0);
  ModeTracker tracker(6);
  Modes modes = tracker.from_scratch(K(0), M, none);
  for (int step = 1; step <= 20; ++step) modes = tracker.refine(K(.05 * step), M, none, modes, 1e-8);
  expect_dense_answer(modes, {K(1), M, none}, 1e-9);
}

TEST(ModeTracker, TakesAClusterWholeWhenOneFormsAtTheEndOfTheSet) {
  const auto K = [](double second) {
    Triplets entries;
    for (int i = 0; i < 800; ++i) {
      const double k = i < 400 ? 1 : second;
      entries.emplace_back(i, i, 2 * k);
      if (i != 399 && i != 799) entries.emplace_back(i + 1, i, -k);
    }
    return from_triplets(800, entries);
  };
  const SparseMatrix M = diagonal(Vector::Ones(800));
  const Matrix none(800, 0);
  ModeTracker tracker(2);
  const Modes two = tracker.from_scratch(K(3), M, none);
  ASSERT_EQ(two.lambda.size(), 2);
  const auto ratio = [](int j) { return 1 - std::cos(j * std::numbers::pi / 401); };
  Modes mixed = two;  // the second mode of the first chain comes to equal the first of the second
  mixed.X.col(0) += 1e-3 * random_vector(800, 1);
  mixed.X.col(1) += 1e-3 * random_vector(800, 2);
  EXPECT_EQ(tracker.refine(K(ratio(2) / ratio(1)), M, none, mixed, 1e-8).lambda.size(), 3);
}

TEST(ModeTracker, FewUnknownsAreSolvedDensely) {
  const auto box = spring_box(3, 3, 3, [](int node) { return 1 + .1 * node; });
  const SparseMatrix M = diagonal(Vector::Ones(81));
  ModeTracker tracker(10);
  const Modes modes = tracker.refine(box.K, M, box.rigid, {Vector(0), Matrix(81, 0)}, 1e-6);
  expect_dense_answer(modes, {box.K, M, box.rigid}, 1e-13);
}

TEST(ModeTracker, BadInput) {
  const Body b = body(0);
  EXPECT_THROW(ModeTracker(0).from_scratch(b.K, b.M, b.rigid), InputError);
  EXPECT_THROW(ModeTracker(static_cast<int>(b.K.cols()) + 1).from_scratch(b.K, b.M, b.rigid), InputError);
  Body broken = b;
  broken.K.coeffRef(3, 3) = std::numeric_limits<double>::quiet_NaN();
  ModeTracker tracker(7);
  const Modes modes = tracker.from_scratch(b.K, b.M, b.rigid);
  try {
    tracker.refine(broken.K, broken.M, broken.rigid, modes, 1e-6);
    ADD_FAILURE();
  } catch (const StepFailure& e) {
    EXPECT_NE(e.reason.find("modes: "), std::string::npos) << e.reason;
  }
}

}  // namespace
}  // namespace limber
