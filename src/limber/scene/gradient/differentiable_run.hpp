#pragma once
/// A scene's motion as a function of some of its numbers, with its derivatives.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/gradient/motion_gradient.hpp"
#include "limber/scene/gradient/run_parameters.hpp"

namespace limber {

/// Derivatives by the state of all nodes, and by the accelerations of prescribed ones; 3N each, empty: zero.
struct FullAdjoint {
  Vector q, v, a = {};
};

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
  const std::vector<RunParameter>& parameters() const { return parameters_.list(); }

  /// Called with each full state, the start first.
  using Visit = std::function<void(long step, const State& full)>;
  void run(const Visit& visit) { run(steps(), visit); }
  void run(long steps, const Visit& visit);
  /// After run: the derivatives of Σ of_state(k) · state k by all parameters.
  ParameterLists gradient(const std::function<FullAdjoint(long step)>& of_state);
  /// Of the last gradient backwards.
  GradientEffort effort() const { return motion_->effort(); }
  /// Runs together with the changes of each full state: a column for each component of all parameters.
  using VisitChange = std::function<void(long step, const State& full, const Matrix& dq, const Matrix& dv)>;
  void forwards(const VisitChange& visit) { forwards(steps(), visit); }

  ParameterLists zeros() const { return parameters_.zero(); }
  /// to += factor ∂/∂θ of a quantity at a fixed full state.
  void add_changes(const SystemQuantity& quantity, double factor, ParameterLists& to);
  /// to += (∂g/∂θ)ᵀ w
  void add_powers(const CallEquation& equation, const Vector& w, ParameterLists& to);

 private:
  void restart();
  ParameterLists backwards(const std::function<FullAdjoint(long step)>& of_state);
  ParameterLists by_forwards(const std::function<FullAdjoint(long step)>& of_state);
  void forwards(long steps, const VisitChange& visit);
  void add_to_variations(const std::function<Vector(SystemVariation&)>& of, ParameterLists& to);
  StateAdjoint restricted(const FullAdjoint& full) const;

  Scene scene_;
  Model model_;
  RunParameters parameters_;
  std::optional<Simulation> simulation_;
  std::optional<MotionGradient> motion_;
  long taken_ = 0;  // steps of the last run
};

}  // namespace limber
