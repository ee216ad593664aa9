#pragma once
/// One step of each method as its formula is printed, on the dense first-order system. A method that is not in the
/// table has no proof of its coefficients: the test that looks it up fails.

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "limber/time/catalog.hpp"
#include "support/first_order.hpp"
#include "support/reference_hybrids.hpp"

namespace limber::test {

/// What has been: x = (q, v) and t, newest first; a [m/s²] of the newest, for Newmark-type methods.
struct Past {
  std::vector<Vector> x;
  std::vector<double> t;
  Vector a;
  std::size_t modes_kept = 0;  // steps for which hybrids have kept their modes; if any, they are corrected

  void push(Vector x1, double t1) {
    x.insert(x.begin(), std::move(x1));
    t.insert(t.begin(), t1);
  }
};

/// x₁; it may also set past.a to the new acceleration.
using ReferenceStep = std::function<Vector(const FirstOrder&, Past&, double h, const MethodParameters&)>;
/// Solves x = star + τ F(x, t) in full, or linearised about `at`.
using Solve = std::function<Vector(const FirstOrder&, const Vector& star, double tau, double t, const Vector& at)>;

inline Vector in_full(const FirstOrder& s, const Vector& star, double tau, double t, const Vector& at) {
  return s.implicit(star, tau, t, at);
}
inline Vector once(const FirstOrder& s, const Vector& star, double tau, double t, const Vector& at) {
  return s.linearized(star, tau, t, at, s.J(at, t));
}

inline ReferenceStep backward_euler(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters&) {
    return solve(s, u.x[0], h, u.t[0] + h, u.x[0]);
  };
}

/// (1+2r)/(1+r) x₁ − (1+r) x₀ + r²/(1+r) x₋₁ = h F(x₁), the interpolating polynomial's derivative at t₁.
inline ReferenceStep bdf2(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters& p) {
    if (u.x.size() == 1) return backward_euler(solve)(s, u, h, p);
    const double r = h / (u.t[0] - u.t[1]), lead = (1 + 2 * r) / (1 + r);
    const Vector past = (1 + r) * u.x[0] - r * r / (1 + r) * u.x[1];
    return solve(s, past / lead, h / lead, u.t[0] + h, u.x[0]);
  };
}

inline ReferenceStep trapezoidal(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters&) {
    return solve(s, u.x[0] + h / 2 * s.F(u.x[0], u.t[0]), h / 2, u.t[0] + h, u.x[0]);
  };
}

inline ReferenceStep midpoint(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters&) {
    const Vector middle = solve(s, u.x[0], h / 2, u.t[0] + h / 2, u.x[0]);
    return Vector(2 * middle - u.x[0]);
  };
}

/// θ times BDF2 (or backward Euler in the first step) and 1 − θ times trapezoidal, each solved for x₁.
inline ReferenceStep blend(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters& p) {
    const double theta = p.at("theta");
    Vector past = u.x[0];
    double tau = h;
    if (u.x.size() > 1) {
      const double r = h / (u.t[0] - u.t[1]), lead = (1 + 2 * r) / (1 + r);
      past = ((1 + r) * u.x[0] - r * r / (1 + r) * u.x[1]) / lead;
      tau = h / lead;
    }
    const Vector rule = u.x[0] + h / 2 * s.F(u.x[0], u.t[0]);
    return solve(s, theta * past + (1 - theta) * rule, theta * tau + (1 - theta) * h / 2, u.t[0] + h, u.x[0]);
  };
}

/// Eq. (10):  u_½ = u₀ + h/4 (F₀ + F_½),  u₁ = 4/3 u_½ − 1/3 u₀ + h/3 F₁.
inline ReferenceStep tr_bdf2(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters&) {
    const double t = u.t[0];
    const Vector half = solve(s, u.x[0] + h / 4 * s.F(u.x[0], t), h / 4, t + h / 2, u.x[0]);
    return solve(s, 4.0 / 3 * half - 1.0 / 3 * u.x[0], h / 3, t + h, half);
  };
}

