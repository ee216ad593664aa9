#pragma once  // internal
/// Interface of iterations that find the lowest modes of K x = λ M x in addition to known ones, using (K − σM)⁻¹.

#include "limber/core/types.hpp"
#include "limber/linalg/modes_not_found.hpp"

namespace limber {

class ModeIteration {
 public:
  virtual ~ModeIteration() = default;
  /// Iterates until the orders of magnitude of the `count` lowest λ are known.
  virtual void look(Index count) = 0;
  /// Converges the `count` lowest modes and, less accurately, the next one; of repeated eigenvalues, all copies. Throws
  /// StepFailure if it does not converge.
  virtual void find(Index count) = 0;
  /// Ascending. After find(s) the first s are converged and the next is an estimate.
  virtual Vector lambda() const = 0;
  /// n × count: the first modes, M-orthonormal.
  virtual Matrix vectors(Index count) const = 0;
};

}  // namespace limber
