#include "limber/force/rayleigh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/require.hpp"
#include "limber/linalg/blocks.hpp"

namespace limber {

namespace {

/// y −= A x on the nodes from `first` on. A is symmetric and whole, so that a column serves as a row: each entry of y
/// is one sum, whatever the number of threads.
void subtract_product(const SparseMatrix& A, Index first, const Vector& x, Vector& y) {
  constexpr Index chunk = 1024;
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  const double *value = A.valuePtr(), *x0 = x.data() + first;
  parallel_for((A.cols() + chunk - 1) / chunk, [&](Index piece) {
    for (Index j = piece * chunk; j < std::min((piece + 1) * chunk, A.cols()); ++j) {
      double sum = 0;
      for (int p = start[j]; p < start[j + 1]; ++p) sum += value[p] * x0[row[p]];
      y[first + j] -= sum;
    }
  });
}

}  // namespace

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
      rest_(std::move(rest)),
      coefficients_(coefficients),
      at_(at) {
  require_not_negative(coefficients.stiffness, "damping.stiffness");
  require_not_negative(coefficients.mass, "damping.mass");
  if (!elastic_->traits().symmetric || elastic_->traits().velocity_dependent)
    throw InputError("damping", "Rayleigh damping needs an elastic force with a potential and no damping of its own");
  if (uses(RayleighAt::corotated) && !dynamic_cast<const TurningStiffness*>(elastic_.get()))
    throw InputError("damping.at", "\"corotated\" needs an elastic force whose stiffness can turn");
  find_body();
  if (coefficients.stiffness > 0) elastic_->bind(body_pattern_, body_index_);
  if (uses(RayleighAt::current))
    work_ = other_side_ = body_pattern_.zero();
  else
    set_damping(rest_, Definiteness::exact);
  if (!(coefficients.stiffness > 0) || at == RayleighAt::rest) elastic_.reset();
}

void RayleighDamping::find_body() {
  if (coefficients_.stiffness > 0) elastic_->add_couplings(couplings_);
  for (const NodalMass& m : masses_) couplings_.emplace_back(m.a, m.b);
  for (auto& [a, b] : couplings_)
    if (a > b) std::swap(a, b);
  std::sort(couplings_.begin(), couplings_.end());
  couplings_.erase(std::unique(couplings_.begin(), couplings_.end()), couplings_.end());

  first_node_ = couplings_.empty() ? 0 : std::numeric_limits<int>::max();
  int end = 0;
  for (const auto& [a, b] : couplings_) {
    first_node_ = std::min(first_node_, a);
    end = std::max(end, b + 1);
  }
  eigen_assert(3 * static_cast<Index>(end) <= rest_.size());
  body_index_.assign(static_cast<std::size_t>(rest_.size() / 3), -1);
  for (int i = first_node_; i < end; ++i) body_index_[ix(i)] = i - first_node_;
  auto pairs = couplings_;
  for (auto& [a, b] : pairs) {
    if (a != b) links_.push_back({a, b, (rest_.segment<3>(3 * a) - rest_.segment<3>(3 * b)).norm()});
    a -= first_node_;
    b -= first_node_;
  }
  body_pattern_ = BlockPattern(end - first_node_, pairs, Storage::full);
}

ForceTraits RayleighDamping::traits() const {
  return {.velocity_dependent = true,
          .has_potential = !uses(RayleighAt::current),
          .time_dependent = uses(RayleighAt::corotated),
          .dissipates = uses(RayleighAt::current)};
}

void RayleighDamping::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  pairs.insert(pairs.end(), couplings_.begin(), couplings_.end());
}

void RayleighDamping::assemble_stiffness(const Vector& q, double scale, Definiteness definiteness,
                                         SparseMatrix& A) const {
  std::fill_n(A.valuePtr(), A.nonZeros(), 0.0);
  if (scale == 0) return;
  TangentBuilder T(body_pattern_, body_index_, definiteness, A.valuePtr(), nullptr);
  elastic_->add_tangent({q, Vector::Zero(q.size()), 0}, T);
  A.coeffs() *= scale;
}

void RayleighDamping::add_mass(SparseMatrix& A) const {
  const auto add = [&](int a, int b, double m) {
    const auto slot = body_pattern_.slot(a, b);
    for (int c = 0; c < 3; ++c) A.valuePtr()[slot.at(c, c)] += coefficients_.mass * m;
  };
  for (const NodalMass& m : masses_) {
    const int a = m.a - first_node_, b = m.b - first_node_;
    add(a, b, m.m);
    if (a != b) add(b, a, m.m);
  }
}

void RayleighDamping::set_damping(const Vector& q, Definiteness definiteness) {
  if (damping_.nonZeros() == 0) damping_ = body_pattern_.zero();
  assemble_stiffness(q, coefficients_.stiffness, definiteness, damping_);
  add_mass(damping_);
  copy_to_bound();
}

void RayleighDamping::set_turned_damping(const State& u) const {
  std::fill_n(damping_.valuePtr(), damping_.nonZeros(), 0.0);
  TangentBuilder T(body_pattern_, body_index_, Definiteness::exact, damping_.valuePtr(), nullptr);
  const auto& stiffness = dynamic_cast<const TurningStiffness&>(*elastic_);
  if (since_) {
    State start{Vector(rest_.size()), Vector(rest_.size()), *since_};  // of which only the body is read
    start.q.segment(3 * first_node_, start_q_.size()) = start_q_;
    start.v.segment(3 * first_node_, start_v_.size()) = start_v_;
    stiffness.add_turned_stiffness(start, u.t - *since_, T);
  } else {
    stiffness.add_turned_stiffness(u, 0, T);
  }
  damping_.coeffs() *= coefficients_.stiffness;
  add_mass(damping_);
  copy_to_bound();
}

