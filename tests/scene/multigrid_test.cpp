#include "limber/linalg/solvers/multigrid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/read.hpp"

namespace limber {
namespace {

std::string text(const std::string& mesh, const std::string& young, const std::string& pin) {
  return R"({"time": {"step": 0.01, "duration": 1}, "bodies": [{"mesh": )" + mesh + R"(, "pin": ")" + pin +
         R"(", "material": {"model": "stable_neo_hookean", "young": )" + young +
         R"(, "poisson": 0.4, "density": 1000}}]})";
}

/// Cubes in pairs, one on the other, near enough for barriers to act.
std::string stacked_cubes(int pairs) {
  std::string bodies;
  for (int i = 0; i < 2 * pairs; ++i)
    bodies += fmt::format(R"({}{{"mesh": {{"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [5, 5, 5]}},
        "position": [{}, {}, 0.01], "material": {{"young": 1e6, "poisson": 0.4, "density": 1000}}}})",
                          i == 0 ? "" : ", ", .4 * (i / 2) + .02 * (i % 2), .0002 + .2002 * (i % 2));
  return fmt::format(R"({{"time": {{"step": 0.01, "duration": 1}}, "bodies": [{}], "contact": {{"delta": 0.001}},
      "obstacles": [{{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}}]}})",
                     bodies);
}

/// M + h²K of a scene, and the weight of its bodies with some noise.
struct Elastic {
  Model model;
  SparseMatrix A;
  Vector b;

  Elastic(const std::string& mesh, const std::string& young, const std::string& pin, double h = .01)
      : Elastic(text(mesh, young, pin), h) {}
  explicit Elastic(const std::string& scene, double h = .01)
      : model(build_model(read_scene(Document::parse(scene, "scene"), vocabulary(), ""))) {
    Tangent T;
    model.system->linearize(model.start, Definiteness::projected, T);
    A = model.system->mass() + h * h * T.K;
    A.makeCompressed();
    b = model.system->mass().diagonal();
    for (Index i = 0; i < b.size(); ++i)
      b[i] *= std::sin(1. + 7. * static_cast<double>(i * i % 1013)) - (i % 3 == 1 ? 1 : 0);
  }
  const Vector& positions() const { return *model.system->traits().nodes.positions; }
};

constexpr const char* slender = R"({"shape": "box", "size": [8, 1, 1], "cells": [64, 8, 8], "split": "five"})";
constexpr const char* long_beam = R"({"shape": "box", "size": [8, 1, 1], "cells": [96, 12, 12], "split": "five"})";
constexpr const char* creature = R"({"shape": "creature", "height": 0.5, "tets": 20000})";

int iterations(const Elastic& body, const UnknownNodes& nodes) {
  const auto rows = make_row_matrix(body.A, Symmetry::symmetric);
  rows->refresh(body.A);
  Multigrid multigrid;
  EXPECT_EQ(multigrid.set_up(*rows, nodes), SolveReport::Status::ok);
  EXPECT_LT(multigrid.complexity(), 1.8);
  Vector x;
  KrylovWork work;
  const KrylovResult found = pcg(*rows, multigrid, body.b, x, {1e-6, 500}, work);
  Vector r(body.b.size());
  rows->multiply(x.data(), r.data());
  EXPECT_LE((body.b - r).norm(), 1.01e-6 * body.b.norm());
  return found.iterations;
}

