/// Contact in every method, on a tower of masses over a floor: nothing passes, rest is rest, and far from the floor
/// nothing is changed.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/time/partial_system.hpp"
#include "support/chain.hpp"
#include "support/methods.hpp"
#include "support/several_threads.hpp"

namespace limber::test {
namespace {

constexpr double g = 9.81;

/// Masses 1, 1.3, … above each other at heights q, on hardening springs of length 1 with dashpots. The lowest one is
/// held off the floor by κ b(q₀ − floor; δ), or by a linear spring that also pulls. Air drag m d v.
struct TowerParts {
  int n = 3;
  double k = 300, k3 = 500;  // [N/m], [N/m³]
  double dashpot = 1;        // [N·s/m]
  double drag = 6;           // d [1/s]
  double gravity = g;
  double floor = 0;    // [m]
  double kappa = 1e4;  // κ [N/m]
  double delta = .05;  // δ [m]
  double spring = 0;   // [N/m] instead of the barrier
  double load = 0;     // [m/s²] its sine in time beside gravity
  double grip = 0;     // [N·s/m] a contact force −grip v₀ beside it: friction that sticks
};

class Tower final : public System, private ContactPart {
 public:
  enum class Part { whole, smooth, contact };
  explicit Tower(const TowerParts& parts, Part part = Part::whole) : p_(parts), part_(part) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < p_.n; ++i) {
      entries.emplace_back(i, i, mass_of(i));
      if (i + 1 < p_.n) entries.emplace_back(i + 1, i, 0.0);
    }
    SparseMatrix M(p_.n, p_.n);
    M.setFromTriplets(entries.begin(), entries.end());
    M_ = MassMatrix(M, Symmetry::symmetric);
    if (part != Part::whole) return;
    smooth_ = std::make_unique<Tower>(parts, Part::smooth);
    contact_ = std::make_unique<Tower>(parts, Part::contact);
  }

  SystemTraits traits() const override {
    return {.size = p_.n,
            .velocity_dependent = true,
            .time_dependent = p_.load != 0 && part_ != Part::contact,
            .contact = part_ == Part::whole ? self_ : nullptr};
  }
  const MassMatrix& inertia() const override { return M_; }

  Vector force(const State& u) const override {
    Vector f = Vector::Zero(p_.n);
    if (part_ != Part::contact)
      for (int i = 0; i < p_.n; ++i) {
        f[i] -= mass_of(i) * (gravity_at(u.t) + p_.drag * u.v[i]);
        if (i == 0) continue;
        const double e = stretch(u.q, i), s = p_.k * e + p_.k3 * e * e * e + p_.dashpot * (u.v[i] - u.v[i - 1]);
        f[i] -= s;
        f[i - 1] += s;
      }
    if (part_ != Part::smooth) f[0] -= floor_slope(u.q) + p_.grip * u.v[0];
    return f;
  }
  Vector linearize(const State& u, Definiteness d, Tangent& T) override {
    T.K = T.D = mass();
    T.K.coeffs().setZero();
    T.D.coeffs().setZero();
    T.deflation.reset();
    T.unsymmetric.resize(0, 0);
    if (part_ != Part::contact)
      for (int i = 0; i < p_.n; ++i) {
        T.D.coeffRef(i, i) += mass_of(i) * p_.drag;
        if (i == 0) continue;
        const double e = stretch(u.q, i), slope = p_.k + 3 * p_.k3 * e * e;
        const double s = d == Definiteness::exact ? slope : std::max(slope, 0.);
        for (const auto& [A, x] : {std::pair{&T.K, s}, {&T.D, p_.dashpot}}) {
          A->coeffRef(i, i) += x;
          A->coeffRef(i - 1, i - 1) += x;
          A->coeffRef(i, i - 1) -= x;
        }
      }
    if (part_ == Part::smooth) return force(u);
    T.K.coeffRef(0, 0) += floor_curvature(u.q);
    T.D.coeffRef(0, 0) += p_.grip;
    return force(u);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    Potentials p;
    if (part_ != Part::contact)
      for (int i = 0; i < p_.n; ++i) {
        p.stored += mass_of(i) * gravity_at(u.t) * u.q[i];
        p.dissipated += mass_of(i) * p_.drag / 2 * u.v[i] * u.v[i];
        if (i == 0) continue;
        const double e = stretch(u.q, i), w = u.v[i] - u.v[i - 1];
        p.stored += p_.k / 2 * e * e + p_.k3 / 4 * e * e * e * e;
        p.dissipated += p_.dashpot / 2 * w * w;
      }
    if (part_ == Part::smooth) return p;
    p.stored += floor_energy(u.q);
    p.dissipated += p_.grip / 2 * u.v[0] * u.v[0];
    return p;
  }
  double max_step(const Vector& q, const Vector& dq, double, double) const override {
    if (part_ == Part::smooth || p_.spring > 0 || !(dq[0] < 0)) return 1;
    return gap(q) > 0 ? std::min(1.0, -.9 * gap(q) / dq[0]) : 0;
  }
  System& smooth() override { return *smooth_; }
  System& forces() override { return *contact_; }
  double smallest_gap(const State& u) const override {
    if (part_ == Part::smooth || p_.spring > 0 || gap(u.q) >= p_.delta) return std::numeric_limits<double>::infinity();
    return gap(u.q);
  }

