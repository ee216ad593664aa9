/// Estimates of the errors of steps, against the closed form.

#include "limber/time/local_error.hpp"

#include <gtest/gtest.h>

#include "support/methods.hpp"

namespace limber::test {
namespace {

/// q″ = 2 t^power for one unknown: quadrature alone, so that the errors of schemes are those of their formulas.
class Pushed final : public System {
 public:
  explicit Pushed(int power) : power_(power), M_(identity()) {}

  SystemTraits traits() const override { return {.size = 1, .time_dependent = true}; }
  const MassMatrix& inertia() const override { return M_; }
  Vector force(const State& u) const override { return Vector::Constant(1, 2 * std::pow(u.t, power_)); }
  Vector linearize(const State& u, Definiteness, Tangent& T) override {
    T.K = T.D = mass();
    T.K.coeffs().setZero();
    T.D.coeffs().setZero();
    return force(u);
  }
  double position(double t) const { return 2 * std::pow(t, power_ + 2) / ((power_ + 1) * (power_ + 2)); }
  double velocity(double t) const { return 2 * std::pow(t, power_ + 1) / (power_ + 1); }

 private:
  static MassMatrix identity() {
    SparseMatrix one(1, 1);
    one.setIdentity();
    return MassMatrix(one, Symmetry::symmetric);
  }
  int power_;
  MassMatrix M_;
};

std::vector<Row> rows_with_formulas() {
  std::vector<Row> rows;
  for (const MethodInfo& m : method_catalog())
    if (m.estimate != ErrorEstimate::doubling) rows.push_back({m.name, {}});
  rows.push_back({"gen-alpha", {{"rho_inf", 0}}});
  rows.push_back({"gen-alpha", {{"rho_inf", 1}}});
  rows.push_back({"HHT", {{"alpha", -1.0 / 3}}});
  rows.push_back({"blend", {{"theta", 1}}});
  rows.push_back({"newmark", {{"beta", .3}}});
  return rows;
}

class LocalErrors : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Catalog, LocalErrors, ::testing::ValuesIn(rows_with_formulas()), row_name);

/// Once the first steps have faded, each step adds the same error to the position. The velocity is off by a constant
/// from then on, which is not a new error.
TEST_P(LocalErrors, AreThoseOfAQuadrature) {
  const MethodInfo& info = find_method(GetParam().method);
  constexpr double h = .1;
  Pushed system(info.order - 1);
  MethodOptions options;
  options.estimate_errors = true;
  Stepper stepper(info, GetParam().parameters, system, options);
  History u(State{Vector::Zero(1), Vector::Zero(1), 0});
  State before;
  std::optional<LocalError> estimate;
  for (int k = 0; k < 40; ++k) {
    before = u[0];
    State next = stepper.step(system, u, h);
    next.t = (k + 1) * h;
    estimate = stepper.error();
    stepper.accept(u, std::move(next));
  }
  ASSERT_TRUE(estimate);
  const double off = before.v[0] - system.velocity(before.t);
  const double added = u[0].q[0] - before.q[0] - (system.position(u[0].t) - system.position(before.t)) - h * off;
  EXPECT_GT(std::abs(added), 1e-6);
  EXPECT_NEAR(estimate->q[0], added, 1e-6 * std::abs(added));
}

TEST(LocalErrors, DifferencesAreExactForPolynomialsOverAnySteps) {
  // v = t²; the (p+1)-th derivative of q is 2.
  const auto state = [](double t) { return State{Vector::Zero(1), Vector::Constant(1, t * t), t}; };
  const History u(std::deque<State>{state(.5), state(.37), state(.3)});
  const auto error = local_error({2, .25}, u, nullptr, state(.7));
  ASSERT_TRUE(error);
  EXPECT_NEAR(error->q[0], .25 * std::pow(.2, 3) * 2, 1e-15);
  EXPECT_NEAR(error->v[0], 0, 1e-14);
}

TEST(LocalErrors, NeedAHistory) {
  const auto state = [](double t) { return State{Vector::Zero(1), Vector::Constant(1, t), t}; };
  EXPECT_FALSE(local_error({2, .25}, History(state(0)), nullptr, state(.1)));
  EXPECT_TRUE(local_error({1, .5}, History(state(0)), nullptr, state(.1)));
}

}  // namespace
}  // namespace limber::test
