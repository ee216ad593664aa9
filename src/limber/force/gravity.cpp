#include "limber/force/gravity.hpp"

namespace limber {

void Gravity::add_force(const State&, Vector& f) const {
  const Vec3 g = share_ * g_;
  for (Index i = 0; i < masses_.size(); ++i) f.segment<3>(3 * i) += masses_[i] * g;
}

std::optional<Potentials> Gravity::potentials(const State& u) const {
  const Vec3 g = share_ * g_;
  double W = 0;
  for (Index i = 0; i < masses_.size(); ++i) W -= masses_[i] * g.dot(u.q.segment<3>(3 * i));
  return Potentials{.stored = W};
}

}  // namespace limber
