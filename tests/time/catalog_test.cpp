#include "limber/time/catalog.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/model/callback_system.hpp"
#include "limber/time/integrate.hpp"
#include "limber/time/other_names.hpp"
#include "support/chain.hpp"
#include "support/methods.hpp"

namespace limber::test {
namespace {

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Catalog, NamesAreUniqueAndIgnoreCase) {
  std::set<std::string> names;
  for (const auto& m : method_catalog()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_FALSE(m.stability.empty() || m.good_for.empty()) << m.name;
    EXPECT_GE(m.stages, 1) << m.name;
    for (const auto& p : m.parameters) EXPECT_TRUE(p.least <= p.standard && p.standard <= p.most) << m.name << p.name;
  }
  EXPECT_EQ(find_method("tr-bdf2").name, "TR-BDF2");
  EXPECT_EQ(find_method("GEN-ALPHA").name, "gen-alpha");
}

TEST(Catalog, HoldsTheNamesThatUsersRelyOn) {
  for (const char* name : {"BE",
                           "SI",
                           "BDF2",
                           "SBDF2",
                           "TR",
                           "STR",
                           "blend",
                           "midpoint",
                           "TR-BDF2",
                           "STR-SBDF2",
                           "SDIRK",
                           "SSDIRK",
                           "newmark",
                           "gen-alpha",
                           "HHT",
                           "S-midpoint",
                           "S-newmark",
                           "S-gen-alpha",
                           "S-HHT",
                           "A-1",
                           "A-search",
                           "symplectic-euler",
                           "verlet",
                           "RK4",
                           "ERE",
                           "BEERE",
                           "SIERE",
                           "BDF2ERE",
                           "SBDF2ERE",
                           "TR-BDF2ERE",
                           "STR-SBDF2ERE",
                           "SDIRKERE",
                           "SSDIRKERE",
                           "BDF2ERE-printed",
                           "SBDF2ERE-printed",
                           "TR-BDF2ERE-printed",
                           "STR-SBDF2ERE-printed"})
    EXPECT_EQ(find_method(name).name, name);
}

TEST(Catalog, AnUnknownMethodGetsTheListAndTheNearestName) {
  const std::string text = error_of([] { find_method("TRBDF2"); });
  EXPECT_TRUE(contains(text, "method.name")) << text;
  EXPECT_TRUE(contains(text, "did you mean 'TR-BDF2'")) << text;
  EXPECT_TRUE(contains(text, "symplectic-euler")) << text;
}

TEST(Catalog, ParametersAreCheckedAndCompleted) {
  const auto newmark = find_method("newmark");
  EXPECT_EQ(complete_parameters(newmark, {{"beta", 0.3}}), (MethodParameters{{"beta", 0.3}, {"gamma", 0.5}}));
  EXPECT_TRUE(contains(error_of([&] {
                         complete_parameters(newmark, {{"beta", 2}});
                       }),
                       "method.beta: 2 is outside [0, 1]"));
  EXPECT_TRUE(contains(error_of([&] { complete_parameters(newmark, {{"beta", std::nan("")}}); }), "method.beta"));
  EXPECT_TRUE(contains(error_of([&] { complete_parameters(newmark, {{"rho_inf", 1}}); }), "beta, gamma"));
  EXPECT_TRUE(contains(error_of([] { complete_parameters(find_method("BE"), {{"beta", 1}}); }), "takes no parameters"));
}

TEST(Integrate, LandsOnTheGridAndKeepsAGivenPast) {
  Chain chain(rough_chain());
  const State start = chain.start();
  Runner runner(chain, {"BDF2", {}}, start);
  const State first = runner.step(0.01);
  const State second = runner.step(0.01);
  const auto states = integrate(chain, find_method("BDF2"), {}, {}, History(std::deque<State>{first, start}), 0.01, 1);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_LT((states[1].q - second.q).norm(), 1e-13);
  const auto many = integrate(chain, find_method("SI"), {}, {}, History(start), 0.01, 37);
  EXPECT_DOUBLE_EQ(many.back().t, start.t + 37 * 0.01);
  int calls = 0;
  // The question is asked within steps, too; one that is interrupted is left out.
  const auto some = integrate(chain, find_method("SI"), {}, {}, History(start), 0.01, 37, [&] { return ++calls < 20; });
  ASSERT_GT(some.size(), 1u);
  ASSERT_LT(some.size(), 20u);
  EXPECT_EQ(some.back().q, many[some.size() - 1].q);
}

TEST(Catalog, KnowsWhatOthersCallAMethod) {
  for (const auto& [name, method] : {std::pair{"implicit euler", "BE"},
                                     {"Backward_Euler", "BE"},
                                     {"Crank-Nicolson", "TR"},
                                     {"leapfrog", "verlet"},
                                     {"generalized alpha", "gen-alpha"}}) {
    EXPECT_EQ(find_method(method).name, method_called(name));
    EXPECT_TRUE(contains(error_of([&, n = name] { find_method(n); }), "did you mean '" + std::string(method) + "'?"));
  }
  EXPECT_EQ(method_called("BE"), "");
}

/// Linear algebra calls it wrong input; in a step it is a failure, after which the driver takes a smaller one.
TEST(Integrate, ATangentThatIsNotFiniteIsAStepFailure) {
  SparseMatrix M(2, 2), K(2, 2);
  M.setIdentity();
  K.setIdentity();
  K.coeffRef(1, 1) = std::numeric_limits<double>::quiet_NaN();
  SparseMatrix D(2, 2);
  for (const char* method : {"ERE", "SIERE", "TR-BDF2ERE"}) {
    CallbackSystem system(M, {[](const State& u) -> Vector { return -u.q; }, [&](const State&) { return K; },
                              [&](const State&) { return D; }});
    EXPECT_THROW(integrate(system, find_method(method), {}, two_modes(),
                           History(State{Vector::Ones(2), Vector::Zero(2), 0}), .1, 1),
                 StepFailure)
        << method;
  }
}

TEST(Integrate, AFailureCarriesItsTimeAndStep) {
  Chain chain(rough_chain());
  MethodOptions options;
  options.stages.newton.max_iterations = 1;
  try {
    integrate(chain, find_method("BE"), {}, options, History(chain.start()), 2.0, 3);
    FAIL() << "one iteration is not enough";
  } catch (const StepFailure& failure) {
    EXPECT_EQ(failure.t, chain.start().t);
    EXPECT_EQ(failure.h, 2.0);
  }
}

}  // namespace
}  // namespace limber::test
