#include "limber/analysis/oscillator.hpp"

namespace limber {

Oscillator::Oscillator(double omega, double damping) : k_(omega * omega), d_(damping), M_(1, 1) {
  M_.insert(0, 0) = 1;
  M_.makeCompressed();
}

void Oscillator::tangent(const State&, Definiteness, Tangent& T) const {
  T.K = M_;
  T.D = M_;
  T.K.valuePtr()[0] = k_;
  T.D.valuePtr()[0] = d_;
}

}  // namespace limber
