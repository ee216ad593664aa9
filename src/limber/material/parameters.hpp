#pragma once
/// What a user says of a material, and the Lamé constants  μ = E / (2(1+ν)),  λ = E ν / ((1+ν)(1−2ν)).

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace limber {

struct MaterialParameters {
  std::string model;
  double young = 0;                                       // E [Pa]
  double poisson = 0;                                     // ν
  std::map<std::string, double> own;                      // of the model alone, in SI units: those given
  std::map<std::string, std::vector<double>> lists = {};  // the same, of those that are lists

  double mu() const { return young / (2 * (1 + poisson)); }
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  double own_or(const std::string& name, double otherwise) const {
    const auto given = own.find(name);
    return given == own.end() ? otherwise : given->second;
  }
  bool has(const std::string& name) const { return own.contains(name) || lists.contains(name); }
};

/// A number that a material takes: its one definition, for scenes, Python, listings and documents.
struct MaterialParameter {
  const char* name;
  const char* unit;      // SI; "" for a plain number
  double low, high;      // between which it lies, the ends excluded
  const char* standard;  // what it is where it is not given, in words; "": it must be given
  const char* meaning;
  int most = 1;  // so many numbers at most, as a list; 1: one number
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// For a model whose own `constants` say the shear modulus μ, which is E/(2(1+ν)) where they are not given: κ is
/// `bulk`, or that of μ and ν.
double bulk_modulus(const MaterialParameters& p, double mu);
/// Sets E and ν to those of μ and κ. Throws InputError where what is given says something else.
void complete_from_shear(MaterialParameters& p, double mu, const std::string& constants);

/// As users write them: "3", "[1, 2.5]".
std::string in_words(double value);
std::string in_words(const std::vector<double>& values);

}  // namespace limber