  double mass_of(int i) const { return 1 + .3 * i; }
  double gap(const Vector& q) const { return q[0] - p_.floor; }
  double gravity_at(double t) const { return p_.gravity + p_.load * std::sin(20 * t); }
  double weight_from(int i) const {
    double w = 0;
    for (int j = i; j < p_.n; ++j) w += mass_of(j) * p_.gravity;
    return w;
  }
  /// Where everything balances.
  State rest() const {
    const auto root = [](auto&& f, double low, double high) {
      for (int k = 0; k < 200; ++k) (f(.5 * (low + high)) > 0 ? high : low) = .5 * (low + high);
      return .5 * (low + high);
    };
    State u{Vector::Zero(p_.n), Vector::Zero(p_.n), 0};
    u.q[0] = p_.spring > 0 ? p_.floor - weight_from(0) / p_.spring
                           : root([&](double y) { return floor_slope(Vector::Constant(1, y)) + weight_from(0); },
                                  p_.floor, p_.floor + p_.delta);
    for (int i = 1; i < p_.n; ++i)
      u.q[i] = u.q[i - 1] + 1 + root([&](double e) { return p_.k * e + p_.k3 * e * e * e + weight_from(i); }, -2, 0);
    return u;
  }

 private:
  double stretch(const Vector& q, int i) const { return q[i] - q[i - 1] - 1; }
  double floor_energy(const Vector& q) const {
    const double x = gap(q), u = x - p_.delta;
    if (p_.spring > 0) return p_.spring / 2 * x * x;
    if (x <= 0) return std::numeric_limits<double>::infinity();
    return u < 0 ? -p_.kappa * u * u * std::log(x / p_.delta) : 0;
  }
  double floor_slope(const Vector& q) const {
    const double x = gap(q), u = x - p_.delta;
    if (p_.spring > 0) return p_.spring * x;
    if (x <= 0) return -std::numeric_limits<double>::infinity();
    return u < 0 ? -p_.kappa * (2 * u * std::log(x / p_.delta) + u * u / x) : 0;
  }
  double floor_curvature(const Vector& q) const {
    const double x = gap(q), u = x - p_.delta;
    if (p_.spring > 0) return p_.spring;
    return u < 0 ? p_.kappa * (-2 * std::log(x / p_.delta) - 4 * u / x + u * u / (x * x)) : 0;
  }

  TowerParts p_;
  Part part_;
  MassMatrix M_;
  std::unique_ptr<Tower> smooth_, contact_;
  ContactPart* self_ = this;
};

State falling(int n, double height) {
  State u{Vector::LinSpaced(n, 0, n - 1), Vector::Zero(n), 0};
  u.q.array() += height;
  if (n == 1) u.q[0] = height;
  u.v.setConstant(-1);
  return u;
}

MethodOptions precise(int modes) {
  MethodOptions options;
  options.modes.count = modes;
  options.modes.refresh = {Refresh::Rule::every};
  options.stages.newton.tolerance = 1e-11;
  options.stages.linear_tolerance = 1e-13;
  options.krylov_tolerance = 1e-11;
  return options;
}

/// As a simulation does: what ends beyond its last stage is looked at, and replaced where it passed something.
class Driver {
 public:
  Driver(Tower& tower, const std::string& method, State start, int modes)
      : tower_(tower), stepper_(find_method(method), {}, tower, precise(modes)), history_(std::move(start)) {}
  const State& step(double h) {
    State u;
    try {
      u = stepper_.step(tower_, history_, h);
      if (!stepper_.ends_at_stage() && tower_.max_step(history_[0].q, u.q - history_[0].q, 0, 0) < 1)
        throw StepFailure("passes the floor");
    } catch (const StepFailure&) {
      ++escalations;
      u = stepper_.step_by_backward_euler(tower_, history_, h);
    }
    stepper_.accept(history_, u);
    return history_[0];
  }
  const State& now() const { return history_[0]; }
  int escalations = 0;

 private:
  Tower& tower_;
  Stepper stepper_;
  History history_;
};

struct ContactRow {
  std::string method;
  int modes;
};
inline void PrintTo(const ContactRow& row, std::ostream* os) { *os << row.method << ", " << row.modes << " modes"; }

bool is_printed(const MethodInfo& m) { return m.splitting == Splitting::printed; }

/// Every method; hybrids with no, some and all modes of a tower of three.
std::vector<ContactRow> contact_rows() {
  std::vector<ContactRow> rows;
  for (const auto& m : method_catalog()) {
    if (is_printed(m)) continue;
    if (m.splitting == Splitting::none) {
      rows.push_back({m.name, 1});
      continue;
    }
    for (const int modes : {0, 1, 2, 3}) rows.push_back({m.name, modes});
  }
  return rows;
}

