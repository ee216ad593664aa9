#include "limber/force/rayleigh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "limber/force/require.hpp"
#include "limber/linalg/blocks.hpp"

namespace limber {

RayleighCoefficients rayleigh_from_ratios(const DampingRatio& first, const DampingRatio& second,
                                          const std::string& where) {
  for (const DampingRatio& r : {first, second}) {
    require_not_negative(r.ratio, where + ".ratio");
    if (!(r.frequency > 0) || !std::isfinite(r.frequency))
      throw InputError(where + ".frequency", fmt::format("{} Hz must be a finite number > 0", r.frequency));
  }
  if (first.frequency == second.frequency)
    throw InputError(where, fmt::format("both frequencies are {} Hz; they must differ", first.frequency));
  const double w1 = 2 * std::numbers::pi * first.frequency, w2 = 2 * std::numbers::pi * second.frequency;
  const double difference = (w2 - w1) * (w2 + w1);
  const double alpha = 2 * (second.ratio * w2 - first.ratio * w1) / difference;
  const double beta = 2 * w1 * w2 * (first.ratio * w2 - second.ratio * w1) / difference;
  const double rounding = 1e-14 * (first.ratio + second.ratio);
  if (alpha * std::max(w1, w2) < -rounding || beta < -rounding * std::min(w1, w2))
    throw InputError(where,
                     fmt::format("ratios {} at {} Hz and {} at {} Hz need a negative coefficient (stiffness {} s, "
                                 "mass {} 1/s); the ratios must be no further apart than the frequencies",
                                 first.ratio, first.frequency, second.ratio, second.frequency, alpha, beta));
  return {std::max(alpha, 0.0), std::max(beta, 0.0)};
}

RayleighDamping::RayleighDamping(std::unique_ptr<Force> elastic, std::vector<NodalMass> masses, Vector rest,
                                 RayleighCoefficients coefficients, RayleighAt at)
    : elastic_(std::move(elastic)),
      masses_(std::move(masses)),
      coefficients_(coefficients),
      at_(at),
      body_(couplings(), rest.size() / 3) {
  require_not_negative(coefficients.stiffness, "damping.stiffness");
  require_not_negative(coefficients.mass, "damping.mass");
  if (!elastic_->traits().symmetric || elastic_->traits().velocity_dependent)
    throw InputError("damping", "Rayleigh damping needs an elastic force with a potential and no damping of its own");
  if (uses(RayleighAt::corotated) && !dynamic_cast<const TurningStiffness*>(elastic_.get()))
    throw InputError("damping.at", "\"corotated\" needs an elastic force whose stiffness can turn");
  if (coefficients.stiffness > 0) body_.bind(*elastic_);
  if (uses(RayleighAt::current)) {
    for (const auto& [a, b] : body_.couplings())
      if (a != b) links_.push_back({a, b, (rest.segment<3>(3 * a) - rest.segment<3>(3 * b)).norm()});
  } else if (!uses(RayleighAt::corotated)) {
    fixed_ = std::make_shared<Damping>();
    at_state(rest, Definiteness::exact).swap(fixed_->on_body);
  }
  if (!(coefficients.stiffness > 0) || at == RayleighAt::rest) elastic_.reset();
}

std::vector<std::pair<int, int>> RayleighDamping::couplings() const {
  std::vector<std::pair<int, int>> pairs;
  if (coefficients_.stiffness > 0) elastic_->add_couplings(pairs);
  for (const NodalMass& m : masses_) pairs.emplace_back(m.a, m.b);
  return pairs;
}

ForceTraits RayleighDamping::traits() const {
  return {.velocity_dependent = true,
          .has_potential = !uses(RayleighAt::current),
          .time_dependent = uses(RayleighAt::corotated),
          .dissipates = uses(RayleighAt::current)};
}

void RayleighDamping::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  pairs.insert(pairs.end(), body_.couplings().begin(), body_.couplings().end());
}

SparseMatrix RayleighDamping::stiffness(const Vector& q, Definiteness definiteness) const {
  SparseMatrix A = body_.zero();
  if (coefficients_.stiffness == 0) return A;
  TangentBuilder T = body_.builder(definiteness, A);
  elastic_->add_tangent({q, Vector::Zero(q.size()), 0}, T);
  A.coeffs() *= coefficients_.stiffness;
  return A;
}

SparseMatrix RayleighDamping::at_state(const Vector& q, Definiteness definiteness) const {
  SparseMatrix A = stiffness(q, definiteness);
  body_.add_mass(masses_, coefficients_.mass, A);
  return A;
}

void RayleighDamping::set_turned(const State& start, double dt, Damping& D) const {
  SparseMatrix& A = D.on_body;
  body_.zero().swap(A);
  TangentBuilder T = body_.builder(Definiteness::exact, A);
  dynamic_cast<const TurningStiffness&>(*elastic_).add_turned_stiffness(start, dt, T);
  A.coeffs() *= coefficients_.stiffness;
  body_.add_mass(masses_, coefficients_.mass, A);
  D.on_bound = bound_.entries(A);
}

