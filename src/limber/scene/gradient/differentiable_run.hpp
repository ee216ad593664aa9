#pragma once
/// A scene's motion as a function of some of its numbers, with its derivatives.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/gradient/motion_gradient.hpp"
#include "limber/scene/gradient/run_parameters.hpp"

namespace limber {

/// Of all nodes, 3N each; empty: zero.
struct FullAdjoint {
  Vector q, v;
};

class DifferentiableRun {
 public:
  /// `base`: the folder in which mesh files are looked for. Throws InputError for a parameter that does not exist or by
  /// which the motion cannot be differentiated.
  DifferentiableRun(const Document& document, const std::string& base, const std::vector<std::string>& parameters,
                    const FileAccess& access = {});
  ~DifferentiableRun();

  const Model& model() const { return model_; }
  const Scene& scene() const { return scene_; }
  long steps() const;
  const std::vector<RunParameter>& parameters() const { return parameters_.list(); }

  /// Called with each full state, the start first.
  using Visit = std::function<void(long step, const State& full)>;
  void run(const Visit& visit);
  /// After run: the derivatives of Σ of_state(k) · state k by all parameters, as lists like their values.
  std::vector<std::vector<double>> gradient(const std::function<FullAdjoint(long step)>& of_state);
  /// Runs together with the changes of each full state: a column for each component of all parameters.
  using VisitChange = std::function<void(long step, const State& full, const Matrix& dq, const Matrix& dv)>;
  void forwards(const VisitChange& visit);

 private:
  void restart();
  std::vector<std::vector<double>> backwards(const std::function<FullAdjoint(long step)>& of_state);
  std::vector<std::vector<double>> by_forwards(const std::function<FullAdjoint(long step)>& of_state);
  StateAdjoint restricted(const FullAdjoint& full) const;

  Scene scene_;
  Model model_;
  RunParameters parameters_;
  std::optional<Simulation> simulation_;
  std::optional<MotionGradient> motion_;
};

}  // namespace limber