class ContactOf : public ::testing::TestWithParam<ContactRow> {};

TEST_P(ContactOf, RestIsRest) {
  const auto& [method, modes] = GetParam();
  Tower tower({});
  const State rest = tower.rest();
  ASSERT_LT(tower.force(rest).norm(), 1e-9);
  Driver driver(tower, method, rest, modes);
  for (int i = 0; i < 20; ++i) driver.step(.01);
  EXPECT_EQ(driver.escalations, 0);
  EXPECT_LT((driver.now().q - rest.q).norm(), 1e-9);
  EXPECT_LT(driver.now().v.norm(), 1e-8);
}

TEST_P(ContactOf, AFallStaysAboveTheFloorAndComesToRest) {
  const auto& [method, modes] = GetParam();
  Tower tower({});
  Driver driver(tower, method, falling(3, .4), modes);
  for (int i = 0; i < 600; ++i) {
    const State& u = driver.step(.01);
    ASSERT_TRUE(is_finite(u));
    ASSERT_GT(tower.gap(u.q), 0) << "step " << i;
  }
  const State& u = driver.now();
  EXPECT_LT(u.v.norm(), method == "A-1" ? 1e-4 : 1e-5);  // it leaves fast vibrations nearly undamped
  EXPECT_NEAR(tower.contact()->forces().force(u)[0], tower.weight_from(0), 1e-3 * tower.weight_from(0));
  EXPECT_LT((u.q - tower.rest().q).norm(), 1e-5);
  if (find_method(method).kind == MethodKind::implicit && method != "midpoint" && method != "gen-alpha" &&
      method != "HHT") {
    EXPECT_EQ(driver.escalations, 0);
  }
}

/// One particle: all its motion is modal. It must feel the floor in the very step of the impact.
TEST_P(ContactOf, AParticleFallsFast) {
  const auto& [method, modes] = GetParam();
  if (modes > 1) return;
  Tower tower({.n = 1, .drag = 3});
  for (const double speed : {10.0, 1000.0}) {
    State start = falling(1, .3);
    start.v[0] = -speed;
    Driver driver(tower, method, start, modes);
    double highest = 0;
    for (int i = 0; i < 50; ++i) {
      const State& u = driver.step(.01);
      ASSERT_TRUE(is_finite(u));
      ASSERT_GT(tower.gap(u.q), 0) << "step " << i << " at " << speed << " m/s";
      highest = std::max(highest, u.v[0]);
    }
    // Backward Euler never bounces faster than it came. A rate at the step's start that has a barrier's force in it,
    // and steps of ten times the fall's height, let others gain: 2.8 × (TR, newmark), 1.5 × (TR-BDF2), 1.3 × (SDIRK).
    const auto kind = find_method(method).kind;
    if (method == "BE" || method == "SI") {
      EXPECT_LT(highest, speed);
    } else if (kind != MethodKind::explicit_ && kind != MethodKind::exponential) {
      EXPECT_LT(highest, 3 * speed + 1);
    }
  }
}

TEST_P(ContactOf, FarFromTheFloorNothingIsChanged) {
  const auto& [method, modes] = GetParam();
  const auto& info = find_method(method);
  const auto difference = [&](const State& start, int steps) {
    TowerParts parts{.dashpot = .5, .drag = .3, .floor = -100};
    Tower whole(parts), smooth(parts, Tower::Part::smooth);
    Runner with(whole, {method, {}}, start, precise(modes));
    Runner without(smooth, {method, {}}, start, precise(modes));
    for (int i = 0; i < steps; ++i) {
      with.step(.4 / steps);
      without.step(.4 / steps);
    }
    const State &a = with.history()[0], &b = without.history()[0];
    return std::max((a.q - b.q).norm(), (a.v - b.v).norm());
  };
  // A fall without deformation: all of it is modal.
  const State fall = falling(3, 0);
  for (const int steps : {20, 160}) EXPECT_LT(difference(fall, steps), 1e-8) << steps;
  State stretched = fall;
  stretched.q[2] += .2;
  stretched.v[0] = .5;
  if (info.splitting != Splitting::second_order || modes < 2) {
    EXPECT_LT(difference(stretched, 20), 1e-8);
    return;
  }
  // The frame starts from the step's beginning; split stages predict the modes anew from each stage.
  const double coarse = difference(stretched, 80), fine = difference(stretched, 160);
  EXPECT_GT(std::log2(coarse / fine), 1.8) << coarse << " " << fine;
  EXPECT_LT(coarse, 2e-3);
}