std::shared_ptr<const RayleighDamping::Damping> RayleighDamping::damping(const State& u) const {
  if (!uses(RayleighAt::corotated)) return fixed_;
  if (!start_) {
    auto now = std::make_shared<Damping>();
    set_turned(u, 0, *now);
    return now;
  }
  return turned_.at(u.t, [&](Damping& D) {
    const Index all = 3 * body_.all_nodes();
    State start{Vector(all), Vector(all), start_->t};  // of which only the body is read
    start.q.segment(body_.first(), body_.size()) = start_->q;
    start.v.segment(body_.first(), body_.size()) = start_->v;
    set_turned(start, u.t - start_->t, D);
  });
}

void RayleighDamping::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  bound_ = BoundBlocks(body_, pattern, free_index);
  if (fixed_) fixed_->on_bound = bound_.entries(fixed_->on_body);
  turned_.forget();
}

void RayleighDamping::begin_step(const State& u) {
  if (uses(RayleighAt::frozen)) {
    at_state(u.q, Definiteness::projected).swap(fixed_->on_body);
    fixed_->on_bound = bound_.entries(fixed_->on_body);
  }
  if (!uses(RayleighAt::corotated)) return;
  start_ = {u.q.segment(body_.first(), body_.size()), u.v.segment(body_.first(), body_.size()), u.t};
  turned_.forget();
}

void RayleighDamping::restore(const std::vector<double>&) {
  start_.reset();
  turned_.forget();
}

Vector RayleighDamping::resistance(const State& u) const {
  Vector f = Vector::Zero(u.v.size());
  add_force(u, f);
  return -f;
}

void RayleighDamping::add_force(const State& u, Vector& f) const {
  if (u.v.segment(body_.first(), body_.size()).isZero(0)) return;
  if (uses(RayleighAt::current)) return body_.subtract_product(at_state(u.q, Definiteness::projected), u.v, f);
  body_.subtract_product(damping(u)->on_body, u.v, f);
}

void RayleighDamping::add_matrix(const SparseMatrix& A, double scale, Into into, TangentBuilder& T) const {
  if (bound_.on(T.pattern()))
    return bound_.add(A, scale, into == Into::stiffness ? T.stiffness_values() : T.damping_values());
  const double* from = A.valuePtr();
  each_block(A, [&](int a, int b, int at, int stride) {
    const BlockPattern::Slot slot{at, stride};
    Mat3 block;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) block(r, c) = scale * from[slot.at(r, c)];
    if (into == Into::stiffness)
      T.add_stiffness(a + body_.first_node(), b + body_.first_node(), block);
    else
      T.add_damping(a + body_.first_node(), b + body_.first_node(), block);
  });
}

double RayleighDamping::difference_step(const Vector& v) const {
  // Differences of K lose 1e-16/strain to rounding and strain² to truncation: best near a strain of 1e-5.
  constexpr double strain = 1e-5;
  double rate = 0, speed = 0, size = 0;
  for (const Link& link : links_) {
    const double relative = (v.segment<3>(3 * link.a) - v.segment<3>(3 * link.b)).norm();
    if (link.length > 0) rate = std::max(rate, relative / link.length);
    speed = std::max(speed, v.segment<3>(3 * link.a).norm());
    size = std::max(size, link.length);
  }
  // A body that only translates keeps its K: no difference is needed, and none is well scaled.
  if (rate * size <= 1e-12 * speed) return 0;
  return strain / rate;
}

void RayleighDamping::add_current_tangent(const State& u, TangentBuilder& T) const {
  add_matrix(at_state(u.q, Definiteness::projected), 1, Into::damping, T);
  // ∂(K v)/∂q is symmetric, where K is that of W, but of either sign, so a projected tangent goes without it.
  const double step = T.projected() ? 0 : difference_step(u.v);
  if (step == 0) return;
  SparseMatrix difference = stiffness(u.q + step * u.v, Definiteness::projected);
  difference.coeffs() -= stiffness(u.q - step * u.v, Definiteness::projected).coeffs();
  add_matrix(difference, 1 / (2 * step), Into::stiffness, T);
}

void RayleighDamping::add_tangent(const State& u, TangentBuilder& T) const {
  if (uses(RayleighAt::current)) return add_current_tangent(u, T);
  const auto D = damping(u);
  if (!bound_.on(T.pattern())) return add_matrix(D->on_body, 1, Into::damping, T);
  bound_.add(D->on_bound, T.damping_values());
}

std::optional<Potentials> RayleighDamping::potentials(const State& u) const {
  if (uses(RayleighAt::current)) return std::nullopt;
  return Potentials{.dissipated = u.v.dot(resistance(u)) / 2};
}

double RayleighDamping::damping_power(const State& u) const { return u.v.dot(resistance(u)); }

}  // namespace limber
