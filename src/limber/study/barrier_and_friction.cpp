/// Figs. barrier and s of the survey: b(x; δ) = −(x−δ)² log(x/δ) and s(x; ε) = 2x/ε − x²/ε².

#include <fmt/format.h>

#include "limber/contact/forces/barrier.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/studies.hpp"

namespace limber {

namespace {

/// n + 1 points from `from` to `to`.
std::vector<double> points(double from, double to, int n) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) x.push_back(from + (to - from) * i / n);
  return x;
}

template <class F>
Curve sampled(const std::string& label, const std::vector<double>& x, const F& f) {
  Curve curve{label, x, {}};
  for (const double at : x) curve.y.push_back(f(at));
  return curve;
}

}  // namespace

StudyResult study_barrier(const StudyContext& context) {
  StudyResult result;
  const std::vector<double> x = points(0.001, 1.2, 1199);
  Figure energy{"barrier",        "The barrier b(x; δ) of a distance x", {"distance x [m]"}, {"b [m²]"}, {},
                Legend::top_right};
  Figure force{"force", "What it pushes with, -b'(x; δ)", {"distance x [m]"}, {"-b' [m]"}, {}, Legend::top_right};
  force.y.to = 3.0;
  force.y.from = 0.0;
  for (const double delta : {1.0, 0.5, 0.25, 0.1}) {
    const std::string label = fmt::format("δ = {} m", delta);
    energy.curves.push_back(sampled(label, x, [&](double at) { return barrier(at, delta).value; }));
    force.curves.push_back(sampled(label, x, [&](double at) { return -barrier(at, delta).first; }));
  }
  energy.y.from = 0.0;
  energy.y.to = 2.0;
  const double near = -barrier(1e-6, 1.0).first, far = -barrier(1e-6, 0.1).first;
  result.text = fmt::format(
      "The barrier grows without bound as a distance goes to 0 and is zero, with its first two derivatives but not the "
      "third, from δ on: a pair further apart than δ costs nothing. Smaller δ make it harder: the force reaches less "
      "far. It grows like δ²/x towards 0: at one micrometre it is {:.3g} m for δ = 1 m and {:.3g} m for δ = .1 m, to "
      "be multiplied by the stiffness κ [N/m].",
      near, far);
  const double at_half = barrier(0.5, 1.0).value, at_half_small = barrier(0.5, 0.25).value;
  result.claims = {judged("b changes with δ as fig. barrier shows: it keeps to smaller distances as δ decreases.",
                          at_half > 0 && at_half_small == 0,
                          fmt::format("At x = .5 m: b = {:.4f} for δ = 1 m, {} for δ = .25 m.", at_half, at_half_small),
                          "")};
  result.figures = {energy, force};
  context.tell(1, "barrier");
  return result;
}

StudyResult study_friction(const StudyContext& context) {
  StudyResult result;
  const std::vector<double> x = points(0, 1.2, 1200);
  Figure figure{"friction",
                "The part of Coulomb's friction, s(x; ε), at a sliding speed x",
                {"sliding speed x [m/s]"},
                {"s"},
                {},
                Legend::bottom_right};
  figure.y.from = 0.0;
  figure.y.to = 1.1;
  for (const double eps : {1.0, 0.5, 0.25, 0.1})
    figure.curves.push_back(
        sampled(fmt::format("ε = {} m/s", eps), x, [&](double at) { return friction_smoothing(at, eps).value; }));
  const double slow = friction_smoothing(0.05, 1.0).value, slow_sharp = friction_smoothing(0.05, 0.01).value;
  result.text =
      "Below the speed ε friction rises smoothly from 0 to Coulomb's μλ; above it is Coulomb's. So a body that sticks "
      "creeps, at ε(1 - √(1 - tan θ/μ)) on a slope of angle θ, and a smaller ε makes it creep less at the price of a "
      "steeper force.";
  result.claims = {judged("s approaches Coulomb friction as ε → 0 (sec. friction).", slow_sharp == 1 && slow < 1,
                          fmt::format("At 5 cm/s: s = {:.4f} for ε = 1 m/s, {} for ε = 1 cm/s.", slow, slow_sharp),
                          "")};
  result.figures = {figure};
  context.tell(1, "friction");
  return result;
}

}  // namespace limber
