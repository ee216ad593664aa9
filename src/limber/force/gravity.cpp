#include "limber/force/gravity.hpp"

namespace limber {

void Gravity::add_force(const State&, Vector& f) const {
  for (Index i = 0; i < masses_.size(); ++i) f.segment<3>(3 * i) += masses_[i] * g_;
}

std::optional<Potentials> Gravity::potentials(const State& u) const {
  double W = 0;
  for (Index i = 0; i < masses_.size(); ++i) W -= masses_[i] * g_.dot(u.q.segment<3>(3 * i));
  return Potentials{.stored = W};
}

}  // namespace limber
