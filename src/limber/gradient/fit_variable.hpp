#pragma once
/// A number that is sought between two bounds.

#include <string>

namespace limber {

struct FitVariable {
  std::string name;
  double low = 0, high = 0;
  bool logarithmic = false;  // scaled by its logarithm; needs 0 < low
};

}  // namespace limber