/// A load that changes in time, of which second-order hybrids take the rate at the step's start.
TEST_P(ContactOf, FarFromTheFloorALoadInTimeActsAsWithoutContact) {
  const auto& [method, modes] = GetParam();
  TowerParts parts{.dashpot = .5, .drag = .3, .floor = -100, .load = 4};
  Tower whole(parts), smooth(parts, Tower::Part::smooth);
  Runner with(whole, {method, {}}, falling(3, 0), precise(modes));
  Runner without(smooth, {method, {}}, falling(3, 0), precise(modes));
  for (int i = 0; i < 20; ++i) {
    with.step(.02);
    without.step(.02);
  }
  const State &a = with.history()[0], &b = without.history()[0];
  ASSERT_TRUE(is_finite(a));
  EXPECT_LT(std::max((a.q - b.q).norm(), (a.v - b.v).norm()), 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Catalog, ContactOf, ::testing::ValuesIn(contact_rows()), [](const auto& info) {
  return label({info.param.method, {}}) + "_" + std::to_string(info.param.modes) + "_modes";
});

TEST(ContactMethods, PrintedFormsAreRefused) {
  Tower tower({});
  for (const auto& m : method_catalog())
    if (is_printed(m)) {
      EXPECT_THROW(Stepper(m, {}, tower, precise(1)), InputError) << m.name;
    }
}

/// Two towers that nothing attaches to each other.
class Towers final : public System, private ContactPart {
 public:
  Towers(const TowerParts& a, const TowerParts& b, Tower::Part part = Tower::Part::whole)
      : a_(a, part), b_(b, part), part_(part) {
    std::vector<Eigen::Triplet<double>> entries;
    append(a_.mass(), 0, entries);
    append(b_.mass(), a.n, entries);
    SparseMatrix M(a.n + b.n, a.n + b.n);
    M.setFromTriplets(entries.begin(), entries.end());
    M_ = MassMatrix(M, Symmetry::symmetric);
    if (part != Tower::Part::whole) return;
    smooth_ = std::make_unique<Towers>(a, b, Tower::Part::smooth);
    contact_ = std::make_unique<Towers>(a, b, Tower::Part::contact);
  }

  SystemTraits traits() const override {
    return {.size = a_.size() + b_.size(),
            .velocity_dependent = true,
            .time_dependent = false,
            .contact = part_ == Tower::Part::whole ? self_ : nullptr};
  }
  const MassMatrix& inertia() const override { return M_; }
  Vector force(const State& u) const override {
    Vector f(size());
    f << a_.force(first(u)), b_.force(second(u));
    return f;
  }
  Vector linearize(const State& u, Definiteness d, Tangent& T) override {
    Tangent x, y;
    a_.tangent(first(u), d, x);
    b_.tangent(second(u), d, y);
    T = Tangent();
    for (const auto& [to, p, q] : {std::tuple{&T.K, &x.K, &y.K}, {&T.D, &x.D, &y.D}}) {
      std::vector<Eigen::Triplet<double>> entries;
      append(*p, 0, entries);
      append(*q, a_.size(), entries);
      to->resize(size(), size());
      to->setFromTriplets(entries.begin(), entries.end());
    }
    return force(u);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    auto p = a_.potentials(first(u));
    *p += *b_.potentials(second(u));
    return p;
  }
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return std::min(a_.max_step(q.head(a_.size()), dq.head(a_.size()), t0, t1),
                    b_.max_step(q.tail(b_.size()), dq.tail(b_.size()), t0, t1));
  }
  System& smooth() override { return *smooth_; }
  System& forces() override { return *contact_; }
  double smallest_gap(const State& u) const override {
    return std::min(a_.smallest_gap(first(u)), b_.smallest_gap(second(u)));
  }

  State first(const State& u) const { return {u.q.head(a_.size()), u.v.head(a_.size()), u.t}; }
  State second(const State& u) const { return {u.q.tail(b_.size()), u.v.tail(b_.size()), u.t}; }
  static State joined(const State& a, const State& b) {
    State u{Vector(a.q.size() + b.q.size()), Vector(a.q.size() + b.q.size()), a.t};
    u.q << a.q, b.q;
    u.v << a.v, b.v;
    return u;
  }

 private:
  static void append(const SparseMatrix& A, Index at, std::vector<Eigen::Triplet<double>>& entries) {
    for (Index j = 0; j < A.cols(); ++j)
      for (SparseMatrix::InnerIterator it(A, j); it; ++it)
        entries.emplace_back(static_cast<int>(at + it.row()), static_cast<int>(at + it.col()), it.value());
  }
  Tower a_, b_;
  Tower::Part part_;
  MassMatrix M_;
  std::unique_ptr<Towers> smooth_, contact_;
  ContactPart* self_ = this;
};

/// What a step of a hybrid is to a driver: its own, or by Newton where it refuses.
class HybridDriver {
 public:
  HybridDriver(System& system, const std::string& method, State start, int modes)
      : system_(system), stepper_(find_method(method), {}, system, precise(modes)), history_(std::move(start)) {}
  const State& step(double h) {
    try {
      return push(stepper_.step(system_, history_, h));
    } catch (const StepFailure&) {
      ++escalations;
      return step_by_newton(h);
    }
  }
  const State& step_by_newton(double h) { return push(stepper_.step_by_newton(system_, history_, h)); }
  const State& now() const { return history_[0]; }
  void put(const State& u) { history_ = History(u); }
  const ModalSubspace& modes() const { return *stepper_.modes(); }
  int escalations = 0;

