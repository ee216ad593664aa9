#pragma once
/// Where all is: the positions of the bodies, and the time, which says where obstacles are.

#include "limber/core/types.hpp"

namespace limber {

struct Configuration {
  Vector q;      // 3N [m]
  double t = 0;  // [s]
};

/// One that is asked for.
struct ConfigurationAt {
  const Vector& q;
  double t;

  operator Configuration() const { return {q, t}; }
  friend bool operator==(const Configuration& known, const ConfigurationAt& asked) {
    return known.t == asked.t && known.q == asked.q;
  }
};

}  // namespace limber
