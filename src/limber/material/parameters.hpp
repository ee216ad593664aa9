#pragma once
/// User-specified parameters of a material, and the Lamé constants  μ = E / (2(1+ν)),  λ = E ν / ((1+ν)(1−2ν)).

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace limber {

struct MaterialParameters {
  std::string model;
  double young = 0;                                       // E [Pa]
  double poisson = 0;                                     // ν
  std::map<std::string, double> own;                      // specific to the model, in SI units; only those given
  std::map<std::string, std::vector<double>> lists = {};  // the same for list parameters

  double mu() const { return young / (2 * (1 + poisson)); }
  double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
  double own_or(const std::string& name, double otherwise) const {
    const auto given = own.find(name);
    return given == own.end() ? otherwise : given->second;
  }
  bool has(const std::string& name) const { return own.contains(name) || lists.contains(name); }
};

/// The single definition of a material parameter, used by scenes, Python, listings and documentation.
struct MaterialParameter {
  const char* name;
  const char* unit;      // SI; "" for a plain number
  double low, high;      // open interval of admissible values
  const char* standard;  // default, in words; "": the parameter is required
  const char* meaning;
  int most = 1;  // maximum length of a list; 1: a single number
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// For a model whose own `constants` determine the shear modulus μ, which is otherwise E/(2(1+ν)): κ is `bulk` if
/// given, otherwise it follows from μ and ν.
double bulk_modulus(const MaterialParameters& p, double mu);
/// Sets E and ν to match μ and κ. Throws InputError if given values contradict them.
void complete_from_shear(MaterialParameters& p, double mu, const std::string& constants);

/// In the users' notation: "3", "[1, 2.5]".
std::string in_words(double value);
std::string in_words(const std::vector<double>& values);

}  // namespace limber