 private:
  const State& push(State u) {
    stepper_.accept(history_, std::move(u));
    return history_[0];
  }
  System& system_;
  Stepper stepper_;
  History history_;
};

State stretched(int n, double by) {
  State u = falling(n, 0);
  for (int i = 1; i < n; ++i) u.q[i] += by * i;
  u.v.setZero();
  return u;
}

class LeftOutOf : public ::testing::TestWithParam<Row> {};

/// Springs that buckle beside springs that vibrate: what buckles is left to the scheme, the other one keeps its modes.
TEST_P(LeftOutOf, ABodyThatGrowsLeavesTheOthersTheirModes) {
  constexpr double h = .1;
  const auto& method = GetParam().method;
  const TowerParts vibrates{.k = 30, .k3 = 20, .dashpot = 0, .drag = 0, .gravity = 0, .floor = -100};
  for (const double k : {-80., -5000.}) {  // the lowest λ of the one that buckles is −1.9/h², −120/h²
    const TowerParts grows{.k = k, .k3 = 9e3, .dashpot = 0, .drag = 0, .gravity = 0, .floor = -100};
    Towers both(grows, vibrates);
    Tower alone(vibrates), other(grows);
    const State a = stretched(3, 1e-4), b = stretched(3, .1);
    HybridDriver pair(both, method, Towers::joined(a, b), 2), one(alone, method, b, 2), base(other, method, a, 0);
    const State u = pair.step(h);
    const bool by_newton = pair.escalations > 0;
    const State v = by_newton ? one.step_by_newton(h) : one.step(h);
    const State w = by_newton ? base.step_by_newton(h) : base.step(h);
    EXPECT_LT((both.second(u).q - v.q).norm(), 1e-9) << k;
    EXPECT_LT((both.second(u).v - v.v).norm(), 1e-8) << k;
    EXPECT_GT((v.q - b.q).norm(), 1e-2);
    if (k == -80) {  // with the other k there are several minima
      EXPECT_LT((both.first(u).q - w.q).norm(), 1e-7);
    }
    EXPECT_EQ(pair.modes().basis().count(), 2);
    EXPECT_EQ(pair.modes().left_out_counts().steps, 1);
    EXPECT_EQ(pair.modes().left_out_counts().bodies, 1);
    EXPECT_EQ(one.modes().left_out_counts().steps, 0);
    // M + τ²K has no minimum; the first step of BDF2 is backward Euler.
    const bool none = k == -5000 || method == "SIERE" || method == "SBDF2ERE";
    EXPECT_EQ(by_newton, find_method(method).solution == StageSolution::linearized && none);
  }
}

/// A body that comes into a state in which it grows has its modes back afterwards.
TEST_P(LeftOutOf, ABodyThatHasGrownHasItsModesBack) {
  const auto& method = GetParam().method;
  constexpr double h = .02;
  const TowerParts vibrates{.k = 900, .k3 = 0, .dashpot = 0, .drag = 0, .gravity = 0, .floor = -100},
      snaps{.n = 2, .k = -6000, .k3 = 2e6, .dashpot = 12, .drag = 1, .gravity = 0, .floor = -100};
  Towers both(snaps, vibrates);
  Tower alone(vibrates);
  const State b = stretched(3, .1);
  HybridDriver pair(both, method, Towers::joined(stretched(2, .055), b), 5), one(alone, method, b, 3);
  const auto step = [&] {
    const int before = pair.escalations;
    const State u = pair.step(h), v = pair.escalations > before ? one.step_by_newton(h) : one.step(h);
    EXPECT_LT((both.second(u).q - v.q).norm(), 1e-7);
  };
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(pair.modes().basis().count(), 5);
  State between = stretched(2, 1e-4);  // its two lengths, λ = −4.2/h²
  between.t = pair.now().t;
  pair.put(Towers::joined(between, both.second(pair.now())));
  one.put(one.now());
  step();
  EXPECT_EQ(pair.modes().basis().count(), 3);
  for (int i = 0; i < 40; ++i) step();
  EXPECT_EQ(pair.modes().basis().count(), 5);
  EXPECT_GE(pair.modes().left_out_counts().steps, 1);
  EXPECT_LT(pair.modes().left_out_counts().steps, 20);
}

std::vector<Row> hybrid_rows() {
  std::vector<Row> rows;
  for (const auto& m : method_catalog())
    if (m.splitting != Splitting::none && !is_printed(m)) rows.push_back({m.name, {}});
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Hybrids, LeftOutOf, ::testing::ValuesIn(hybrid_rows()), row_name);

