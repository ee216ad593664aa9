#pragma once
/// y = A x: all that GMRES needs of a matrix.

#include "limber/core/space.hpp"
#include "limber/core/types.hpp"

namespace limber {

class LinearMap {
 public:
  virtual ~LinearMap() = default;
  Index size() const { return size_; }
  const Space& space() const { return space_; }
  virtual void multiply(const double* x, double* y) const = 0;

 protected:
  explicit LinearMap(const Space& space, Index size = 0) : space_(space), size_(size) {}

  Space space_;
  Index size_;
};

}  // namespace limber
