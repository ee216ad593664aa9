#pragma once
/// Masses of nodes, as lumped or consistent elements give them.

#include <vector>

namespace limber {

/// Mass m [kg] that couples nodes a and b (a = b: on the diagonal), as m·I₃. Off-diagonal pairs are given once.
struct NodalMass {
  int a, b;
  double m;
};

struct NodalMasses {
  std::vector<NodalMass> list;
  bool coupled = false;  // some off-diagonal pair on any process
};

}  // namespace limber