/// The same for modes that are damped strongly: of one tower they are left out, of the other they are not.
TEST(LeftOut, ABodyThatIsDampedStronglyLeavesTheOthersTheirModes) {
  const TowerParts damped{.k = 300, .k3 = 0, .dashpot = 300, .drag = 0, .gravity = 0, .floor = -100},
      vibrates{.k = 300, .k3 = 20, .dashpot = 0, .drag = 0, .gravity = 0, .floor = -100};
  for (const Row& row : hybrid_rows()) {
    Towers both(damped, vibrates);
    Tower alone(vibrates), other(damped);
    const State a = stretched(3, .1), b = stretched(3, .1);
    HybridDriver pair(both, row.method, Towers::joined(a, b), 6), one(alone, row.method, b, 3),
        base(other, row.method, a, 0);
    for (int i = 0; i < 10; ++i) {
      const State u = pair.step(.01), v = one.step(.01), w = base.step(.01);
      EXPECT_LT((both.second(u).q - v.q).norm(), 1e-9) << row.method;
      EXPECT_LT((both.first(u).q - w.q).norm(), 1e-9) << row.method;
      EXPECT_EQ(pair.modes().basis().count(), 3);
    }
    EXPECT_EQ(pair.escalations, 0) << row.method;
    EXPECT_EQ(pair.modes().left_out_counts().bodies, 10);
  }
}

/// The square root of the energy shrinks by this factor per step, around rest on a linear contact spring with
/// k h²/m = stiffness.
double decay(const std::string& method, double stiffness) {
  const double h = .01;
  Tower tower({.n = 1, .drag = 0, .gravity = 0, .spring = stiffness / (h * h)});
  Driver driver(tower, method, {Vector::Constant(1, 1), Vector::Constant(1, .3), 0}, 1);
  const auto size = [&] { return std::hypot(std::sqrt(stiffness) * driver.now().q[0], h * driver.now().v[0]); };
  for (int i = 0; i < 10; ++i) driver.step(h);
  const double first = size();
  if (first < 1e-12) return 0;
  constexpr int more = 60;
  for (int i = 0; i < more; ++i) driver.step(h);
  return std::pow(size() / first, 1.0 / more);
}

/// Of hybrids whose mode is the contact spring's motion.
TEST(ContactSpring, NoStiffnessIsAmplified) {
  for (const auto& m : method_catalog()) {
    if (m.splitting == Splitting::none || is_printed(m)) continue;
    for (const double stiffness : {.01, .1, 1.0, 10.0, 100.0, 1e4, 1e6})
      EXPECT_LT(decay(m.name, stiffness), 1.0 + 1e-6) << m.name << " k h^2/m = " << stiffness;
  }
}

TEST(ContactSpring, StiffOnesAreDampedAsTheSchemeSays) {
  for (const char* method : {"BEERE", "SIERE"}) EXPECT_NEAR(decay(method, 1e7), std::sqrt(.5), .02) << method;
  for (const char* method : {"TR-BDF2ERE", "STR-SBDF2ERE", "SDIRKERE", "SSDIRKERE", "BDF2ERE", "SBDF2ERE"})
    EXPECT_LT(decay(method, 1e7), .2) << method;
}

/// |v| after n steps of a sliding mass that friction grips and drag holds, relative to the first.
double sliding_left(const std::string& method, double grip, double drag, int n) {
  const double h = .01;
  Tower tower({.n = 1, .drag = drag / h, .gravity = 0, .floor = -100, .grip = grip / h});
  Driver driver(tower, method, {Vector::Zero(1), Vector::Ones(1), 0}, 1);
  for (int i = 0; i < n && std::abs(driver.now().v[0]) > 1e-30; ++i) driver.step(h);
  EXPECT_EQ(driver.escalations, 0) << method << " grip h/m = " << grip << ", drag h = " << drag;
  return std::abs(driver.now().v[0]);
}

/// Sticking friction is stiff in v, and so is strong damping: hybrids must bear both at once.
TEST(ContactFriction, StiffGripAndStiffDragDecay) {
  for (const auto& m : method_catalog()) {
    if (m.splitting == Splitting::none || is_printed(m)) continue;
    for (const double grip : {0.0, 1.0, 10.0, 100.0, 1e4})
      for (const double drag : {0.0, .1, 1.0, 10.0, 30.0}) {
        if (grip + drag == 0) continue;
        try {
          EXPECT_LT(sliding_left(m.name, grip, drag, 300), 1e-4)
              << m.name << " grip h/m = " << grip << ", drag h = " << drag;
        } catch (const StepFailure& e) {
          ADD_FAILURE() << m.name << " grip h/m = " << grip << ", drag h = " << drag << ": " << e.what();
        }
      }
  }
}

