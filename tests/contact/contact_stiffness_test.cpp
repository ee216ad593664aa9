/// κ: which one a pair starts with, what it learns, what it remembers.

#include "limber/contact/forces/contact_stiffness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "contact_scenes.hpp"
#include "limber/contact/forces/barrier.hpp"
#include "limber/core/errors.hpp"

namespace limber::test {
namespace {

using Rule = ContactStiffness::Rule;

constexpr double delta = .01;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two bodies and a floor, which bear 300, 600 and ∞ N/m, with loads [N] a collision of the bodies, each a tenth of the
/// weight.
ContactScene loaded(double first, double second) {
  SceneBuilder s(delta);
  s.body({{0, .003, 0}}, {}, {}, .001);
  s.body({{0, .1, 0}}, {}, {}, .001);
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  ContactScene scene = s.build();
  scene.load = {{10 * first, first}, {10 * second, second}, {infinity, infinity}};
  return scene;
}

/// The gap, in parts of δ, at which a collision of stiffness κ bears the load; by bisection.
double gap_under(double kappa, double load) {
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double x = .5 * (low + high);
    (-kappa * barrier(x * delta, delta).first > load ? low : high) = x;
  }
  return low;
}

ContactStiffness::Depths depths(const std::array<int, 2>& objects, double gap, double stored, double pushed = 0) {
  ContactStiffness::Depths d;
  d.add(objects, 2 * gap * delta, delta, stored / 2, pushed / 2);
  d.add({objects[1], objects[0]}, gap * delta, delta, stored / 2, pushed / 2);
  return d;
}

TEST(ContactStiffness, IsTheSofterOfAPairWithoutLoads) {
  ContactScene scene = loaded(0, 0);
  for (const Rule rule : {Rule::given, Rule::adaptive}) {
    const ContactStiffness kappa(scene, rule);
    EXPECT_EQ(kappa.of({0, 1}), 300);
    EXPECT_EQ(kappa.of({1, 0}), 300);
    EXPECT_EQ(kappa.of({2, 1}), 600);
  }
  scene.load.clear();
  EXPECT_EQ(ContactStiffness(scene, Rule::adaptive).of({2, 1}), 600);
}

TEST(ContactStiffness, LetsTheLoadStandInTheMiddleOfTheGap) {
  for (const double load : {1e-6, 1e-3, 1.0, 1e3, 1e9}) {
    const ContactStiffness kappa(loaded(load, 4 * load), Rule::adaptive);
    EXPECT_GE(gap_under(kappa.of({0, 2}), load), .6 - 1e-9) << load;
    EXPECT_LE(gap_under(kappa.of({0, 2}), load), .7 + 1e-9) << load;
    // Neither body is known to lie on the other; a load is shared by several pairs.
    EXPECT_GE(gap_under(kappa.of({0, 1}), 4 * load), .05) << load;
    EXPECT_LE(gap_under(kappa.of({0, 1}), load / 30), .95) << load;
  }
  EXPECT_EQ(ContactStiffness(loaded(1e9, 1e9), Rule::given).of({0, 2}), 300);
}

TEST(ContactStiffness, RisesByAsMuchAsIsNeededAtOnce) {
  ContactStiffness kappa(loaded(0, 0), Rule::adaptive);
  EXPECT_FALSE(kappa.adapt(depths({0, 1}, .051, 1), 1e9));
  ASSERT_TRUE(kappa.adapt(depths({0, 1}, 1e-5, 1), 1e9));
  // The force at that gap is now found at a tenth of δ.
  const double force = -300 * barrier(1e-5 * delta, delta).first;
  EXPECT_NEAR(-kappa.of({1, 0}) * barrier(.1 * delta, delta).first, force, 1e-9 * force);
  EXPECT_EQ(kappa.of({0, 2}), 300);
  ContactStiffness given(loaded(0, 0), Rule::given);
  EXPECT_FALSE(given.adapt(depths({0, 1}, 1e-5, 1), 1e9));
  EXPECT_EQ(given.of({0, 1}), 300);
}

TEST(ContactStiffness, PutsInNoMoreThanItMay) {
  ContactStiffness kappa(loaded(0, 0), Rule::adaptive);
  ASSERT_TRUE(kappa.adapt(depths({0, 1}, .02, 4), 1));
  EXPECT_NEAR(kappa.of({0, 1}), 1.25 * 300, 1e-9);
  EXPECT_FALSE(kappa.adapt(depths({0, 1}, .02, 4), 0));
  // Gaps that sink further are an emergency.
  ASSERT_TRUE(kappa.adapt(depths({0, 1}, 1e-3, 4), 0));
  EXPECT_NEAR(kappa.of({0, 1}), 2.5 * 300, 1e-9);
}

TEST(ContactStiffness, PushesWhatStartsCloseWithFiveTimesItsWeightAtMost) {
  const double load = 2;
  for (const double gap : {.9, .5, .2}) {
    ContactStiffness kappa(loaded(load, load), Rule::adaptive);
    kappa.soften(depths({0, 2}, gap, 1, 1));
    EXPECT_LE(-kappa.of({0, 2}) * barrier(gap * delta, delta).first, 5 * load * (1 + 1e-12)) << gap;
    EXPECT_TRUE(kappa.memory().empty());
    // Many collisions, which push with 200 times the weight.
    const double before = kappa.of({0, 2});
    kappa.soften(depths({0, 2}, gap, 1, 2000 * load));
    EXPECT_NEAR(kappa.of({0, 2}), before / 40, 1e-12 * before);
  }
}

TEST(ContactStiffness, RemembersWhatItHasLearnt) {
  ContactStiffness a(loaded(1, 2), Rule::adaptive), b(loaded(1, 2), Rule::adaptive);
  a.adapt(depths({2, 0}, 1e-4, 1), 1e9);
  a.adapt(depths({1, 1}, 1e-3, 1), 1e9);
  b.adapt(depths({0, 1}, 1e-3, 1), 1e9);
  b.restore(a.memory());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(a.of({i, j}), b.of({i, j})) << i << j;
}

/// A memory comes from a file: object numbers are places in memory.
TEST(ContactStiffness, RefusesAMemoryThatIsNone) {
  ContactStiffness kappa(loaded(1, 2), Rule::adaptive);
  for (const std::vector<double>& memory : std::vector<std::vector<double>>{{0},
                                                                            {0, 1},
                                                                            {0, 1, 5, 0},
                                                                            {0, 3, 5},
                                                                            {-1, 0, 5},
                                                                            {1e6, 2e6, 5},
                                                                            {0, 1.5, 5},
                                                                            {0, std::nan(""), 5},
                                                                            {infinity, 0, 5},
                                                                            {0, 1, 0},
                                                                            {0, 1, -2},
                                                                            {0, 1, infinity},
                                                                            {0, 1, std::nan("")}})
    EXPECT_THROW(kappa.restore(memory), InputError) << memory[0];
  kappa.restore({0, 1, 5});
  EXPECT_EQ(kappa.of({1, 0}), 5);
}

}  // namespace
}  // namespace limber::test
