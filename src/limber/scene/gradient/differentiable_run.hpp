#pragma once
/// A scene's motion as a function of some of its numbers, with its derivatives.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/gradient/motion_gradient.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

class ModelVariation;

/// A parameter of a run, by its path: a path of the scene, or "initial.positions" or "initial.velocities", N × 3.
struct RunParameter {
  std::string name;
  std::vector<double> values;  // in SI units; of initial states 3N
  bool is_list = false;
};

/// Derivatives by the state of all nodes, and by the accelerations of prescribed ones; 3N each, empty: zero.
struct FullAdjoint {
  Vector q, v, a = {};
};

/// What a document has no keys for; empty: as the scene says.
struct OtherValues {
  Vector positions, velocities;                       // full ones to begin with, 3N each
  std::map<int, std::vector<double>> element_moduli;  // [Pa] of the elements of bodies
};

/// A list for each parameter, like its values.
using ParameterLists = std::vector<std::vector<double>>;

class DifferentiableRun {
 public:
  /// `base`: the folder in which mesh files are looked for. Throws InputError for a parameter that does not exist or by
  /// which the motion cannot be differentiated.
  DifferentiableRun(const Document& document, const std::string& base, const std::vector<std::string>& parameters,
                    const FileAccess& access = {}, const OtherValues& other = {});
  ~DifferentiableRun();

  const Model& model() const { return model_; }
  MechanicalSystem& system() { return *model_.system; }
  const Scene& scene() const { return scene_; }
  long steps() const;
  const std::vector<RunParameter>& parameters() const { return parameters_; }

  /// Called with each full state, the start first.
  using Visit = std::function<void(long step, const State& full)>;
  void run(const Visit& visit) { run(steps(), visit); }
  void run(long steps, const Visit& visit);
  /// After run: the derivatives of Σ of_state(k) · state k by all parameters.
  ParameterLists gradient(const std::function<FullAdjoint(long step)>& of_state);
  /// Runs together with the changes of each full state: a column for each component of all parameters.
  using VisitChange = std::function<void(long step, const State& full, const Matrix& dq, const Matrix& dv)>;
  void forwards(const VisitChange& visit) { forwards(steps(), visit); }

  ParameterLists zeros() const;
  /// to += factor ∂/∂θ of a quantity at a fixed full state.
  void add_changes(const SystemQuantity& quantity, double factor, ParameterLists& to);
  /// to += (∂g/∂θ)ᵀ w
  void add_powers(const CallEquation& equation, const Vector& w, ParameterLists& to);

 private:
  enum class Kind { variation, start_positions, start_velocities };

  void use(const OtherValues& other, const std::vector<std::string>& parameters);
  void restart();
  Index components() const;
  ParameterLists backwards(const std::function<FullAdjoint(long step)>& of_state);
  ParameterLists by_forwards(const std::function<FullAdjoint(long step)>& of_state);
  void forwards(long steps, const VisitChange& visit);
  void add_to_variations(const std::function<Vector(SystemVariation&)>& of, ParameterLists& to);
  StateAdjoint restricted(const FullAdjoint& full) const;

  Scene scene_;
  Model model_;
  std::vector<RunParameter> parameters_;
  std::vector<Kind> kinds_;
  std::vector<std::unique_ptr<SystemVariation>> variations_;
  std::vector<ModelVariation*> moves_;  // of each parameter: if prescribed nodes may depend on it, else null
  std::optional<Simulation> simulation_;
  std::optional<MotionGradient> motion_;
  long taken_ = 0;  // steps of the last run
};

}  // namespace limber