/// Dashpots that damp the tower's modes within a fraction of a step: what is left is the slow yielding of the springs,
/// which every method finds.
TEST(ContactDamping, StrongDashpotsAreNoHarm) {
  const auto after = [](const std::string& method) {
    Tower tower({.dashpot = 2000, .drag = 6});
    Driver driver(tower, method, falling(3, .1), 3);
    for (int i = 0; i < 300; ++i) {
      driver.step(.01);
      EXPECT_GT(tower.gap(driver.now().q), 0) << method;
    }
    return driver.now();
  };
  const State expected = after("BE");
  for (const auto& m : method_catalog()) {
    if (is_printed(m) || m.kind == MethodKind::explicit_) continue;
    try {
      const State u = after(m.name);
      EXPECT_LT((u.q - expected.q).norm(), 3e-3) << m.name;
      EXPECT_LT((u.v - expected.v).norm(), 3e-3) << m.name;
    } catch (const StepFailure& e) {
      ADD_FAILURE() << m.name << ": " << e.what();
    }
  }
}

template <class G>
Matrix minus_jacobian(const G& f, const Vector& x) {
  constexpr double h = 1e-4;
  Matrix J(f(x).size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const Vector e = h * Vector::Unit(x.size(), j);
    J.col(j) = -(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h);
  }
  return J;
}
Matrix whole(const System& s, const SparseMatrix& A) {
  return s.symmetric() ? Matrix(Matrix(A).selfadjointView<Eigen::Lower>()) : Matrix(A);
}

/// f = −∂W/∂q − ∂R/∂v, K = −∂f/∂q, D = −∂f/∂v.
void expect_consistent(System& s, const State& u) {
  Tangent T;
  const Vector f = s.linearize(u, Definiteness::exact, T);
  EXPECT_LT((f - s.force(u)).norm(), 1e-12 * (1 + f.norm()));
  const auto over_q = [&](const Vector& q) { return s.force({q, u.v, u.t}); };
  const auto over_v = [&](const Vector& v) { return s.force({u.q, v, u.t}); };
  const Matrix K = minus_jacobian(over_q, u.q), D = minus_jacobian(over_v, u.v);
  EXPECT_LT((whole(s, T.K) - K).norm(), 1e-7 * (1 + K.norm()));
  EXPECT_LT((whole(s, T.D) - D).norm(), 1e-7 * (1 + D.norm()));
  if (!s.potentials(u)) return;
  const auto W = [&](const Vector& q) { return Vector::Constant(1, s.potentials({q, u.v, u.t})->stored); };
  const auto R = [&](const Vector& v) { return Vector::Constant(1, s.potentials({u.q, v, u.t})->dissipated); };
  const Vector both = (minus_jacobian(W, u.q) + minus_jacobian(R, u.v)).transpose();
  EXPECT_LT((f - both).norm(), 1e-7 * (1 + f.norm()));
}

State near_floor() {
  State u = falling(3, .02);
  u.v << .3, -.7, .2;
  u.q += Vector{{0, .1, -.05}};
  return u;
}

TEST(LinearForce, IsTheLinearisationWithItsPotentials) {
  Tower tower({}, Tower::Part::smooth);
  const State at = near_floor();
  State u = at;
  u.q += Vector{{.1, -.2, .3}};
  u.v += Vector{{-1, .4, .2}};
  LinearForce linear(tower, at, std::nullopt, nullptr);
  EXPECT_LT((linear.force(at) - tower.force(at)).norm(), 1e-12);
  Tangent T;
  tower.tangent(at, Definiteness::exact, T);
  const Vector expected = tower.force(at) - whole(tower, T.K) * (u.q - at.q) - whole(tower, T.D) * (u.v - at.v);
  EXPECT_LT((linear.force(u) - expected).norm(), 1e-12 * (1 + expected.norm()));
  expect_consistent(linear, u);
}

TEST(LinearForce, TakesItsTangentWhereItIsTold) {
  Tower tower({}, Tower::Part::smooth);
  const State at = near_floor();
  State elsewhere = at;
  elsewhere.q += Vector{{.3, -.1, .2}};
  LinearForce linear(tower, at, elsewhere, nullptr);
  EXPECT_LT((linear.force(at) - tower.force(at)).norm(), 1e-12);
  Tangent T, expected;
  linear.linearize(at, Definiteness::exact, T);
  tower.tangent(elsewhere, Definiteness::exact, expected);
  EXPECT_LT((Matrix(T.K) - Matrix(expected.K)).norm(), 1e-12);
}

TEST(LinearForce, TakesOverWhatIsKnown) {
  Tower tower({}, Tower::Part::smooth);
  Linearization known{near_floor(), {}, {}};
  known.f = tower.linearize(known.at, Definiteness::exact, known.tangent);
  known.f[1] += 1;  // to be seen
  LinearForce linear(tower, known.at, std::nullopt, &known);
  EXPECT_EQ(linear.force(known.at), known.f);
}

