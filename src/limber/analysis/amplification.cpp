#include "limber/analysis/amplification.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "limber/analysis/oscillator.hpp"
#include "limber/core/errors.hpp"

namespace limber {
namespace {

Vector scalar(double x) { return Vector::Constant(1, x); }

/// What a method remembers of its past, as a vector: q, v, a of the newest state, then q, v of the one before.
struct Memory {
  bool acceleration, two_step;
  Index size() const { return 2 + (acceleration ? 1 : 0) + (two_step ? 2 : 0); }
  History unpack(const Vector& x) const {
    std::deque<State> states{{scalar(x[0]), scalar(x[1]), 0}};
    if (acceleration) states[0].a = scalar(x[2]);
    if (two_step) states.push_back({scalar(x[size() - 2]), scalar(x[size() - 1]), -1});
    return History(std::move(states));
  }
  Vector pack(const State& now, const State& before) const {
    Vector x(size());
    x[0] = now.q[0];
    x[1] = now.v[0];
    if (acceleration) x[2] = now.a[0];
    if (two_step) x[size() - 2] = before.q[0], x[size() - 1] = before.v[0];
    return x;
  }
};

}  // namespace

Matrix amplification_matrix(const MethodInfo& method, const MethodParameters& parameters, double theta,
                            ModePlace mode) {
  if (mode == ModePlace::split_off && method.splitting == Splitting::none)
    throw InputError("in_modes", method.name + " does not split off modes");
  if (!method.linear)
    throw InputError("method", method.name +
                                   " has no amplification matrix and no damping curve: its step is not linear, since "
                                   "it depends on the energy of the whole system");
  if (!(theta >= 0) || !std::isfinite(theta))
    throw InputError("theta", fmt::format("{} is not a finite number >= 0", theta));
  Oscillator system(theta);
  MethodOptions options;
  options.stages.newton.tolerance = 0;                         // the equation is linear: iterate to rounding
  options.stages.newton.scale = std::max(1.0, theta * theta);  // of what is rounded: ω²q, as a length over h²
  options.modes.count = mode == ModePlace::split_off ? 1 : 0;
  Stepper stepper(method, parameters, system, options);

  const State probe = stepper.step(system, History(State{scalar(1), scalar(0), 0}), 1);
  // Two-step schemes are those whose step changes when it is shown another past.
  const auto with_past = [&](double q) {
    return stepper.step(system, History(std::deque<State>{{scalar(1), scalar(0), 0}, {scalar(q), scalar(0), -1}}), 1)
        .q[0];
  };
  const Memory memory{probe.a.size() > 0, with_past(0) != with_past(1)};
  Matrix T(memory.size(), memory.size());
  for (Index j = 0; j < T.cols(); ++j) {
    const History u = memory.unpack(Vector::Unit(T.cols(), j));
    T.col(j) = memory.pack(stepper.step(system, u, 1), u[0]);
  }
  return T;
}

double spectral_radius(const MethodInfo& method, const MethodParameters& parameters, double theta, ModePlace mode) {
  return amplification_matrix(method, parameters, theta, mode).eigenvalues().cwiseAbs().maxCoeff();
}

Vector damping_curve(const MethodInfo& method, const MethodParameters& parameters, const Vector& theta,
                     ModePlace mode) {
  Vector d(theta.size());
  for (Index i = 0; i < theta.size(); ++i) {
    if (!(theta[i] > 0)) throw InputError("theta", fmt::format("{} is not > 0", theta[i]));
    d[i] = -2 * std::log(spectral_radius(method, parameters, theta[i], mode)) / theta[i];
  }
  return d;
}

}  // namespace limber
