#include "limber/linalg/solvers/multigrid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/scene/build/build.hpp"
#include "limber/scene/read.hpp"

namespace limber {
namespace {

std::string text(const std::string& mesh, const std::string& young, const std::string& pin) {
  return R"({"time": {"step": 0.01, "duration": 1}, "bodies": [{"mesh": )" + mesh + R"(, "pin": ")" + pin +
         R"(", "material": {"model": "stable_neo_hookean", "young": )" + young +
         R"(, "poisson": 0.4, "density": 1000}}]})";
}

/// M + h²K of a body, and its weight with some noise.
struct Elastic {
  Model model;
  SparseMatrix A;
  Vector b;

  Elastic(const std::string& mesh, const std::string& young, const std::string& pin, double h = .01)
      : model(build_model(read_scene(Document::parse(text(mesh, young, pin), "body"), vocabulary(), ""))) {
    Tangent T;
    model.system->linearize(model.start, Definiteness::projected, T);
    A = model.system->mass() + h * h * T.K;
    A.makeCompressed();
    b = model.system->mass().diagonal();
    for (Index i = 0; i < b.size(); ++i)
      b[i] *= std::sin(1. + 7. * static_cast<double>(i * i % 1013)) - (i % 3 == 1 ? 1 : 0);
  }
  const Vector& positions() const { return *model.system->traits().positions; }
};

constexpr const char* beam = R"({"shape": "box", "size": [8, 1, 1], "cells": [64, 8, 8], "split": "five"})";
constexpr const char* long_beam = R"({"shape": "box", "size": [8, 1, 1], "cells": [96, 12, 12], "split": "five"})";
constexpr const char* creature = R"({"shape": "creature", "height": 0.5, "tets": 20000})";

int iterations(const Elastic& body, const Vector& positions) {
  const auto rows = make_row_matrix(body.A, Symmetry::symmetric);
  rows->refresh(body.A);
  Multigrid multigrid;
  multigrid.set_up(*rows, positions);
  EXPECT_EQ(multigrid.refresh(*rows), SolveReport::Status::ok);
  EXPECT_LT(multigrid.complexity(), 1.8);
  Vector x;
  KrylovWork work;
  const KrylovResult found = pcg(*rows, multigrid, body.b, x, {1e-6, 500}, work);
  Vector r(body.b.size());
  rows->multiply(x.data(), r.data());
  EXPECT_LE((body.b - r).norm(), 1.01e-6 * body.b.norm());
  return found.iterations;
}

TEST(Multigrid, NeedsFewIterationsSoftOrStiffSmallOrLarge) {
  for (const char* young : {"1e5", "1e7", "1e9"})
    for (const char* mesh : {beam, long_beam}) {
      const Elastic body(mesh, young, "left");
      EXPECT_LE(iterations(body, body.positions()), 15) << mesh << " E = " << young;
    }
  const Elastic body(creature, "1e9", "bottom");
  EXPECT_LE(iterations(body, body.positions()), 25);
}

TEST(Multigrid, RotationsOfAggregatesSaveIterations) {
  const Elastic body(beam, "1e9", "left");
  EXPECT_GT(iterations(body, Vector()), 1.5 * iterations(body, body.positions()));
}

/// r ↦ z must be symmetric and positive for conjugate gradients.
TEST(Multigrid, IsSymmetricAndPositive) {
  const Elastic body(creature, "1e7", "bottom");
  const auto rows = make_row_matrix(body.A, Symmetry::symmetric);
  rows->refresh(body.A);
  Multigrid multigrid;
  multigrid.set_up(*rows, body.positions());
  ASSERT_EQ(multigrid.refresh(*rows), SolveReport::Status::ok);
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
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, &body.positions());
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
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, &body.positions());
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
  Elastic body(beam, "1e7", "left");
  body.A -= 1e3 * body.model.system->mass();
  body.A.makeCompressed();
  const auto solver = make_linear_solver("multigrid", Symmetry::symmetric, &body.positions());
  solver->set_matrix(body.A);
  Vector x;
  EXPECT_EQ(solver->solve(body.b, x, 1e-8).status, SolveReport::Status::indefinite);
}

}  // namespace
}  // namespace limber
