#include "limber/model/force.hpp"

namespace limber {

void TangentBuilder::add(const BlockPattern& pattern, double* values, int a, int b, const Mat3& block) {
  const int fa = free_index_[static_cast<std::size_t>(a)], fb = free_index_[static_cast<std::size_t>(b)];
  if (fa >= 0 && fb >= 0) pattern.add(fa, fb, block, values);
}

void TangentBuilder::count_free(std::span<int> nodes) const {
  for (int& node : nodes)
    if (node >= 0) node = free_index_[static_cast<std::size_t>(node)];
}

double* TangentBuilder::unsymmetric_values() {
  if (unsymmetric_.matrix->size() == 0) *unsymmetric_.matrix = unsymmetric_.pattern->zero();
  return unsymmetric_.matrix->valuePtr();
}

double Force::driving_work(const Travel& step, const State& u) const { return beyond_work_at(step, step.b.q, u.t); }

double Force::beyond_work_at(const Travel& step, const Vector& q, double t) const {
  const auto stored = [this](const Vector& x, const State& u, double time) {
    return potentials({x, u.v, time})->stored;
  };
  const auto &a = step.a, &b = step.b;
  return stored(b.q, b, b.t) - stored(a.q, a, a.t) - (stored(q, b, t) - stored(a.q, a, t));
}

}  // namespace limber