const SparseMatrix& RayleighDamping::damping(const State& u) const {
  if (!uses(RayleighAt::corotated) || (since_ && turned_at_ == u.t)) return damping_;
  set_turned_damping(u);
  turned_at_ = u.t;
  return damping_;
}

void RayleighDamping::copy_to_bound() const {
  for (const BlockCopy& copy : copies_)
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r)
        bound_values_[copy.to.at(r, c) - first_value_] = damping_.valuePtr()[copy.from.at(r, c)];
}

void RayleighDamping::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  bound_ = &pattern;
  copies_.clear();
  Index first = std::numeric_limits<Index>::max(), end = 0;
  const SparseMatrix& A = uses(RayleighAt::current) ? work_ : damping_;
  each_block(A, [&](int a, int b, int at, int stride) {
    const BlockPattern::Slot from{at, stride};
    const int fa = free_index[ix(a + first_node_)], fb = free_index[ix(b + first_node_)];
    if (fa < 0 || fb < 0 || (pattern.storage() == Storage::lower && fa < fb)) return;
    const auto to = pattern.slot(fa, fb);
    eigen_assert(to.first >= 0);
    copies_.push_back({from, to});
    first = std::min<Index>(first, to.first);
    end = std::max<Index>(end, to.at(2, 2) + 1);
  });
  if (uses(RayleighAt::current)) return;
  first_value_ = copies_.empty() ? 0 : first;
  bound_values_ = Vector::Zero(end - first_value_);
  copy_to_bound();
}

void RayleighDamping::begin_step(const State& u) {
  if (uses(RayleighAt::frozen)) set_damping(u.q, Definiteness::projected);
  if (!uses(RayleighAt::corotated)) return;
  const Index first = 3 * first_node_, size = 3 * body_pattern_.nodes();
  start_q_ = u.q.segment(first, size);
  start_v_ = u.v.segment(first, size);
  since_ = u.t;
  turned_at_.reset();
}

void RayleighDamping::restore(const std::vector<double>&) {
  since_.reset();
  turned_at_.reset();
}

Vector RayleighDamping::resistance(const State& u) const {
  Vector f = Vector::Zero(u.v.size());
  add_force(u, f);
  return -f;
}

void RayleighDamping::add_force(const State& u, Vector& f) const {
  const Index first = 3 * first_node_;
  if (u.v.segment(first, 3 * body_pattern_.nodes()).isZero(0)) return;
  if (!uses(RayleighAt::current)) return subtract_product(damping(u), first, u.v, f);
  assemble_stiffness(u.q, coefficients_.stiffness, Definiteness::projected, work_);
  add_mass(work_);
  subtract_product(work_, first, u.v, f);
}

void RayleighDamping::add_matrix(const SparseMatrix& A, double scale, Into into, TangentBuilder& T) const {
  const double* from = A.valuePtr();
  if (&T.pattern() == bound_) {
    double* to = into == Into::stiffness ? T.stiffness_values() : T.damping_values();
    for (const BlockCopy& copy : copies_)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) to[copy.to.at(r, c)] += scale * from[copy.from.at(r, c)];
    return;
  }
  each_block(A, [&](int a, int b, int at, int stride) {
    const BlockPattern::Slot slot{at, stride};
    Mat3 block;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) block(r, c) = scale * from[slot.at(r, c)];
    if (into == Into::stiffness)
      T.add_stiffness(a + first_node_, b + first_node_, block);
    else
      T.add_damping(a + first_node_, b + first_node_, block);
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
  const double alpha = coefficients_.stiffness;
  assemble_stiffness(u.q, alpha, Definiteness::projected, work_);
  add_mass(work_);
  add_matrix(work_, 1, Into::damping, T);
  // ∂(K v)/∂q is symmetric, where K is that of W, but of either sign, so a projected tangent goes without it.
  const double step = T.projected() ? 0 : difference_step(u.v);
  if (step == 0) return;
  assemble_stiffness(u.q + step * u.v, alpha, Definiteness::projected, work_);
  assemble_stiffness(u.q - step * u.v, alpha, Definiteness::projected, other_side_);
  work_.coeffs() -= other_side_.coeffs();
  add_matrix(work_, 1 / (2 * step), Into::stiffness, T);
}

void RayleighDamping::add_tangent(const State& u, TangentBuilder& T) const {
  if (uses(RayleighAt::current)) return add_current_tangent(u, T);
  const SparseMatrix& D = damping(u);
  if (&T.pattern() != bound_) return add_matrix(D, 1, Into::damping, T);
  Vector::Map(T.damping_values() + first_value_, bound_values_.size()) += bound_values_;
}

std::optional<Potentials> RayleighDamping::potentials(const State& u) const {
  if (uses(RayleighAt::current)) return std::nullopt;
  return Potentials{.dissipated = u.v.dot(resistance(u)) / 2};
}

double RayleighDamping::damping_power(const State& u) const { return u.v.dot(resistance(u)); }

}  // namespace limber
