#pragma once  // internal
/// An iteration that finds the lowest modes of K x = λ M x beside those that are known, with (K − σM)⁻¹.

#include "limber/core/types.hpp"
#include "limber/linalg/modes_not_found.hpp"

namespace limber {

class ModeFinder {
 public:
  virtual ~ModeFinder() = default;
  /// Enough of it to see the order of magnitude of the `count` lowest λ.
  virtual void look(Index count) = 0;
  /// Converges the `count` lowest modes and, less, the one above them; of repeated eigenvalues, all copies. Throws
  /// StepFailure if it does not converge.
  virtual void find(Index count) = 0;
  /// Ascending: after find(s) the first s are converged and the next is an estimate.
  virtual Vector lambda() const = 0;
  /// n × count: the first ones, M-orthonormal.
  virtual Matrix vectors(Index count) const = 0;
};

}  // namespace limber
