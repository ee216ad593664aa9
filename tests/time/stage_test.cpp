/// The stage (S) as Newton sees it, for the stages that the schemes form, and the options of its solvers.

#include <gtest/gtest.h>

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/time/stage_problem.hpp"
#include "support/first_order.hpp"
#include "support/methods.hpp"

namespace limber::test {
namespace {

/// Passes stages on to a solver and keeps them.
class Recorder final : public Dynamics {
 public:
  Recorder(System& system, StageSolver& stages) : mechanics_(system, stages, exponential_) {}
  State rate(const State& u) override { return mechanics_.rate(u); }
  State solve(const Stage& s) override {
    stages.push_back(s);
    return mechanics_.solve(s);
  }
  State exponential(const State& u, double h) override { return mechanics_.exponential(u, h); }
  EnergyGain gain(const State& from, const State& u, const Vector& d) override { return mechanics_.gain(from, u, d); }
  std::vector<Stage> stages;

 private:
  Exponential exponential_{1e-10};
  Mechanics mechanics_;
};

/// The stages of two steps of different length.
std::vector<Stage> stages_of(const Row& row, Chain& chain) {
  const auto& info = find_method(row.method);
  const auto solver = make_stage_solver(info.solution, chain, {});
  const auto scheme = info.make(complete_parameters(info, row.parameters));
  Recorder F(chain, *solver);
  History history(chain.start());
  for (const double h : {0.1, 0.15}) history.push(scheme->step(F, history, h), scheme->memory().states);
  return F.stages;
}

/// dg/dx by fourth-order differences.
template <class G>
double slope(const G& g, double h = 1e-3) {
  return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h);
}

class StageOf : public ::testing::TestWithParam<Row> {};

TEST_P(StageOf, HasTheMeritsGradientAsItsResidual) {
  Chain chain({.damping = 0.3, .amplitude = 0.2});
  for (const Stage& s : stages_of(GetParam(), chain)) {
    Tangent T;
    SparseMatrix A;
    Correction correction;
    Scaling scaling(ResidualScaling::mass);
    StageProblem problem(chain, s, T, A, correction, scaling);
    const Vector v = s.at.v + 0.1 * Vector::LinSpaced(chain.size(), -1, 2), r = problem.residual(v);
    const Vector linearized = problem.linearize(v, Definiteness::exact);
    EXPECT_LT((linearized - r).norm(), 1e-13);
    if (s.tau_q == 0) {
      EXPECT_FALSE(problem.potential(v).has_value());
      continue;
    }
    for (Index i = 0; i < v.size(); ++i) {
      const Vector e = Vector::Unit(v.size(), i);
      EXPECT_NEAR(slope([&](double x) { return *problem.potential(v + x * e); }), r[i], 1e-8 * (1 + std::abs(r[i])));
    }
  }
}

TEST_P(StageOf, HasTheStageMatrixAsItsDerivative) {
  Chain chain(rough_chain());
  for (const Stage& s : stages_of(GetParam(), chain)) {
    Tangent T;
    SparseMatrix A;
    Correction correction;
    Scaling scaling(ResidualScaling::mass);
    StageProblem problem(chain, s, T, A, correction, scaling);
    const Vector v = s.at.v;
    problem.linearize(v, Definiteness::exact);
    for (Index i = 0; i < v.size(); ++i)
      for (Index j = 0; j < v.size(); ++j)
        EXPECT_NEAR(slope([&](double x) { return problem.residual(v + x * Vector::Unit(v.size(), j))[i]; }),
                    A.coeff(static_cast<int>(i), static_cast<int>(j)), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, StageOf, ::testing::ValuesIn(all_rows()), row_name);

/// A hard stage: far from its solution, with τ_q ≠ τᵥ.
Stage hard_stage(Chain& chain) {
  const State at = chain.start();
  State star = at;
  star.q += 3 * Vector::LinSpaced(chain.size(), -1, 1);
  star.v *= 5;
  return {star, 0.2, 0.3, at.t + 0.4, at};
}

/// ‖r‖ at the solution, on the dense system.
double mismatch(Chain& chain, const Stage& s, const State& u) {
  return (chain.dense_mass() * (u.v - s.star.v) - s.tau_v * chain.force({s.star.q + s.tau_q * u.v, u.v, s.t})).norm();
}

TEST(Stage, EveryMeritFindsTheSameSolution) {
  for (const double friction : {0.0, 0.5}) {
    ChainParts parts = rough_chain();
    parts.friction = friction;
    Chain chain(parts);
    const Stage s = hard_stage(chain);
    const State expected = make_implicit(chain, {})->solve(chain, s);
    EXPECT_LT(mismatch(chain, s, expected), 1e-8);
    for (const ResidualScaling scaling :
         {ResidualScaling::mass, ResidualScaling::identity, ResidualScaling::rows, ResidualScaling::stage}) {
      StageOptions options;
      options.newton.merit = Merit::residual;
      options.scaling = scaling;
      const State u = make_implicit(chain, options)->solve(chain, s);
      EXPECT_LT((stacked(u) - stacked(expected)).norm(), 1e-9) << "scaling " << static_cast<int>(scaling);
    }
    if (friction != 0) continue;
    StageOptions options;
    options.newton.merit = Merit::potential;
    EXPECT_LT((make_implicit(chain, options)->solve(chain, s).v - expected.v).norm(), 1e-9);
    options.newton.solver = NonlinearSolver::lbfgs;
    options.newton.tolerance = 1e-11;
    options.newton.max_iterations = 300;
    EXPECT_LT((make_implicit(chain, options)->solve(chain, s).v - expected.v).norm(), 1e-8);
  }
}

TEST(Stage, AnIndefiniteMatrixIsProjected) {
  Chain chain({.k = -200, .k3 = 40});  // compressed: the springs buckle
  const State at{Vector::Constant(4, 1e-3), Vector::Constant(4, 0.1), 0};
  const auto solver = make_implicit(chain, {});
  const Stage s{at, 0.5, 0.5, 0.5, at};
  const State u = solver->solve(chain, s);
  EXPECT_GT(solver->counts().projections, 0);
  EXPECT_LT(mismatch(chain, s, u), 1e-6);
}

TEST(Stage, ALinearisedIndefiniteMatrixIsSolvedAsItIs) {
  Chain chain({.k = -200, .k3 = 40});
  const State at{Vector::Constant(4, 1e-3), Vector::Constant(4, 0.1), 0};
  const State u = make_linearized(chain, {})->solve(chain, {at, 0.5, 0.5, 0.5, at});
  const FirstOrder dense(chain);
  const Vector x = dense.linearized(stacked(at), 0.5, 0.5, stacked(at), dense.J(stacked(at), 0.5));
  EXPECT_LT((stacked(u) - x).norm(), 1e-9 * x.norm());
}

/// A wall that the last mass must not touch: W −= ln(wall − q).
class Walled final : public Chain {
 public:
  Walled(const ChainParts& parts, double wall) : Chain(parts), wall_(wall) {}
  Vector force(const State& u) const override {
    Vector f = Chain::force(u);
    f(size() - 1) -= 1 / gap(u.q);
    return f;
  }
  Vector linearize(const State& u, Definiteness d, Tangent& T) override {
    Chain::linearize(u, d, T);
    T.K.coeffRef(size() - 1, size() - 1) += 1 / (gap(u.q) * gap(u.q));
    return force(u);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    auto p = Chain::potentials(u);
    const double g = wall_ - u.q(size() - 1);
    if (p) p->stored = g > 0 ? p->stored - std::log(g) : std::numeric_limits<double>::infinity();
    return p;
  }
  double max_step(const Vector& q, const Vector& dq, double, double) const override {
    const double d = dq(size() - 1);
    return d > 0 ? std::min(1.0, 0.9 * (wall_ - q(size() - 1)) / d) : 1;
  }
  mutable double smallest_gap = 1e300;  // where a force was asked for

 private:
  double gap(const Vector& q) const {
    const double g = wall_ - q(size() - 1);
    smallest_gap = std::min(smallest_gap, g);
    return g;
  }
  double wall_;
};

/// q* and the old velocity both lie beyond the wall: Newton has to start at the last position and stay before the wall.
TEST(Stage, TheLongestStepIsHonoured) {
  for (const double friction : {0.0, 0.3}) {
    Walled chain({.friction = friction}, 0.5);
    State at{Vector::Zero(4), Vector::Constant(4, 20.0), 0};
    State star = at;
    star.q.setConstant(0.8);
    for (const Merit merit : {Merit::automatic, Merit::residual}) {
      StageOptions options;
      options.newton.merit = merit;
      chain.smallest_gap = 1e300;
      const State u = make_implicit(chain, options)->solve(chain, {star, 0.1, 0.1, 0.1, at});
      EXPECT_LT(u.q(3), 0.5);
      EXPECT_GT(chain.smallest_gap, 0);
      const Vector r = chain.dense_mass() * (u.v - star.v) - 0.1 * chain.force(u);
      EXPECT_LT(r.norm(), 1e-5);
    }
  }
}

TEST(Stage, FailsWithNumbersWhenItDoesNotConverge) {
  Chain chain(rough_chain());
  StageOptions options;
  options.newton.max_iterations = 1;
  const auto solver = make_implicit(chain, options);
  try {
    solver->solve(chain, hard_stage(chain));
    FAIL() << "one iteration is not enough";
  } catch (const StepFailure& failure) {
    EXPECT_EQ(failure.iterations, 1);
    EXPECT_GT(failure.residual, 0);
  }
  EXPECT_EQ(solver->counts().newton_iterations, 1);
}

TEST(Stage, RefusesAForceThatIsNotFinite) {
  Chain chain(rough_chain());
  Stage s = hard_stage(chain);
  s.star.q(0) = std::nan("");
  EXPECT_THROW(make_implicit(chain, {})->solve(chain, s), StepFailure);
  EXPECT_THROW(make_linearized(chain, {})->solve(chain, s), StepFailure);
}

TEST(Stage, TheFrozenTangentIsFactorisedOnceAStep) {
  Chain chain({.damping = 0.1});
  Runner once(chain, {"SSDIRK", {{"freeze", 1}}}, chain.start()), each(chain, {"SSDIRK", {}}, chain.start());
  for (int i = 0; i < 4; ++i) once.step(0.05), each.step(0.05);
  EXPECT_EQ(once.stages().counts().stages, 8);
  EXPECT_EQ(each.stages().counts().stages, 8);
  EXPECT_LE(once.stages().linear_counts().factorizations, 4);
}

}  // namespace
}  // namespace limber::test