/// Eq. (11):  u_γ = u₀ + γh/2 (F₀ + F_γ),  u₁ = u₀ + h [β F₀ + β F_γ + γ/2 F₁],  γ = 2 − √2, β = √2/4. F_γ is what the
/// first stage says it is, (u_γ − u₀)/(γh/2) − F₀.
inline ReferenceStep sdirk(Solve solve) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters& p) {
    const double g = 2 - std::sqrt(2.0), b = std::sqrt(2.0) / 4, t = u.t[0];
    Solve stage = solve;
    if (const auto freeze = p.find("freeze"); freeze != p.end() && freeze->second != 0) {
      const Matrix J = s.J(u.x[0], t);
      stage = [J](const FirstOrder& sys, const Vector& star, double tau, double time, const Vector& at) {
        return sys.linearized(star, tau, time, at, J);
      };
    }
    const Vector F0 = s.F(u.x[0], t);
    const Vector ug = stage(s, u.x[0] + g * h / 2 * F0, g * h / 2, t + g * h, u.x[0]);
    const Vector Fg = (ug - u.x[0]) / (g * h / 2) - F0;
    return stage(s, u.x[0] + h * b * (F0 + Fg), g * h / 2, t + h, ug);
  };
}

struct AlphaCoefficients {
  double am, af, beta, gamma;
};

/// The textbook's generalized-α, in the unknown a₁. `iterations`: of Newton from x_w = x₀; 1 is the linearised method.
inline Vector alpha_step(const FirstOrder& s, Past& u, double h, const AlphaCoefficients& c, int iterations) {
  const Index n = s.n();
  const Vector q0 = u.x[0].head(n), v0 = u.x[0].tail(n);
  // a₀ stands for t₀ + (α_m − α_f) h₋₁, and has to stand for t₀ + (α_m − α_f) h.
  Vector a0 = s.acceleration(u.x[0], u.t[0]);
  if (u.a.size()) a0 = u.t.size() < 2 || c.am == c.af ? u.a : Vector(a0 + h / (u.t[0] - u.t[1]) * (u.a - a0));
  const double w = 1 - c.af, t = u.t[0] + w * h;
  const auto end = [&](const Vector& a1) {
    Vector x(2 * n);
    x << q0 + h * v0 + h * h * ((0.5 - c.beta) * a0 + c.beta * a1), v0 + h * ((1 - c.gamma) * a0 + c.gamma * a1);
    return x;
  };
  const auto middle = [&](const Vector& a1) { return Vector(w * end(a1) + c.af * u.x[0]); };
  // M [(1−α_m) a₁ + α_m a₀] = f(x̄) + ∂f (x_w(a₁) − x̄), x̄ the point linearised about; then x̄ = x_w(a₁).
  Vector a1 = a0, about = u.x[0];
  double size = 1;
  for (int k = 0; k < iterations && size > 1e-15; ++k) {
    const Matrix G = s.force_jacobian(about, t);
    const Matrix A = (1 - c.am) * s.mass() - w * h * h * c.beta * G.leftCols(n) - w * h * c.gamma * G.rightCols(n);
    const Vector still = middle(Vector::Zero(n));
    const Vector next = A.partialPivLu().solve(s.force(about, t) + G * (still - about) - c.am * (s.mass() * a0));
    size = (next - a1).norm();
    a1 = next;
    about = middle(a1);
  }
  EXPECT_TRUE(iterations == 1 || size < 1e-9) << "the reference did not converge: " << size;
  u.a = a1;
  return end(a1);
}

using Coefficients = std::function<AlphaCoefficients(const MethodParameters&)>;
inline AlphaCoefficients newmark(const MethodParameters& p) { return {0, 0, p.at("beta"), p.at("gamma")}; }
inline AlphaCoefficients chung_hulbert(const MethodParameters& p) {
  const double r = p.at("rho_inf"), am = (2 * r - 1) / (r + 1), af = r / (r + 1);
  return {am, af, 0.25 * std::pow(1 - am + af, 2), 0.5 - am + af};
}
inline AlphaCoefficients hht(const MethodParameters& p) {
  const double a = p.at("alpha");
  return {0, -a, std::pow(1 - a, 2) / 4, 0.5 - a};
}
inline ReferenceStep alpha_method(Coefficients coefficients, int iterations) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters& p) {
    return alpha_step(s, u, h, coefficients(p), iterations);
  };
}

