#pragma once
/// A scene's equilibrium under the loads of the start as a function of some of its numbers, with its derivatives.

#include <string>
#include <vector>

#include "limber/gradient/equilibrium_derivative.hpp"
#include "limber/scene/gradient/run_parameters.hpp"

namespace limber {

class DifferentiableEquilibrium {
 public:
  /// `base`: the folder in which mesh files are looked for. Throws InputError for a parameter that does not exist or by
  /// which there is no derivative.
  DifferentiableEquilibrium(const Document& document, const std::string& base,
                            const std::vector<std::string>& parameters, const FileAccess& access = {},
                            const OtherValues& other = {});

  const Model& model() const { return model_; }
  const std::vector<RunParameter>& parameters() const { return parameters_.list(); }

  /// The positions of all nodes, 3N [m]. Throws StepFailure if no equilibrium is found.
  const Vector& solve(const StaticsWatch& watch = {});
  const StaticsReport& report() const { return report_; }
  /// After solve: the derivatives of by_positions · x by all parameters, as lists like their values. Throws StepFailure
  /// where the stiffness is singular.
  std::vector<std::vector<double>> gradient(const Vector& by_positions);
  /// After solve: ∂x/∂p, 3N, a column for each component of all parameters. Throws as gradient, and InputError for
  /// parameters with a component for each node.
  Matrix changes();

 private:
  EquilibriumDerivative derivative();

  Scene scene_;
  Model model_;
  RunParameters parameters_;
  StaticsReport report_;
  State at_;         // the unknowns
  Vector position_;  // of all nodes
};

}  // namespace limber
