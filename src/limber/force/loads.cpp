#include "limber/force/loads.hpp"

namespace limber {

void NodalLoads::add_force(const State& u, Vector& f) const {
  const Vec3 F = share_ * force_(u.t);
  for (const int i : nodes_) f.segment<3>(3 * i) += F;
}

std::optional<Potentials> NodalLoads::potentials(const State& u) const {
  Vec3 sum = Vec3::Zero();
  for (const int i : nodes_) sum += u.q.segment<3>(3 * i);
  return Potentials{.stored = -share_ * force_(u.t).dot(sum)};
}

}  // namespace limber
