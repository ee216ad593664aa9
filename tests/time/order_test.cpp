/// Observed orders on the nonlinear chain with friction and a scripted end, with the default Newton tolerance.

#include "support/first_order.hpp"
#include "support/methods.hpp"

namespace limber::test {
namespace {

enum class Steps { equal, alternating };

/// n steps of total length 1 s; alternating: h, 2h, h, 2h, …
std::vector<double> split(int n, Steps kind) {
  std::vector<double> steps;
  for (int i = 0; i < n; ++i) steps.push_back(kind == Steps::equal ? 1.0 / n : (i % 2 == 0 ? 2.0 : 4.0) / (3.0 * n));
  return steps;
}

double observed_order(const Row& row, const ChainParts& parts, Steps kind, const MethodOptions& options = two_modes()) {
  Chain chain(parts);
  const State start = chain.start();
  const int order = find_method(row.method).order;
  const Vector exact = FirstOrder(chain).exact(stacked(start), start.t, {1.0}, 4000);
  const int coarse = order == 1 ? 800 : order == 2 ? 200 : 120;
  const auto error = [&](int n) {
    return (stacked(Runner(chain, row, start, options).run(split(n, kind))) - exact).norm();
  };
  return std::log2(error(coarse) / error(2 * coarse));
}

class Order : public ::testing::TestWithParam<Row> {
 protected:
  void check(const ChainParts& parts, Steps kind) {
    EXPECT_NEAR(observed_order(GetParam(), parts, kind), find_method(GetParam().method).order, 0.1);
  }
};

TEST_P(Order, WithFriction) {
  ChainParts parts = rough_chain();
  parts.amplitude = 0;
  check(parts, Steps::equal);
}
TEST_P(Order, WithFrictionAndAScriptedEnd) { check(rough_chain(), Steps::equal); }
TEST_P(Order, WithAPotentialAndAScriptedEnd) { check({.amplitude = 0.3}, Steps::equal); }
TEST_P(Order, WithStepsOfAlternatingLength) { check(rough_chain(), Steps::alternating); }

/// The coupling term makes up for modes that are no longer those of K: no order is lost when they are kept.
TEST(OrderOfHybrids, WithModesKeptFromTheStart) {
  MethodOptions options = two_modes();
  options.modes.refresh = {Refresh::Rule::once};
  for (const auto& m : method_catalog()) {
    if (m.splitting == Splitting::none || m.splitting == Splitting::printed) continue;
    for (const ChainParts& parts : {ChainParts{}, rough_chain()})
      EXPECT_NEAR(observed_order({m.name, {}}, parts, Steps::equal, options), m.order, 0.1) << m.name;
  }
}

std::vector<Row> order_rows() {
  std::vector<Row> rows = default_rows();
  for (const char* name : {"gen-alpha", "S-gen-alpha"})
    for (const double rho : {0.0, 0.8, 1.0}) rows.push_back({name, {{"rho_inf", rho}}});
  rows.push_back({"SSDIRK", {{"freeze", 1}}});
  rows.push_back({"HHT", {{"alpha", -0.3}}});
  rows.push_back({"newmark", {{"beta", 0}}});
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Catalog, Order, ::testing::ValuesIn(order_rows()), row_name);

}  // namespace
}  // namespace limber::test
