#include "limber/analysis/oscillator.hpp"

namespace limber {

Oscillator::Oscillator(double omega, double damping) : k_(omega * omega), d_(damping) {
  SparseMatrix one(1, 1);
  one.insert(0, 0) = 1;
  one.makeCompressed();
  M_ = MassMatrix(one, Symmetry::symmetric);
}

Vector Oscillator::linearize(const State& u, Definiteness, Tangent& T) {
  T.K = mass();
  T.D = mass();
  T.K.valuePtr()[0] = k_;
  T.D.valuePtr()[0] = d_;
  return force(u);
}

}  // namespace limber
