#include "limber/study/validation/impacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/study/validation/closed_forms.hpp"

namespace limber {
namespace {

/// The wave equation u_tt = c² u_xx − g by differences with c dt = dx, which are exact for waves and for parabolas. The
/// end at x = 0 is free above u = 0 and may not go below it; the other one is free or held.
class Characteristics {
 public:
  enum class FarEnd { free, held };

  Characteristics(std::vector<double> u, double velocity, double c, double g, FarEnd far)
      : g_(g), dt_(1 / (c * static_cast<double>(u.size() - 1))), far_(far), before_(u), now_(std::move(u)) {
    // The step before the start, where all moves alike, by the same formula: half of what the differences would give.
    std::vector<double> after = differences();
    for (std::size_t i = 0; i < now_.size(); ++i) before_[i] = (after[i] + before_[i]) / 2 - velocity * dt_;
  }

  void step() {
    std::vector<double> after = differences();
    pressed_ = std::max(0.0, -after[0]);
    after[0] = std::max(0.0, after[0]);
    before_ = std::exchange(now_, std::move(after));
    t_ += dt_;
  }
  double time() const { return t_; }
  double foot() const { return now_[0]; }
  double mean() const {
    double sum = (now_.front() + now_.back()) / 2;
    for (std::size_t i = 1; i + 1 < now_.size(); ++i) sum += now_[i];
    return sum / static_cast<double>(now_.size() - 1);
  }
  /// Over ρ: half the mass of a cell, by the change of its velocity in a step. [m²/s²], of a bar of length 1.
  double pressure() const { return pressed_ / (dt_ * dt_) / static_cast<double>(now_.size() - 1) / 2; }

 private:
  std::vector<double> differences() const {
    const std::size_t n = now_.size() - 1;
    std::vector<double> after(n + 1);
    const double fall = g_ * dt_ * dt_;
    for (std::size_t i = 1; i < n; ++i) after[i] = now_[i - 1] + now_[i + 1] - before_[i] - fall;
    after[0] = 2 * now_[1] - before_[0] - fall;
    after[n] = far_ == FarEnd::held ? now_[n] : 2 * now_[n - 1] - before_[n] - fall;
    return after;
  }