TEST(LinearForce, AnswersSeveralThreads) {
  Tower tower({}, Tower::Part::smooth);
  const State at = near_floor();
  const auto state = [&](int k) {
    State u = at;
    u.q += .1 * k * Vector{{.1, -.2, .3}};
    u.v -= .2 * k * Vector{{-1, .4, .2}};
    return u;
  };
  std::vector<Vector> forces;
  std::vector<double> energies;
  for (int k = 0; k < 5; ++k) {
    const LinearForce alone(tower, at, std::nullopt, nullptr);
    forces.push_back(alone.force(state(k)));
    energies.push_back(alone.potentials(state(k))->stored);
  }
  EXPECT_NE(forces[0], forces[1]);
  const LinearForce shared(tower, at, std::nullopt, nullptr);
  on_several_threads([&](int thread) {
    for (int i = 0; i < 400; ++i) {
      const int k = (i * (thread + 1)) % 5;
      EXPECT_EQ(shared.force(state(k)), forces[static_cast<std::size_t>(k)]);
      EXPECT_EQ(shared.potentials(state(k))->stored, energies[static_cast<std::size_t>(k)]);
    }
  });
}

/// Forces without a potential have none when linearised either, and K and D need not be symmetric.
TEST(LinearForce, OfFriction) {
  Chain chain(rough_chain());
  const State at = chain.start();
  State u = at;
  u.q *= 1.3, u.v *= .7;
  LinearForce linear(chain, at, std::nullopt, nullptr);
  EXPECT_FALSE(linear.potentials(u).has_value());
  expect_consistent(linear, u);
}

TEST(LinearForce, RefusesWhatIsNotFinite) {
  Tower tower({}, Tower::Part::smooth);
  State bad = near_floor();
  bad.q[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(LinearForce(tower, bad, std::nullopt, nullptr), StepFailure);
}

TEST(WithContact, AddsContactWhereTheFrameHasMovedTo) {
  Tower tower({});
  const State w = near_floor();
  const Vector shift_q{{.015, -.3, .2}}, shift_v{{1, 2, 3}};
  WithContact shifted(tower, tower.contact()->smooth(), shift_q, shift_v);
  const State u{w.q + shift_q, w.v + shift_v, w.t};
  EXPECT_LT((shifted.force(w) - tower.contact()->smooth().force(w) - tower.contact()->forces().force(u)).norm(), 1e-12);
  EXPECT_GT((shifted.force(w) - tower.force(w)).norm(), 1);
  EXPECT_EQ(shifted.contact()->smallest_gap(w), tower.smallest_gap(u));
  const Vector down{{-1, 0, 0}};
  EXPECT_EQ(shifted.max_step(w.q, down, 0, 0), tower.max_step(u.q, down, 0, 0));
  expect_consistent(shifted, w);
}

TEST(WithContact, WithoutShiftsIsTheSystem) {
  Tower tower({});
  const State u = near_floor();
  WithContact same(tower, tower.contact()->smooth());
  EXPECT_LT((same.force(u) - tower.force(u)).norm(), 1e-12 * (1 + tower.force(u).norm()));
  EXPECT_NEAR(same.potentials(u)->stored, tower.potentials(u)->stored, 1e-10);
  EXPECT_NEAR(same.potentials(u)->dissipated, tower.potentials(u)->dissipated, 1e-10);
  expect_consistent(same, u);
  LinearForce linear(tower.contact()->smooth(), u, std::nullopt, nullptr);
  WithContact semi(tower, linear);
  State away = u;
  away.q += Vector{{.01, .2, -.1}};
  expect_consistent(semi, away);
}

/// Springs that push apart the more they are stretched: linearised, with a step this long, they lead on without end.
/// That is said soon, and the forces as they are, which harden, have a step.
TEST(LinearizedWithContact, AStageWithoutAMinimumFails) {
  for (const auto& [h, bounded] : {std::pair{.02, true}, {.2, false}}) {  // m/h² against k = −300
    Tower tower({.n = 3, .k = -300, .k3 = 3000, .drag = 0});
    const State start = falling(3, .02);
    Stepper stepper(find_method("SI"), {}, tower, precise(1));
    const History history(start);
    const auto step = [&] { return stepper.step(tower, history, h); };
    if (bounded) {
      EXPECT_GT(tower.gap(step().q), 0);
      continue;
    }
    try {
      step();
      FAIL() << "no failure";
    } catch (const StepFailure& f) {
      EXPECT_NE(f.reason.find("has no minimum"), std::string::npos) << f.reason;
    }
    EXPECT_LE(stepper.newton_iterations(), 15);
    EXPECT_GT(tower.gap(stepper.step_by_newton(tower, history, h).q), 0);
  }
}

/// Also where that was a step of backward Euler, whose solver the method itself does not use.
TEST(Stepper, WhatTouchedInAnEarlierStepCountsNoMore) {
  for (const char* method : {"SI", "TR-BDF2", "verlet", "SIERE"}) {
    Tower tower({.n = 3});
    const State rest = tower.rest();
    State high = rest;
    high.q.array() += 5;
    Stepper stepper(find_method(method), {}, tower, precise(1));
    stepper.step_by_backward_euler(tower, History(rest), .001);
    EXPECT_TRUE(stepper.touched()) << method;
    stepper.step(tower, History(high), .001);
    EXPECT_FALSE(stepper.touched()) << method;
  }
}

}  // namespace
}  // namespace limber::test
