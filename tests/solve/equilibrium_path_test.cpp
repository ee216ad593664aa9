/// Statics around limit points: springs whose force has a maximum.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "limber/core/errors.hpp"
#include "limber/solve/statics.hpp"

namespace limber::test {
namespace {

/// One coordinate with f(q) = share · load − F(q).
class Spring final : public System {
 public:
  struct Law {
    std::function<double(double)> force, slope;
  };
  Spring(Law law, double load) : law_(std::move(law)), load_(load) {
    SparseMatrix one(1, 1);
    one.insert(0, 0) = 1;
    one.makeCompressed();
    M_ = MassMatrix(one, Symmetry::symmetric);
  }
  SystemTraits traits() const override { return {.size = 1, .time_dependent = false}; }
  const MassMatrix& inertia() const override { return M_; }
  Vector force(const State& u) const override { return Vector::Constant(1, share_ * load_ - law_.force(u.q[0])); }
  Vector linearize(const State& u, Definiteness, Tangent& T) override {
    T.K = T.D = M_.matrix();
    T.K.valuePtr()[0] = law_.slope(u.q[0]);
    T.D.valuePtr()[0] = 0;
    return force(u);
  }
  void stand_still(std::optional<double> share) override { share_ = share.value_or(1); }
  double share() const { return share_; }

 private:
  Law law_;
  double load_, share_ = 1;
  MassMatrix M_;
};

Vector solved(Spring& spring, StaticsReport& report, const StaticsWatch& watch = {}) {
  const auto linear = make_linear_solver("auto", Symmetry::symmetric);
  return solve_statics(spring, {Vector::Zero(1), Vector::Zero(1), 0}, *linear, {}, report, watch);
}

/// A shallow arch: F has a maximum of 2/(3√3) at q = 1 − 1/√3 and rises again beyond q = 1 + 1/√3.
const Spring::Law arch = {[](double q) { return q * (q - 1) * (q - 2); },
                          [](double q) { return 3 * q * q - 6 * q + 2; }};
const double most_of_arch = 2 / std::sqrt(27.);

TEST(EquilibriumPath, LeadsAroundTwoLimitPoints) {
  Spring spring(arch, 1.25 * most_of_arch);
  StaticsReport report;
  const Vector q = solved(spring, report);
  EXPECT_GT(q[0], 2);
  EXPECT_NEAR(arch.force(q[0]), 1.25 * most_of_arch, 1e-9);
  EXPECT_LT(report.residual, 1e-9);
  EXPECT_EQ(spring.share(), 1);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].find("turns back at 80"), std::string::npos) << report.notes[0];
}

TEST(EquilibriumPath, SaysTheLargestLoadWhereThereIsNone) {
  const Spring::Law soft = {[](double q) { return q * std::exp(-q); }, [](double q) { return (1 - q) * std::exp(-q); }};
  Spring spring(soft, 2 / std::exp(1.));  // twice the maximum, which is at q = 1
  StaticsReport report;
  double carried = 0;
  try {
    solved(spring, report, [&](const StaticsProgress& p) { carried = std::max(carried, p.carried); });
    FAIL() << "there is no equilibrium";
  } catch (const StepFailure& failure) {
    const auto at = failure.reason.find("turns back at ");
    ASSERT_NE(at, std::string::npos) << failure.reason;
    EXPECT_NEAR(std::stod(failure.reason.substr(at + 14)), 50, .5) << failure.reason;
  }
  EXPECT_NEAR(carried, .5, .05);
  EXPECT_EQ(spring.share(), 1) << "all of the load acts again";
}

TEST(EquilibriumPath, AnUnstableEquilibriumIsNoneOfStatics) {
  // Softer and softer without end under its load: the path ends where K < 0.
  const Spring::Law falling = {[](double q) { return -q; }, [](double) { return -1.; }};
  Spring spring(falling, 1);
  StaticsReport report;
  EXPECT_THROW(solved(spring, report), StepFailure);
}

}  // namespace
}  // namespace limber::test