  double g_, dt_, t_ = 0, pressed_ = 0;
  FarEnd far_;
  std::vector<double> before_, now_;
};

/// The largest differences between the closed form and so many cells over a little more than a period.
struct FromCharacteristics {
  double height = 0, foot = 0, pressure = 0;  // [m], [m]; over ρ [m²/s²]
};

/// In lengths of the bar: L = 1, c = 3, g = 1, h₀ = 1/2.
FromCharacteristics bouncing_bar_by(const BouncingBar& bar, std::size_t cells) {
  Characteristics c(std::vector<double>(cells + 1, 0.5), 0, 3, 1, Characteristics::FarEnd::free);
  FromCharacteristics off;
  while (c.time() < 1.1 * bar.period()) {
    c.step();
    const double t = c.time();
    off.height = std::max(off.height, std::abs(10 * c.mean() - bar.height(t)));
    off.foot = std::max(off.foot, std::abs(10 * c.foot() - bar.foot(t)));
    if (t < 0.99 || (t > 1.01 && t < 1.65) || (t > 1.68 && t < 3.65))  // away from the jumps
      off.pressure = std::max(off.pressure, std::abs(100 * c.pressure() - bar.pressure(t)));
  }
  return off;
}

/// The instants of impacts are met within a step, so that the differences are of first order.
TEST(ClosedForms, BouncingBarIsThatOfCharacteristics) {
  const BouncingBar bar = {10, 30, 10, 5};
  EXPECT_NEAR(bar.period(), 16.0 / 3, 1e-12);
  const FromCharacteristics coarse = bouncing_bar_by(bar, 300), fine = bouncing_bar_by(bar, 900);
  EXPECT_LT(fine.height, 0.03);
  EXPECT_LT(fine.height, coarse.height / 2);
  EXPECT_LT(fine.foot, 0.06);
  EXPECT_LT(fine.foot, coarse.foot / 2);
  EXPECT_LT(fine.pressure, 1);  // of 300 to 500
}

/// The motion begins at rest at the height h₀, and so it is after each period; it is the same backwards.
TEST(ClosedForms, BouncingBarComesBack) {
  const BouncingBar bar = {10, 30, 10, 5};
  for (const double t : {0.0, 0.4, 1.2, 1.5, 2.0, 2.6}) {
    EXPECT_NEAR(bar.height(t + 3 * bar.period()), bar.height(t), 1e-9) << t;
    EXPECT_NEAR(bar.height(bar.period() - t), bar.height(t), 1e-9) << t;
    EXPECT_NEAR(bar.foot(bar.period() - t), bar.foot(t), 1e-9) << t;
  }
  EXPECT_DOUBLE_EQ(bar.height(0), 5);
  EXPECT_NEAR(bar.height(bar.period() / 2), 5 - 10 * std::pow(2.0 / 3, 2) / 6, 1e-12);
}

TEST(ClosedForms, ReleasedRodIsThatOfCharacteristics) {
  constexpr int n = 400;
  std::vector<double> u;
  for (int i = 0; i <= n; ++i) u.push_back((1 - static_cast<double>(i) / n) / 2);
  Characteristics c(u, 0, 1, 0, Characteristics::FarEnd::held);
  double end = 0, pressure = 0;
  while (c.time() < 7) {
    c.step();
    end = std::max(end, std::abs(c.foot() - released_rod_end(c.time())));
    const double since = std::fmod(c.time(), 3);
    if (std::abs(since - 1) > 0.01 && std::abs(since - 2) > 0.01)
      pressure = std::max(pressure, std::abs(c.pressure() - released_rod_pressure(c.time())));
  }
  EXPECT_LT(end, 0.003);
  EXPECT_LT(pressure, 1e-9);
}

TEST(Impacts, AllMethodsButThePrintedOnes) {
  std::set<std::string> names;
  for (const MethodInfo* m : contact_methods()) names.insert(m->name);
  EXPECT_EQ(names.size() + 4, method_catalog().size());
  EXPECT_FALSE(names.contains("BDF2ERE-printed"));
  EXPECT_TRUE(names.contains("BE") && names.contains("SDIRKERE") && names.contains("RK4"));
}

/// Through the first impact and the flight after it, with few elements: each method leaves the floor again, with no
/// more energy than it had.
TEST(Impacts, EachMethodBounces) {
  const ImpactProblem& p = bouncing_bar_problem();
  for (const MethodInfo* m : contact_methods()) {
    SCOPED_TRACE(m->name);
    const ImpactMotion motion = follow_impacts(p, impact_scene(p, m->name, {10, 0.9, 0.5}));
    EXPECT_FALSE(motion.stopped);
    EXPECT_NEAR(motion.at(motion.place, 1), 0, 0.3);  // it has fallen
    EXPECT_GT(motion.at(motion.place, p.period / 2), 1);
    EXPECT_GT(motion.energy.back(), 0.3);  // BE keeps .38 of it
    EXPECT_LT(*std::max_element(motion.energy.begin(), motion.energy.end()), 1.01);
    EXPECT_GT(*std::max_element(motion.pressure.begin(), motion.pressure.end()), 200);
  }
}

/// More elements and shorter steps come nearer to the exact motion.
TEST(Impacts, MeshesConverge) {
  const ImpactProblem& p = bouncing_bar_problem();
  std::vector<double> heights, energies;
  for (const int n : {12, 48}) {
    const ImpactMotion motion = follow_impacts(p, impact_scene(p, "TR-BDF2", {n, 1.5, 1}));
    heights.push_back(std::abs(motion.at(motion.place, p.period) - 5));
    energies.push_back(1 - motion.at(motion.energy, p.period));
  }
  EXPECT_LT(heights[1], heights[0] / 2);
  EXPECT_LT(energies[1], energies[0] / 2);
  EXPECT_GT(energies[1], 0);
  EXPECT_LT(energies[1], 0.06);
}

TEST(Impacts, ReleasedRodStaysAtTheWallForASecond) {
  const ImpactProblem& p = released_rod_problem();
  const ImpactMotion motion = follow_impacts(p, impact_scene(p, "TR-BDF2", {50, 1, 1}));
  EXPECT_DOUBLE_EQ(motion.place.front(), 0.5);
  EXPECT_DOUBLE_EQ(motion.energy.front(), 1);
  for (const double t : {0.3, 0.6, 1.3, 1.7, 2.5}) {
    EXPECT_NEAR(motion.at(motion.place, t), released_rod_end(t), 0.03) << t;
    EXPECT_NEAR(motion.at(motion.pressure, t), released_rod_pressure(t), 0.05) << t;
  }
  EXPECT_NEAR(motion.energy.back(), 1, 0.06);
}

/// Hexahedra with ν = 0 between pins are the same bar.
TEST(Impacts, HexahedraBounceAsTheRodDoes) {
  const ImpactProblem& p = bouncing_bar_problem();
  constexpr int n = 10;
  nlohmann::json scene = impact_scene(p, "TR-BDF2", {n, 1.5, 0.4});
  scene["contact"]["stiffness"] = 1;
  const ImpactMotion rod = follow_impacts(p, scene);
  constexpr double side = 0.1, corners = 4;
  const double section = side * side;
  scene["contact"]["stiffness"] = section / (10 * p.section) / corners;
  scene["bodies"][0] = {
      {"name", "bar"},           {"mesh", {{"shape", "box"}, {"size", {side, 10, side}}, {"cells", {1, n, 1}}}},
      {"element", "hex"},        {"material", scene["bodies"][0]["material"]},
      {"position", {0, 0.5, 0}}, {"pin", scene["bodies"][0]["pin"]}};
  ImpactProblem hexes = p;
  hexes.section = section / 10;
  hexes.scale = p.scale * hexes.section / p.section;
  hexes.measured = [](const Vector& q) {
    double sum = 0, mass = 0;
    for (Index i = 0; i < q.size() / 3; ++i) {
      const bool end = (i / 2) % (n + 1) == 0 || (i / 2) % (n + 1) == n;  // nodes x fastest, then y
      mass += end ? 0.5 : 1;
      sum += (end ? 0.5 : 1) * q[3 * i + 1];
    }
    return 10 * (sum / mass - 5);
  };
  const ImpactMotion solid = follow_impacts(hexes, scene);
  ASSERT_EQ(solid.times.size(), rod.times.size());
  for (std::size_t i = 0; i < rod.times.size(); ++i) {
    EXPECT_NEAR(solid.place[i], rod.place[i], 1e-4) << rod.times[i];
    EXPECT_NEAR(solid.energy[i], rod.energy[i], 1e-4) << rod.times[i];
  }
}

TEST(Impacts, TimesBeyondTheMotionHaveNoNumber) {
  const ImpactMotion motion = {{0, 1, 2}, {0, 2, 6}, {}, {}, {}};
  EXPECT_DOUBLE_EQ(motion.at(motion.place, 0), 0);
  EXPECT_DOUBLE_EQ(motion.at(motion.place, 1.5), 4);
  EXPECT_DOUBLE_EQ(motion.at(motion.place, 2), 6);
  EXPECT_TRUE(std::isnan(motion.at(motion.place, 2.1)));
}

TEST(Impacts, AnUnknownMethodIsNamed) {
  EXPECT_THROW(follow_impacts(bouncing_bar_problem(), impact_scene(bouncing_bar_problem(), "leapfrog", {5, 1, 0.1})),
               InputError);
}

}  // namespace
}  // namespace limber
