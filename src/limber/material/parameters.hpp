#pragma once
/// What a user says of a material, and the Lamé constants  μ = E / (2(1+ν)),  λ = E ν / ((1+ν)(1−2ν)).

#include <limits>
#include <map>
#include <string>

namespace limber {

struct MaterialParameters {
  std::string model;
  double young = 0;                   // E [Pa]
  double poisson = 0;                 // ν
  std::map<std::string, double> own;  // of the model alone, in SI units: those given

  double mu() const { return young / (2 * (1 + poisson)); }
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  double own_or(const std::string& name, double otherwise) const {
    const auto given = own.find(name);
    return given == own.end() ? otherwise : given->second;
  }
};

/// A number that a material takes: its one definition, for scenes, Python, listings and documents.
struct MaterialParameter {
  const char* name;
  const char* unit;      // SI; "" for a plain number
  double low, high;      // between which it lies, the ends excluded
  const char* standard;  // what it is where it is not given, in words; "": it must be given
  const char* meaning;
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace limber
