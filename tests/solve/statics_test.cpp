#include "limber/solve/statics.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "support/chain.hpp"

namespace limber::test {
namespace {

struct Solution {
  Vector q;
  StaticsReport report;
};

Solution statics(Chain& chain, const State& u, const NewtonOptions& options = {}) {
  const auto linear = make_linear_solver("auto", chain.symmetric() ? Symmetry::symmetric : Symmetry::general);
  Solution s;
  s.q = solve_statics(chain, u, *linear, options, s.report);
  return s;
}

State rest(const Chain& chain) { return {Vector::Zero(chain.size()), Vector::Zero(chain.size()), 0}; }

/// Every spring carries the pull: k e + k₃ e³ = P, by bisection; qᵢ = (i + 1) e.
Vector pulled(const ChainParts& p) {
  double low = 0, high = p.pull / p.k;
  for (int i = 0; i < 200; ++i) {
    const double e = (low + high) / 2;
    (p.k * e + p.k3 * e * e * e < p.pull ? low : high) = e;
  }
  return low * Vector::LinSpaced(p.n, 1, p.n);
}

TEST(Statics, APulledChainIsStretchedEvenly) {
  for (const double friction : {0.0, 0.5}) {  // friction: no potential, a general matrix; it vanishes at rest
    const ChainParts parts{.n = 5, .k = 10, .k3 = 40, .friction = friction, .pull = 30};
    Chain chain(parts);
    const Solution s = statics(chain, rest(chain));
    EXPECT_LT((s.q - pulled(parts)).norm(), 1e-10);
    EXPECT_EQ(s.report.load_steps, 1);
    EXPECT_LT(s.report.residual, 1e-8);
  }
}

TEST(Statics, TheVelocityDoesNotMatter) {
  const ChainParts parts{.damping = 2, .pull = 5};
  Chain chain(parts);
  State u = rest(chain);
  u.v.setOnes();
  EXPECT_LT((statics(chain, u).q - pulled(parts)).norm(), 1e-10);
}

/// Tears at a stretch of 1: the first Newton step under the whole load goes to 3, the equilibrium is at .82.
class Fragile final : public Chain {
 public:
  using Chain::Chain;
  Vector force(const State& u) const override {
    if (u.q(0) > 1) throw StepFailure("torn");
    return Chain::force(u);
  }
};

TEST(Statics, ALoadThatIsTooMuchAtOnceIsAppliedInParts) {
  const ChainParts parts{.n = 3, .k = 10, .k3 = 40, .friction = 0.5, .pull = 30};
  Fragile chain(parts);
  const Solution s = statics(chain, rest(chain));
  EXPECT_GT(s.report.load_steps, 1);
  EXPECT_LT((s.q - pulled(parts)).norm(), 1e-9);
  EXPECT_LT(s.report.residual, 1e-8);
}

TEST(Statics, FailsWhereThereIsNoStableEquilibrium) {
  Chain unstable({.k = -10, .k3 = 0, .pull = 1});
  try {
    statics(unstable, rest(unstable));
    FAIL() << "a chain of negative springs has no stable equilibrium";
  } catch (const StepFailure& failure) {
    EXPECT_NE(failure.reason.find("% of the load"), std::string::npos) << failure.reason;
  }
  Chain balanced({.k = -10, .k3 = 40});  // f(0) = 0, but on the top of a hill
  EXPECT_THROW(statics(balanced, rest(balanced)), StepFailure);
}

}  // namespace
}  // namespace limber::test