/// Backward Euler, and then v₁ = v₀ + h M⁻¹f(q₀, v, t₀).
inline Vector a_1(const FirstOrder& s, Past& u, double h, const MethodParameters&) {
  const Index n = s.n();
  Vector x = s.implicit(u.x[0], h, u.t[0] + h, u.x[0]), at_start = u.x[0];
  at_start.tail(n) = x.tail(n);
  x.tail(n) = u.x[0].tail(n) + h * s.acceleration(at_start, u.t[0]);
  return x;
}

/// (1 − α) of backward Euler's velocity and α of that of A-1. α is found by bisection, the stored energy from the work
/// of the forces on the straight line from q₀ to q₁, by Gauss's rule or, without a potential, from both ends.
inline Vector a_search(const FirstOrder& s, Past& u, double h, const MethodParameters& p) {
  const Index n = s.n();
  const double t = u.t[0];
  const Vector end = s.implicit(u.x[0], h, t + h, u.x[0]), q0 = u.x[0].head(n), moved = end.head(n) - q0,
               v = end.tail(n), d = a_1(s, u, h, p).tail(n) - v;
  const auto force = [&](const Vector& q, const Vector& velocity, double time) {
    Vector x(2 * n);
    x << q, velocity;
    return s.force(x, time);
  };
  const Vector still = Vector::Zero(n);
  double work = .5 * moved.dot(force(q0, still, t) + force(q0 + moved, still, t + h));
  if (s.has_potential()) {
    work = 0;
    for (const double side : {-1., 1.})
      work += .5 * moved.dot(force(q0 + (.5 + side * std::sqrt(1. / 12)) * moved, still, t));
  }
  const auto kinetic = [&](const Vector& w) { return .5 * w.dot(s.mass() * w); };
  const double taken = moved.dot(force(end.head(n), still, t + h) - force(end.head(n), v, t + h)) +
                       (1 - std::pow(p.at("keep"), h)) * kinetic(v);
  const auto too_much = [&](double alpha) { return kinetic(v + alpha * d) - kinetic(u.x[0].tail(n)) - work + taken; };
  double low = 0, high = p.at("alpha_max");
  const double slope = v.dot(s.mass() * d), dip = slope < 0 ? slope * slope / (4 * kinetic(d)) : 0;
  if (too_much(0) > 0 || dip > -too_much(0)) high = 0;
  if (too_much(high) < 0) low = high;
  while (high - low > 1e-14 * high) (too_much(.5 * (low + high)) < 0 ? low : high) = .5 * (low + high);
  Vector x = end;
  x.tail(n) += low * d;
  return x;
}

inline Vector symplectic_euler(const FirstOrder& s, Past& u, double h, const MethodParameters&) {
  Vector x = u.x[0];
  x.tail(s.n()) += h * s.acceleration(u.x[0], u.t[0]);
  x.head(s.n()) += h * x.tail(s.n());
  return x;
}

/// The second kick, v₁ = v_½ + h/2 M⁻¹f(q₁, v₁, t₁), is solved for v₁.
inline Vector verlet(const FirstOrder& s, Past& u, double h, const MethodParameters&) {
  const Index n = s.n();
  Vector x = u.x[0];
  x.tail(n) += h / 2 * s.acceleration(u.x[0], u.t[0]);
  x.head(n) += h * x.tail(n);
  const Vector half = x.tail(n);
  const double t = u.t[0] + h;
  for (int k = 0; k < 20; ++k) {
    const Matrix A = s.mass() - h / 2 * s.force_jacobian(x, t).rightCols(n);
    x.tail(n) += A.partialPivLu().solve(s.mass() * (half - x.tail(n)) + h / 2 * s.force(x, t));
  }
  return x;
}