/// A with contacts as barriers make them, k g gᵀ: every other one of the first nodes against a floor, the rest against
/// two of their neighbours.
SparseMatrix with_contacts(SparseMatrix A, int nodes, double k) {
  const auto stored = [&](int row, int column) {
    const int *rows = A.innerIndexPtr(), *start = A.outerIndexPtr() + column;
    return std::binary_search(rows + start[0], rows + start[1], row);
  };
  const auto coupled = [&](int i, int j) { return stored(3 * std::max(i, j), 3 * std::min(i, j)); };
  const auto add = [&](const std::vector<std::pair<int, double>>& g, const Vec3& n) {
    for (const auto& [i, wi] : g)
      for (const auto& [j, wj] : g)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            if (stored(3 * i + r, 3 * j + c)) A.coeffRef(3 * i + r, 3 * j + c) += k * wi * wj * n[r] * n[c];
  };
  const Vec3 normal = Vec3(.3, .9, .2).normalized();
  for (int i = 0; i < nodes; ++i) {
    if (i % 2 == 0) {
      add({{i, 1}}, normal);
      continue;
    }
    std::vector<std::pair<int, double>> g{{i, 1}};
    for (int j = i + 1; j < 3 * nodes && g.size() < 3; ++j)
      if (std::all_of(g.begin(), g.end(), [&](const auto& other) { return coupled(other.first, j); }))
        g.emplace_back(j, -.5);
    if (g.size() == 3) add(g, normal);
  }
  return A;
}

/// Contact makes the levels of the free body stale. They follow it, and back when it is gone.
TEST(Multigrid, LevelsFollowContactThatComesAndGoes) {
  const Elastic body(slender, "1e6", "left");
  const auto rows = make_row_matrix(body.A, Symmetry::symmetric);
  KrylovWork work;
  const auto needed = [&](Multigrid& levels) {
    Vector x, r(body.b.size());
    const KrylovResult found = pcg(*rows, levels, body.b, x, {1e-6, 2000}, work);
    rows->multiply(x.data(), r.data());
    EXPECT_LE((body.b - r).norm(), 1.01e-6 * body.b.norm());
    return found.iterations;
  };
  rows->refresh(body.A);
  Multigrid levels, stale;
  ASSERT_EQ(levels.set_up(*rows, {&body.positions()}), SolveReport::Status::ok);
  ASSERT_EQ(stale.set_up(*rows, {&body.positions()}), SolveReport::Status::ok);
  const int without = needed(levels);
  const double usual = body.A.diagonal().mean();
  for (const double stiffness : {1e2, 1e4, 3e1}) {
    const SparseMatrix A = with_contacts(body.A, 150, stiffness * usual);
    rows->refresh(A);
    ASSERT_EQ(levels.follow(*rows), SolveReport::Status::ok);
    const int followed = needed(levels);
    Multigrid fresh;
    ASSERT_EQ(fresh.set_up(*rows, {&body.positions()}), SolveReport::Status::ok);
    const int anew = needed(fresh);
    EXPECT_LE(followed, anew + anew / 2 + 2) << stiffness;  // P stays that of the free body
    EXPECT_GT(needed(stale), followed + 10) << stiffness;
  }
  rows->refresh(body.A);
  ASSERT_EQ(levels.follow(*rows), SolveReport::Status::ok);
  EXPECT_LE(needed(levels), without + 2);
}

TEST(Multigrid, NeedsFewIterationsSoftOrStiffSmallOrLarge) {
  for (const char* young : {"1e5", "1e7", "1e9"})
    for (const char* mesh : {slender, long_beam}) {
      const Elastic body(mesh, young, "left");
      EXPECT_LE(iterations(body, {&body.positions()}), 15) << mesh << " E = " << young;
    }
  const Elastic body(creature, "1e9", "bottom");
  EXPECT_LE(iterations(body, {&body.positions()}), 25);
}

TEST(Multigrid, RotationsOfAggregatesSaveIterations) {
  const Elastic body(slender, "1e9", "left");
  EXPECT_GT(iterations(body, {}), 1.5 * iterations(body, {&body.positions()}));
}

/// Aggregates of nodes of two bodies could not slide: their coarse space has no such motion.
TEST(Multigrid, BodiesThatTouchAreGatheredApart) {
  const Elastic cubes(stacked_cubes(4));
  const UnknownNodes nodes = cubes.model.system->traits().nodes;
  ASSERT_EQ(nodes.parts->size(), 8u);
  const int apart = iterations(cubes, nodes), together = iterations(cubes, {nodes.positions});
  EXPECT_LT(1.5 * apart, together);
}

