#pragma once
/// The parameters by which a motion or an equilibrium of a scene is differentiated, by their paths.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

/// A parameter of a run, by its path: a path of the scene, or "initial.positions" or "initial.velocities", N × 3.
struct RunParameter {
  std::string name;
  std::vector<double> values;  // in SI units; of initial states 3N
  bool is_list = false;
  bool by_nodes = false;  // N × 3
};

/// A list for each parameter, like its values.
using ParameterLists = std::vector<std::vector<double>>;

/// What a document has no keys for; empty: as the scene says.
struct OtherValues {
  Vector positions, velocities;                       // full ones to begin with, 3N each
  std::map<int, std::vector<double>> element_moduli;  // [Pa] of the elements of bodies
};
/// The model of a scene with them.
Model model_with(const OtherValues& other, const Scene& scene);

/// The scene as a gradient needs it: that of equations solved to rounding.
Scene with_accurate_solutions(Scene scene);

class RunParameters {
 public:
  enum class Of { motion, equilibrium };
  /// Of a model of a document's scene, which both live as long as this. `base`: the folder in which mesh files are
  /// looked for; `other`: what the model was given. Throws InputError for a parameter that does not exist or by which
  /// there is no derivative.
  RunParameters(const Document& document, const std::string& base, const std::vector<std::string>& names,
                const FileAccess& access, const Scene& scene, Model& model, Of of, const OtherValues& other = {});

  const std::vector<RunParameter>& list() const { return list_; }
  /// Of all parameters.
  Index components() const;
  /// A gradient of zeros.
  ParameterLists zero() const;
  /// A vector over all components as lists like the parameters' values.
  ParameterLists split(const Vector& all) const;

  /// Null for initial states.
  SystemVariation* variation(std::size_t p) const { return variations_[p].get(); }
  /// Those that there are, in order.
  std::vector<SystemVariation*> variations() const;
  /// Whether prescribed nodes may depend on a parameter.
  bool move() const;

 private:
  std::vector<RunParameter> list_;
  std::vector<std::unique_ptr<SystemVariation>> variations_;
};

inline constexpr const char *initial_positions = "initial.positions", *initial_velocities = "initial.velocities";

}  // namespace limber
