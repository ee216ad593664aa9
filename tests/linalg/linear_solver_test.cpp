#include "limber/linalg/solvers/linear_solver.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <Eigen/LU>
#include <atomic>
#include <thread>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/linalg/solvers/krylov.hpp"
#include "limber/linalg/solvers/stiff_block.hpp"
#include "linalg/matrices.hpp"

namespace limber {
namespace {

using namespace test;
using Status = SolveReport::Status;

std::vector<std::string> symmetric_names() {
  std::vector<std::string> names = linear_solver_names();
  try {
    make_linear_solver("cholmod", Symmetry::symmetric);
  } catch (const InputError&) {
    std::erase(names, "cholmod");
  }
  for (const char* name : {"petsc", "mumps"}) std::erase(names, name);  // tests/mpi; other matrices have no 3×3 blocks
  return names;
}

const std::vector<std::string> general_names = {"auto", "lu", "gmres"};

void expect_solved(LinearSolver& solver, const Matrix& A, const Vector& b, double tolerance, const std::string& what) {
  Vector x;
  const SolveReport report = solver.solve(b, x, tolerance);
  ASSERT_EQ(report.status, Status::ok) << what;
  EXPECT_LE((b - A * x).norm(), 3 * tolerance * b.norm()) << what;
  EXPECT_LE(report.residual, 2 * tolerance) << what;
  const Eigen::PartialPivLU<Matrix> lu(A);
  const Vector exact = lu.solve(b);
  const double condition = 1 / lu.rcond();
  EXPECT_LE((x - exact).norm(), 3 * tolerance * condition * exact.norm() + 1e-12) << what;
}

TEST(LinearSolver, SolvesPositiveDefiniteSystems) {
  const std::vector<SparseMatrix> matrices = {stage_matrix(4, .5), stage_matrix(5, 200), random_symmetric(100, 8, 1),
                                              random_symmetric(301, 8, 2), random_symmetric(7, 8, 3)};
  for (const std::string& name : symmetric_names())
    for (const SparseMatrix& A : matrices) {
      const auto solver = make_linear_solver(name, Symmetry::symmetric);
      solver->set_matrix(A);
      for (unsigned seed : {1u, 2u})
        expect_solved(*solver, full(A), random_vector(A.cols(), seed), 1e-10,
                      name + " n = " + std::to_string(A.cols()));
      EXPECT_EQ(solver->counts().solves, 2);
    }
}

TEST(LinearSolver, ReadsOnlyTheLowerTriangleOfSymmetricMatrices) {
  const SparseMatrix A = stage_matrix(4, 2);
  SparseMatrix spoilt = A;
  for (int j = 0; j < spoilt.cols(); ++j)
    for (SparseMatrix::InnerIterator it(spoilt, j); it; ++it)
      if (it.row() < j) it.valueRef() = 1e6;
  const SparseMatrix lower = A.triangularView<Eigen::Lower>();
  const SparseMatrix both = A.selfadjointView<Eigen::Lower>();
  const Vector b = random_vector(A.cols(), 5);
  for (const std::string& name : symmetric_names())
    for (const SparseMatrix& given : {spoilt, lower, both}) {
      const auto solver = make_linear_solver(name, Symmetry::symmetric);
      solver->set_matrix(given);
      expect_solved(*solver, full(A), b, 1e-10, name);
    }
}

TEST(LinearSolver, SolvesGeneralSystems) {
  SparseMatrix lattice = SparseMatrix(stage_matrix(5, 3).selfadjointView<Eigen::Lower>());
  std::mt19937 random(4);
  std::uniform_real_distribution<double> u(-.2, .2);
  for (Index k = 0; k < lattice.nonZeros(); ++k) lattice.valuePtr()[k] += u(random);
  const std::vector<SparseMatrix> matrices = {random_general(10, 1), random_general(200, 2), random_general(300, 3),
                                              lattice};
  for (const std::string& name : general_names)
    for (const SparseMatrix& A : matrices) {
      const auto solver = make_linear_solver(name, Symmetry::general);
      solver->set_matrix(A);
      expect_solved(*solver, Matrix(A), random_vector(A.cols(), 7), 1e-10, name + " n = " + std::to_string(A.cols()));
    }
}

TEST(LinearSolver, FullMatrices) {
  const Matrix R = Matrix::Random(120, 120);
  const SparseMatrix general = R.sparseView(),
                     spd = Matrix(R * R.transpose() + Matrix::Identity(120, 120)).sparseView();
  const auto lu = make_linear_solver("auto", Symmetry::general), llt = make_linear_solver("auto", Symmetry::symmetric);
  lu->set_matrix(general);
  llt->set_matrix(spd);
  expect_solved(*lu, R, random_vector(120, 1), 1e-9, "general");
  expect_solved(*llt, full(spd), random_vector(120, 1), 1e-9, "symmetric");
}

TEST(LinearSolver, IndefiniteSystems) {
  const SparseMatrix A = random_symmetric(150, 0, 9);
  const Vector b = random_vector(150, 3);
  for (const std::string& name : {std::string("ldlt"), std::string("lu")}) {
    const auto solver = make_linear_solver(name, Symmetry::symmetric);
    solver->set_matrix(A);
    expect_solved(*solver, full(A), b, 1e-9, name);
  }
  for (const std::string& name : symmetric_names()) {
    if (name == "ldlt" || name == "lu" || name == "gmres") continue;
    const auto solver = make_linear_solver(name, Symmetry::symmetric);
    solver->set_matrix(A);
    Vector x;
    EXPECT_EQ(solver->solve(b, x, 1e-9).status, Status::indefinite) << name;
  }
}

TEST(LinearSolver, IndefiniteWithPositiveDiagonalBlocks) {
  SparseMatrix A = stage_matrix(5, 50);
  for (Index i = 0; i < A.cols(); ++i) A.coeffRef(i, i) -= 4;  // below zero only for smooth vectors
  for (const std::string& name : symmetric_names()) {
    if (name == "ldlt" || name == "lu" || name == "gmres") continue;
    const auto solver = make_linear_solver(name, Symmetry::symmetric);
    Vector x;
    const Vector b = Vector::Ones(A.cols()) + .1 * random_vector(A.cols(), 1);
    solver->set_matrix(A);
    EXPECT_EQ(solver->solve(b, x, 1e-9).status, Status::indefinite) << name;
    const SparseMatrix definite = stage_matrix(5, 50);
    solver->set_matrix(definite);
    expect_solved(*solver, full(definite), b, 1e-9, name + " afterwards");
  }
}

TEST(LinearSolver, SingularMatricesAreReported) {
  const SparseMatrix K = spring_lattice(4);  // K · constant = 0
  SparseMatrix zero_row(3, 3);
  zero_row.insert(0, 0) = 1;
  zero_row.insert(1, 1) = 0;
  zero_row.insert(2, 2) = 2;
  zero_row.makeCompressed();
  for (const SparseMatrix& A : {K, zero_row}) {
    const SparseMatrix both = A.selfadjointView<Eigen::Lower>();
    Vector x;
    for (const std::string& name : symmetric_names()) {
      const auto solver = make_linear_solver(name, Symmetry::symmetric);
      solver->set_matrix(A);
      EXPECT_NE(solver->solve(Vector::Ones(A.cols()), x, 1e-8).status, Status::ok) << name;
    }
    for (const std::string& name : general_names) {
      const auto solver = make_linear_solver(name, Symmetry::general);
      solver->set_matrix(both);
      EXPECT_NE(solver->solve(Vector::Ones(A.cols()), x, 1e-8).status, Status::ok) << name;
    }
  }
}

TEST(LinearSolver, ZeroRightHandSide) {
  const SparseMatrix A = stage_matrix(3, 1);
  for (const std::string& name : symmetric_names()) {
    const auto solver = make_linear_solver(name, Symmetry::symmetric);
    solver->set_matrix(A);
    Vector x = Vector::Ones(4);
    EXPECT_EQ(solver->solve(Vector::Zero(A.cols()), x, 1e-8).status, Status::ok) << name;
    EXPECT_EQ(x, Vector::Zero(A.cols())) << name;
  }
}

TEST(LinearSolver, NewPatternIsAnalysedAgainAndOnlyThen) {
  const SparseMatrix first = stage_matrix(4, 2), values = stage_matrix(4, 3, .1), other = stage_matrix(5, 2);
  SparseMatrix moved = first;  // as many entries, one elsewhere
  moved.coeffRef(3 * 63 + 2, 0) = .01;
  for (const std::string& name : symmetric_names()) {
    const auto solver = make_linear_solver(name, Symmetry::symmetric);
    for (const SparseMatrix& A : {first, values, other, moved, first}) {
      solver->set_matrix(A);
      expect_solved(*solver, full(A), random_vector(A.cols(), 2), 1e-9, name);
    }
    EXPECT_EQ(solver->counts().analyses, 4) << name;
  }
}

/// A slowly changing stiff sequence, on a pattern for which a factor pays.
std::vector<SparseMatrix> slow_sequence(int count) {
  std::vector<SparseMatrix> matrices;
  for (int k = 0; k < count; ++k) matrices.push_back(stage_matrix(7, 1e5, .002 * k));
  return matrices;
}

TEST(AutoSolver, KeepsAStaleFactorWhileItServes) {
  const auto solver = make_linear_solver("auto", Symmetry::symmetric);
  const auto matrices = slow_sequence(30);
  for (const SparseMatrix& A : matrices) {
    solver->set_matrix(A);
    const Vector b = random_vector(A.cols(), 3);
    Vector x;
    ASSERT_EQ(solver->solve(b, x, 1e-9).status, Status::ok);
    EXPECT_LE((b - full(A) * x).norm(), 2e-9 * b.norm());
  }
  EXPECT_GE(solver->counts().factorizations, 1);
  EXPECT_LE(solver->counts().factorizations, 6);
  EXPECT_EQ(solver->counts().analyses, 1);
}

TEST(AutoSolver, SoftMatricesNeedNoFactor) {
  const auto solver = make_linear_solver("auto", Symmetry::symmetric);
  for (int k = 0; k < 5; ++k) {
    const SparseMatrix A = stage_matrix(7, .05, .01 * k);
    solver->set_matrix(A);
    expect_solved(*solver, full(A), random_vector(A.cols(), 3), 1e-8, "soft");
  }
  EXPECT_EQ(solver->counts().factorizations, 0);
}

/// Soft everywhere but on one layer of nodes, joined to each other stiffly: what friction does to nodes in contact.
SparseMatrix with_stiff_layer(int m, double stiffness, double turn = 0) {
  SparseMatrix A = stage_matrix(m, .1, turn);
  const SparseMatrix K = spring_lattice(m, turn);
  const Index layer = 3 * m * m;
  for (Index j = 0; j < layer; ++j)
    for (SparseMatrix::InnerIterator e(K, j); e; ++e)
      if (e.row() < layer) A.coeffRef(e.row(), j) += stiffness * e.value();
  return A;
}

TEST(AutoSolver, FewStiffNodesCostFewIterations) {
  constexpr int m = 10;
  const auto soft = make_linear_solver("auto", Symmetry::symmetric),
             stiff = make_linear_solver("auto", Symmetry::symmetric);
  const SparseMatrix A0 = stage_matrix(m, .1), A = with_stiff_layer(m, 1e4);
  const Vector b = random_vector(A.cols(), 3);
  Vector x;
  soft->set_matrix(A0);
  soft->solve(b, x, 1e-8);
  stiff->set_matrix(A);
  expect_solved(*stiff, full(A), b, 1e-8, "stiff layer");
  EXPECT_EQ(stiff->counts().factorizations, 0);
  EXPECT_LE(stiff->counts().iterations, 1.5 * static_cast<double>(soft->counts().iterations) + 5);
  const auto plain = make_linear_solver("pcg", Symmetry::symmetric);
  plain->set_matrix(A);
  plain->solve(b, x, 1e-8);
  EXPECT_GT(plain->counts().iterations, 3 * stiff->counts().iterations) << "else the block is of no use";
}

TEST(StiffBlock, AppliesTheInverseOfItsPart) {
  const SparseMatrix A = with_stiff_layer(6, 1e3);
  StiffBlock block;
  ASSERT_EQ(block.set(A, 3), SolveReport::Status::ok);
  ASSERT_FALSE(block.empty());
  const Index layer = 3 * 36;
  const Matrix part = Matrix(full(A)).topLeftCorner(layer, layer);
  const Vector r = random_vector(A.cols(), 4), before = random_vector(A.cols(), 5);
  Vector z = before;
  const double change = block.apply(r, z);
  EXPECT_LE((part * z.head(layer) - r.head(layer)).norm(), 1e-10 * r.norm());
  EXPECT_EQ(z.tail(z.size() - layer), before.tail(z.size() - layer));
  EXPECT_NEAR(change, r.dot(z) - r.dot(before), 1e-10);
}

TEST(StiffBlock, IsEmptyWhereAllIsAlikeAndReportsIndefiniteness) {
  StiffBlock block;
  EXPECT_EQ(block.set(stage_matrix(6, 1e4), 3), SolveReport::Status::ok);
  EXPECT_TRUE(block.empty());
  SparseMatrix A = with_stiff_layer(6, 1e3);
  A.coeffRef(3, 0) = 1e7;
  EXPECT_EQ(block.set(A, 3), SolveReport::Status::indefinite);
}

/// Their own block is inverted as it is.
TEST(StiffBlock, LeavesOutNodesThatAreStiffForThemselves) {
  StiffBlock block;
  SparseMatrix A = stage_matrix(6, .1);
  for (Index j = 0; j < 3 * 36; ++j) A.coeffRef(j, j) += 1e4;
  EXPECT_EQ(block.set(A, 3), SolveReport::Status::ok);
  EXPECT_TRUE(block.empty());
}

TEST(AutoSolver, GeneralStaleFactor) {
  const auto solver = make_linear_solver("auto", Symmetry::general);
  for (const SparseMatrix& lower : slow_sequence(12)) {
    SparseMatrix A = lower.selfadjointView<Eigen::Lower>();
    A.coeffRef(0, 1) += .1;
    solver->set_matrix(A);
    const Vector b = random_vector(A.cols(), 3);
    Vector x;
    ASSERT_EQ(solver->solve(b, x, 1e-9).status, Status::ok);
    EXPECT_LE((b - A * x).norm(), 3e-9 * b.norm());
  }
  EXPECT_LE(solver->counts().factorizations, 5);
}

std::vector<Vector> solve_all(LinearSolver& solver, const std::vector<SparseMatrix>& matrices) {
  std::vector<Vector> found;
  for (const SparseMatrix& A : matrices) {
    solver.set_matrix(A);
    found.emplace_back();
    solver.solve(random_vector(A.cols(), 11), found.back(), 1e-8);
  }
  return found;
}

SparseMatrix shifted(SparseMatrix A, double by) {
  A.diagonal().array() += by;
  return A;
}

/// Springs of 1e8 between pairs of nodes that 1 alone holds back: rounded entries cannot tell the sum of both.
SparseMatrix stiff_pairs(int m) {
  SparseMatrix A = test::spring_lattice(m);
  for (Index i = 0; i + 5 < A.cols(); i += 6)
    for (int k = 0; k < 3; ++k) {
      constexpr double stiff = 1.00000003e8;  // no number of single precision
      A.coeffRef(i + k, i + k) += stiff + 1;
      A.coeffRef(i + 3 + k, i + 3 + k) += stiff + 1;
      A.coeffRef(i + 3 + k, i + k) -= stiff;
    }
  A.makeCompressed();
  return A;
}

TEST(Krylov, RoundedEntriesAreJudgedByTheExactOnes) {
  for (const SparseMatrix& A : {shifted(test::spring_lattice(8), 1e-3), stiff_pairs(8)}) {
    const Vector b = test::random_vector(A.cols(), 5);
    const auto rows = make_row_matrix(A, Symmetry::symmetric);
    rows->refresh(A);
    ASSERT_EQ(rows->invert_diagonal(RowMatrix::Inverse::kept), SolveReport::Status::ok);
    const double rounding = rows->round(RowMatrix::Rounded::kept);
    const Matrix dense = A.selfadjointView<Eigen::Lower>() * Matrix::Identity(A.rows(), A.cols());
    EXPECT_GE(rounding, (dense - dense.cast<float>().cast<double>()).norm() / std::sqrt(static_cast<double>(A.cols())));
    for (const double tolerance : {1e-2, 1e-6}) {
      DiagonalPreconditioner D(*rows);
      KrylovWork work;
      KrylovLimits limits{tolerance, 20000};
      limits.rounding = rounding;
      Vector x;
      const KrylovResult found = pcg(*rows, D, b, x, limits, work);
      EXPECT_EQ(found.end, KrylovResult::End::converged);
      EXPECT_LE((b - dense * x).norm(), 2 * tolerance * b.norm());
    }
  }
}

TEST(Krylov, RoundedEntriesDoNotHideWhatIsIndefinite) {
  const SparseMatrix A = shifted(test::spring_lattice(6), -.05);
  const auto rows = make_row_matrix(A, Symmetry::symmetric);
  rows->refresh(A);
  ASSERT_EQ(rows->invert_diagonal(RowMatrix::Inverse::kept), SolveReport::Status::ok);
  DiagonalPreconditioner D(*rows);
  KrylovWork work;
  KrylovLimits limits{1e-6, 20000};
  limits.rounding = rows->round(RowMatrix::Rounded::kept);
  Vector x;
  EXPECT_EQ(pcg(*rows, D, test::random_vector(A.cols(), 7), x, limits, work).end, KrylovResult::End::indefinite);
}

TEST(LinearSolver, ResetMakesItAsNew) {
  const auto matrices = slow_sequence(8);
  for (const std::string& name : symmetric_names()) {
    if (name == "gmres") continue;  // keeps nothing, and is slow on these
    const auto used = make_linear_solver(name, Symmetry::symmetric),
               fresh = make_linear_solver(name, Symmetry::symmetric);
    const SparseMatrix stiff = stage_matrix(7, 1e6), soft = stage_matrix(7, .1);
    solve_all(*used, {stiff, soft, stiff});
    used->reset();
    EXPECT_EQ(solve_all(*used, matrices), solve_all(*fresh, matrices)) << name;
  }
}

TEST(LinearSolver, SameBitsForAnyNumberOfThreads) {
  const auto matrices =
      std::vector<SparseMatrix>{stage_matrix(13, 1), stage_matrix(13, 100), stage_matrix(13, 100, .01)};
  for (const std::string name : {"auto", "pcg", "gmres"}) {
    set_threads(1);
    const auto one = solve_all(*make_linear_solver(name, Symmetry::symmetric), matrices);
    set_threads(2);
    const auto two = solve_all(*make_linear_solver(name, Symmetry::symmetric), matrices);
    set_threads(0);
    EXPECT_EQ(one, two) << name;
  }
}

/// METIS_NodeND takes SIGTERM for itself while it works, and a program that is told to end in that time crashes.
TEST(LinearSolver, AnalysisLeavesSignalsAlone) {
  const auto factor = make_cholmod_factor();
  if (!factor) GTEST_SKIP() << "built without CHOLMOD";
  const auto handler = [](int signal) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    return now.sa_handler;
  };
  const auto before = std::pair(handler(SIGTERM), handler(SIGABRT));
  std::atomic<bool> ended = false;
  std::atomic<long> looks = 0, changes = 0;
  std::thread watch([&] {
    for (; !ended; ++looks)
      if (std::pair(handler(SIGTERM), handler(SIGABRT)) != before) ++changes;
  });
  while (looks == 0) std::this_thread::yield();
  const long looks_before = looks;
  factor->analyze(stage_matrix(20, .5));
  EXPECT_GT(looks, looks_before);
  ended = true;
  watch.join();
  EXPECT_EQ(changes, 0);
}

TEST(LinearSolver, NamesAreChecked) {
  for (const std::string name : {"cholmod", "ldlt", "pcg"}) try {
      make_linear_solver(name, Symmetry::general);
      ADD_FAILURE() << name;
    } catch (const InputError& e) {
      EXPECT_NE(e.message().find("use one of auto, lu, gmres"), std::string::npos) << e.message();
    }
  EXPECT_NE(make_linear_solver("PCG", Symmetry::symmetric), nullptr);
  try {
    make_linear_solver("cholmd", Symmetry::symmetric);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "method.solver");
    EXPECT_NE(e.message().find("did you mean \"cholmod\""), std::string::npos) << e.message();
  }
}

}  // namespace
}  // namespace limber