inline Vector runge_kutta(const FirstOrder& s, Past& u, double h, const MethodParameters&) {
  return s.exact(u.x[0], u.t[0], {h}, 1);
}

inline Vector exponential(const FirstOrder& s, Past& u, double h, const MethodParameters&) {
  return reference_ere(s, u.x[0], u.t[0], h);
}

/// `formula`: which of HybridStep's.
template <class Formula>
ReferenceStep hybrid(Formula formula, Stages stages) {
  return [=](const FirstOrder& s, Past& u, double h, const MethodParameters&) {
    const bool has_past = u.x.size() > 1;
    const HybridPast past{u.x[0], u.t[0], has_past ? &u.x[1] : nullptr, has_past ? u.t[0] - u.t[1] : 0};
    const DenseSplit split(s, u.x[u.modes_kept], u.t[u.modes_kept], 2);
    return formula(HybridStep(s, split, past, h, stages, u.modes_kept ? ModesAfter::corrected : ModesAfter::plain));
  };
}

inline const std::map<std::string, ReferenceStep>& reference_steps() {
  constexpr int all = 50;
  const auto euler = [](const HybridStep& s) { return s.euler(DenseSplit::Coupled::by_stiffness); };
  const auto bdf2_ere = std::mem_fn(&HybridStep::bdf2), bdf2_printed = std::mem_fn(&HybridStep::bdf2_printed),
             tr_bdf2_ere = std::mem_fn(&HybridStep::tr_bdf2),
             tr_bdf2_printed = std::mem_fn(&HybridStep::tr_bdf2_printed), sdirk_ere = std::mem_fn(&HybridStep::sdirk);
  static const std::map<std::string, ReferenceStep> table = {
      {"BE", backward_euler(in_full)},
      {"SI", backward_euler(once)},
      {"BDF2", bdf2(in_full)},
      {"SBDF2", bdf2(once)},
      {"TR", trapezoidal(in_full)},
      {"STR", trapezoidal(once)},
      {"blend", blend(in_full)},
      {"midpoint", midpoint(in_full)},
      {"S-midpoint", midpoint(once)},
      {"TR-BDF2", tr_bdf2(in_full)},
      {"STR-SBDF2", tr_bdf2(once)},
      {"SDIRK", sdirk(in_full)},
      {"SSDIRK", sdirk(once)},
      {"newmark", alpha_method(newmark, all)},
      {"S-newmark", alpha_method(newmark, 1)},
      {"gen-alpha", alpha_method(chung_hulbert, all)},
      {"S-gen-alpha", alpha_method(chung_hulbert, 1)},
      {"HHT", alpha_method(hht, all)},
      {"S-HHT", alpha_method(hht, 1)},
      {"A-1", a_1},
      {"A-search", a_search},
      {"symplectic-euler", symplectic_euler},
      {"verlet", verlet},
      {"RK4", runge_kutta},
      {"ERE", exponential},
      {"BEERE", hybrid(euler, Stages::newton)},
      {"SIERE", hybrid(euler, Stages::linearized)},
      {"BDF2ERE", hybrid(bdf2_ere, Stages::newton)},
      {"SBDF2ERE", hybrid(bdf2_ere, Stages::linearized)},
      {"TR-BDF2ERE", hybrid(tr_bdf2_ere, Stages::newton)},
      {"STR-SBDF2ERE", hybrid(tr_bdf2_ere, Stages::linearized)},
      {"SDIRKERE", hybrid(sdirk_ere, Stages::newton)},
      {"SSDIRKERE", hybrid(sdirk_ere, Stages::linearized)},
      {"BDF2ERE-printed", hybrid(bdf2_printed, Stages::newton)},
      {"SBDF2ERE-printed", hybrid(bdf2_printed, Stages::linearized)},
      {"TR-BDF2ERE-printed", hybrid(tr_bdf2_printed, Stages::newton)},
      {"STR-SBDF2ERE-printed", hybrid(tr_bdf2_printed, Stages::linearized)},
  };
  return table;
}

}  // namespace limber::test
