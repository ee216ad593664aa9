/// Example 2 of the survey: u' = −1000u, w' = log u, u(0) = 1, with h = .1. As M q̈ = f: v = (u, w), M = I.

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/model/callback_system.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/studies.hpp"
#include "limber/time/stepper.hpp"

namespace limber {

namespace {

constexpr double decay_rate = 1000, stiff_step = 0.1;

/// Throws StepFailure where the logarithm does not exist, and keeps the u that was asked for.
CallbackSystem stiff_system(double& asked) {
  SparseMatrix M(2, 2);
  M.setIdentity();
  const auto checked = [&asked](const State& u) {
    asked = u.v[0];
    if (!(asked > 0)) throw StepFailure(fmt::format("log u does not exist at u = {:.6g}", asked));
  };
  return CallbackSystem(M, {[checked](const State& u) -> Vector {
                              checked(u);
                              return Eigen::Vector2d{-decay_rate * u.v[0], std::log(u.v[0])};
                            },
                            [](const State&) { return SparseMatrix(2, 2); },
                            [checked](const State& u) {
                              checked(u);
                              SparseMatrix D(2, 2);
                              D.insert(0, 0) = decay_rate;
                              D.insert(1, 0) = -1 / u.v[0];
                              return D;
                            }});
}

struct Outcome {
  std::vector<double> t{0}, u{1}, w{0};
  std::string failure;  // of the step after the last
  double at = 0;        // the u at which it failed
};

Outcome run_stiff(const std::string& name, int steps) {
  Outcome out;
  double asked = 0;
  CallbackSystem system = stiff_system(asked);
  History past(State{Vector::Zero(2), Eigen::Vector2d{1, 0}, 0});
  Stepper stepper(find_method(name), {}, system, {});
  const auto failed = failure_of([&] {
    for (int k = 0; k < steps; ++k) {
      stepper.accept(past, stepper.step(system, past, stiff_step));
      out.t.push_back(past[0].t);
      out.u.push_back(past[0].v[0]);
      out.w.push_back(past[0].v[1]);
    }
  });
  if (failed) {
    out.failure = failed->reason;
    out.at = asked;
  }
  return out;
}

}  // namespace

StudyResult study_stiff_dirk(const StudyContext& context) {
  StudyResult result;
  StudyTable table{"steps",
                   "What each method does with h = .1 s: u at t = .1 s by the exact solution is 3.7e-44",
                   {"method", "steps taken", "u after step 1", "ended by"},
                   {}};
  std::vector<Outcome> outcomes;
  const std::vector<std::string> methods = {"BE", "BDF2", "TR-BDF2", "SDIRK"};
  for (std::size_t i = 0; i < methods.size(); ++i) {
    outcomes.push_back(run_stiff(methods[i], 5));
    const Outcome& o = outcomes.back();
    table.rows.push_back({methods[i], fmt::format("{} of 5", o.u.size() - 1),
                          o.u.size() > 1 ? fmt::format("{:.6g}", o.u[1]) : "-", o.failure.empty() ? "-" : o.failure});
    context.tell(static_cast<double>(i + 1) / 4, methods[i]);
  }
  const Outcome &bdf2 = outcomes[1], &trbdf2 = outcomes[2], &sdirk = outcomes[3];
  Figure figure{"stages",     "The first stage of each method on u' = -1000 u, h = .1 s",
                {"time [s]"}, {"u (no unit)"},
                {},           Legend::top_right};
  const double z = decay_rate * stiff_step, gamma = 2 - std::sqrt(2.0);
  const auto trapezoidal = [](double x) { return (1 - x / 2) / (1 + x / 2); };
  figure.curves = {
      {"BDF2, started by BE",
       {0, stiff_step, 2 * stiff_step},
       {1, 1 / (1 + z), (4 / (1 + z) - 1) / (3 + 2 * z)},
       Stroke::line_and_points},
      {"TR-BDF2: to its stage at h/2", {0, stiff_step / 2}, {1, trapezoidal(z / 2)}, Stroke::line_and_points},
      {"SDIRK: to its stage at γh", {0, gamma * stiff_step}, {1, trapezoidal(gamma * z)}, Stroke::line_and_points}};
  const double second = (4 * bdf2.u.at(1) - 1) / (3 + 2 * z);
  result.text = fmt::format(
      "The system u' = -1000 u, w' = log u has no solution that crosses u = 0, but a trapezoidal stage does: it takes "
      "u to {:.3f} (TR-BDF2, after h/2) and {:.3f} (SDIRK, after γh), where log u does not exist. BDF2, whose first "
      "step "
      "is one of backward Euler, takes the step of the survey and stays positive (u = {:.4g}).\n\n"
      "It does not stay so: the second step of BDF2 is (4u₁ - u₀)/(3 + 2000h) = {:.4g}, so that it stops there for the "
      "same reason. Backward Euler goes on: its u is divided by 1 + 1000h in each step. The rescue is thus the start "
      "by backward Euler rather than BDF2.",
      trbdf2.at, sdirk.at, bdf2.u.at(1), second);
  result.claims = {
      judged("BDF2 completes the step (example 2).", bdf2.u.size() > 1 && bdf2.u[1] > 0,
             fmt::format("u₁ = {:.6g}; it stops at the second step, at u = {:.4g}.", bdf2.u.at(1), bdf2.at), ""),
      judged("Both DIRK methods get stuck, unable to evaluate log u at their first stage, where u ≈ -1 (example 2).",
             trbdf2.u.size() == 1 && sdirk.u.size() == 1 && trbdf2.at < -0.9 && sdirk.at < -0.9,
             fmt::format("No step is taken: u = {:.4f} and {:.4f} at the stages.", trbdf2.at, sdirk.at), "")};
  result.figures = {figure};
  result.tables = {table};
  return result;
}

}  // namespace limber
