#pragma once
/// What a user says of a material, and the Lamé constants  μ = E / (2(1+ν)),  λ = E ν / ((1+ν)(1−2ν)).

#include <optional>
#include <string>

namespace limber {

struct MaterialParameters {
  std::string model;
  double young = 0;                      // E [Pa]
  double poisson = 0;                    // ν
  std::optional<double> c10, c01, bulk;  // [Pa], mooney_rivlin only; from E and ν where absent

  double mu() const { return young / (2 * (1 + poisson)); }
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
};

}  // namespace limber
