/// Each method's steps equal its printed formula, solved as a dense first-order system of size 2n.

#include "support/methods.hpp"
#include "support/reference_steps.hpp"

namespace limber::test {
namespace {

MethodOptions solved_closely(Refresh refresh) {
  MethodOptions options = two_modes();
  options.modes.refresh = refresh;
  options.stages.linear_tolerance = 1e-13;
  options.stages.newton.tolerance = 1e-10;
  return options;
}

class OneStep : public ::testing::TestWithParam<Row> {
 protected:
  /// A first step, a step with history, and steps whose length changes.
  void compare(const ChainParts& parts, const std::vector<double>& steps) {
    const Row& row = GetParam();
    const auto reference = reference_steps().find(row.method);
    ASSERT_NE(reference, reference_steps().end())
        << row.method << " is in the catalog, but tests/support/reference_steps.hpp has no formula for it";
    Chain chain(parts);
    const FirstOrder dense(chain);
    const State start = chain.start();
    Past past{{stacked(start)}, {start.t}, {}};
    Runner runner(chain, row, start, solved_closely({Refresh::Rule::every}));
    const auto parameters = complete_parameters(runner.info(), row.parameters);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const State u = runner.step(steps[i]);
      const Vector x = reference->second(dense, past, steps[i], parameters);
      past.push(x, past.t[0] + steps[i]);
      EXPECT_LT((stacked(u) - x).norm(), 1e-10 * (1 + x.norm())) << "step " << i;
      EXPECT_NEAR(u.t, past.t[0], 1e-14) << "step " << i;
      if (past.a.size()) {
        EXPECT_LT((u.a - past.a).norm(), 1e-8 * (1 + past.a.norm())) << "step " << i;
      }
    }
  }
};

const std::vector<double> equal{0.05, 0.05, 0.05};
const std::vector<double> unequal{0.05, 0.075, 0.03};

TEST_P(OneStep, IsTheFormulaWithFrictionAndAScriptedEnd) { compare(rough_chain(), equal); }

TEST_P(OneStep, IsTheFormulaWithAPotentialDampingAndAScriptedEnd) {
  compare({.damping = 0.3, .amplitude = 0.3}, equal);
}

TEST_P(OneStep, IsTheFormulaWhereTheForceDependsOnPositionAndTimeOnly) { compare({.amplitude = 0.3}, equal); }

TEST_P(OneStep, IsTheFormulaWithStepsOfChangingLength) { compare(rough_chain(), unequal); }

INSTANTIATE_TEST_SUITE_P(Catalog, OneStep, ::testing::ValuesIn(all_rows()), row_name);

std::vector<Row> corrected_rows() {
  std::vector<Row> rows;
  for (const Row& row : all_rows()) {
    const Splitting rule = find_method(row.method).splitting;
    if (rule != Splitting::none && rule != Splitting::printed) rows.push_back(row);
  }
  return rows;
}

/// By the automatic rule, modes of the first step serve in all that follow, where each stage corrects them. The chain
/// has no parts that turn, so they stay as they were found.
class KeptModes : public ::testing::TestWithParam<Row> {
 protected:
  void compare(const ChainParts& parts, const std::vector<double>& steps) {
    const Row& row = GetParam();
    const ReferenceStep& reference = reference_steps().at(row.method);
    Chain chain(parts);
    const FirstOrder dense(chain);
    const State start = chain.start();
    Past past{{stacked(start)}, {start.t}, {}};
    Runner runner(chain, row, start, solved_closely({Refresh::Rule::automatic}));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      runner.reset();  // so that K is reduced to the modes in each step, as in the formula
      const State u = runner.step(steps[i]);
      ASSERT_EQ(runner.modes()->refreshes(), 1) << "step " << i;
      past.modes_kept = i;
      const Vector x = reference(dense, past, steps[i], {});
      past.push(x, past.t[0] + steps[i]);
      EXPECT_LT((stacked(u) - x).norm(), 1e-10 * (1 + x.norm())) << "step " << i;
    }
  }
};

TEST_P(KeptModes, AreCorrectedByTheFormulaWithFrictionAndAScriptedEnd) { compare(rough_chain(), equal); }

TEST_P(KeptModes, AreCorrectedByTheFormulaWithAPotentialDampingAndAScriptedEnd) {
  compare({.damping = 0.3, .amplitude = 0.3}, equal);
}

TEST_P(KeptModes, AreCorrectedByTheFormulaWithoutDamping) { compare({}, equal); }

TEST_P(KeptModes, AreCorrectedByTheFormulaWithStepsOfChangingLength) { compare(rough_chain(), unequal); }

INSTANTIATE_TEST_SUITE_P(Hybrids, KeptModes, ::testing::ValuesIn(corrected_rows()), row_name);

TEST(Fixture, TheChainsTangentIsTheDerivativeOfItsForce) {
  for (const ChainParts& parts : {rough_chain(), ChainParts{.damping = 0.3, .amplitude = 0.2}}) {
    Chain chain(parts);
    const State u = chain.start();
    Tangent T;
    chain.tangent(u, Definiteness::exact, T);
    const Matrix G = -FirstOrder(chain).force_jacobian(stacked(u), u.t);
    const auto full = [&](const SparseMatrix& A) {
      return chain.symmetric() ? Matrix(Matrix(A).selfadjointView<Eigen::Lower>()) : Matrix(A);
    };
    EXPECT_LT((full(T.K) - G.leftCols(chain.size())).norm(), 1e-12);
    EXPECT_LT((full(T.D) - G.rightCols(chain.size())).norm(), 1e-12);
  }
}

TEST(Fixture, EveryReferenceIsInTheCatalog) {
  for (const auto& [name, step] : reference_steps()) EXPECT_EQ(find_method(name).name, name);
}

}  // namespace
}  // namespace limber::test
