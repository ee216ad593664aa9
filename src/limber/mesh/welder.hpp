#pragma once  // internal
/// Assigns one number to equal points.

#include <array>
#include <map>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

class Welder {
 public:
  int operator()(const Vec3& x, std::vector<Vec3>& nodes) {
    const auto [at, is_new] = number_.try_emplace({x[0] + 0.0, x[1] + 0.0, x[2] + 0.0}, static_cast<int>(nodes.size()));
    if (is_new) nodes.push_back(x);
    return at->second;
  }

 private:
  std::map<std::array<double, 3>, int> number_;  // + 0.0: −0 and 0 are the same
};

}  // namespace limber