/// Contact comes and goes while a Newton iteration asks for coarse answers only: levels that do not fit any more are
/// noticed all the same.
TEST(Multigrid, LevelsAreRenewedForCoarseAnswersToo) {
  const Elastic cubes(stacked_cubes(4));
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, cubes.model.system->traits().nodes);
  SparseMatrix stiff = cubes.A, loose = cubes.A;
  for (Index j = 0; j < loose.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(loose, j); it; ++it)
      it.valueRef() = cubes.model.system->mass().coeff(it.row(), it.col());
  Vector x;
  solver->set_matrix(loose);
  ASSERT_EQ(solver->solve(cubes.b, x, .03).status, SolveReport::Status::ok);
  solver->set_matrix(stiff);
  int last = 0;
  for (int k = 0; k < 3; ++k) {
    const SolveReport report = solver->solve(cubes.b, x, .03);
    ASSERT_EQ(report.status, SolveReport::Status::ok);
    last = report.iterations;
  }
  EXPECT_LE(last, 10);
}

/// r ↦ z must be symmetric and positive for conjugate gradients.
TEST(Multigrid, IsSymmetricAndPositive) {
  const Elastic body(creature, "1e7", "bottom");
  const auto rows = make_row_matrix(body.A, Symmetry::symmetric);
  rows->refresh(body.A);
  Multigrid multigrid;
  ASSERT_EQ(multigrid.set_up(*rows, {&body.positions()}), SolveReport::Status::ok);
  const Vector r = body.b, s = body.b.reverse();
  Vector z, y;
  const double rz = multigrid.apply(r, z), sy = multigrid.apply(s, y);
  EXPECT_GT(rz, 0);
  EXPECT_GT(sy, 0);
  EXPECT_NEAR(rz, r.dot(z), 1e-12 * rz);
  EXPECT_NEAR(s.dot(z), r.dot(y), 1e-5 * std::sqrt(rz * sy));  // single precision
}

TEST(Multigrid, SameBitsForAnyNumberOfThreadsAndAfterAReset) {
  const Elastic body(creature, "1e8", "bottom");
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, {&body.positions()});
  Vector first, x;
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    solver->reset();
    solver->set_matrix(body.A);
    ASSERT_EQ(solver->solve(body.b, x, 1e-10).status, SolveReport::Status::ok);
    if (n == 1) first = x;
    EXPECT_EQ(x, first);
  }
  set_threads(0);
}

TEST(Multigrid, LevelsServeMatricesThatAreNear) {
  Elastic body(creature, "1e8", "bottom");
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, {&body.positions()});
  Vector x;
  for (int k = 0; k < 4; ++k) {
    body.A *= 1.1;
    solver->set_matrix(body.A);
    ASSERT_EQ(solver->solve(body.b, x, 1e-8).status, SolveReport::Status::ok);
  }
  EXPECT_EQ(solver->counts().factorizations, 1);
  // Nothing like it: an elastic body a thousand times as stiff as it is heavy, and one that is all mass.
  body.A = body.model.system->mass();
  solver->set_matrix(body.A);
  ASSERT_EQ(solver->solve(body.b, x, 1e-8).status, SolveReport::Status::ok);
  EXPECT_LE((body.A.selfadjointView<Eigen::Lower>() * x - body.b).norm(), 1.01e-8 * body.b.norm());
}

TEST(Multigrid, FindsThatAMatrixIsIndefinite) {
  Elastic body(slender, "1e7", "left");
  body.A -= 1e3 * body.model.system->mass();
  body.A.makeCompressed();
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, {&body.positions()});
  solver->set_matrix(body.A);
  Vector x;
  EXPECT_EQ(solver->solve(body.b, x, 1e-8).status, SolveReport::Status::indefinite);
}

}  // namespace
}  // namespace limber
