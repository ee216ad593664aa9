#include "limber/force/bowl.hpp"

namespace limber {

void Bowl::add_force(const State& u, Vector& f) const {
  for (Index i = 0; i < u.q.size(); i += 3) {
    const Vec3 x = u.q.segment<3>(i);
    f.segment<3>(i) -= k_ * x.squaredNorm() * x;
  }
}

void Bowl::add_tangent(const State& u, TangentBuilder& T) const {
  for (int i = 0; i < static_cast<int>(u.q.size()) / 3; ++i) {
    const Vec3 x = u.q.segment<3>(3 * i);
    T.add_stiffness(i, i, k_ * (x.squaredNorm() * Mat3::Identity() + 2 * x * x.transpose()));
  }
}

std::optional<Potentials> Bowl::potentials(const State& u) const {
  double sum = 0;
  for (Index i = 0; i < u.q.size(); i += 3) {
    const double square = u.q.segment<3>(i).squaredNorm();
    sum += square * square;
  }
  return Potentials{.stored = k_ / 4 * sum, .dissipated = 0};
}

}  // namespace limber
