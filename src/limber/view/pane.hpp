#pragma once  // internal
/// One simulation that a viewer shows: a scene with its method, which can be pulled at, and steps as `limber run` does.

#include <memory>
#include <optional>

#include "limber/force/pull.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/run/checkpoint_plan.hpp"
#include "limber/view/run_energies.hpp"

namespace limber {

/// The end of a step: what energy.csv says of it, but for collisions.
struct StepRow {
  double time = 0;  // [s]
  Energies energies = {};
  // [J] since the start, also where that was before a fork
  double damping_loss = 0, friction_loss = 0, put_in = 0, put_in_doubt = 0;
  StepRecord record = {};  // without its texts
  double wall_ms = 0;

  EnergySample sample() const;
};

/// A force at a point, for pictures.
struct Arrow {
  Vec3 point, force;  // [m], [N]
};

class Pane {
 public:
  /// What is only shown, as a recorded run is, has no model: nothing is built, and no mesh file is read.
  enum class Use { simulate, show };
  /// `document`: a scene whose files have absolute paths, and are opened through `access`. `start`: the full state to
  /// begin at, in place of the scene's own. Throws InputError.
  explicit Pane(const Document& document, const FileAccess& access = {}, Use use = Use::simulate,
                const std::optional<State>& start = std::nullopt);

  /// Throws StepFailure; the state is then unchanged.
  void step();
  /// Holds what is around the point as it is then, until another point is pulled or release().
  void pull(const BodyPoint& point, const Vec3& to);
  void release();
  /// The numbers of the scene that can be changed while the motion goes on with all that it has learnt; nothing where
  /// some of the changes are of something else. Throws InputError for a value that the scene could not have.
  /// `changes`: as of --set. The motion stays as it is.
  std::optional<std::vector<Parameter>> numbers(const std::vector<std::string>& changes);
  /// Takes on what numbers() has given.
  void change(const std::vector<Parameter>& numbers);

  const Document& document() const { return document_; }
  /// Those that may change while the motion goes on; of one that is only shown, none.
  std::vector<Parameter> numbers() const;
  const Scene& scene() const { return parameters_ ? parameters_->scene() : scene_; }
  const Model& model() const { return model_; }
  const PullForce& hand() const { return *hand_; }
  // Of one that is simulated.
  double time() const { return simulation_->time(); }
  double next_time() const { return time() + simulation_->step_length(); }
  long steps() const { return simulation_ ? simulation_->step_count() : 0; }
  /// Positions and velocities of all nodes.
  State full() const { return model_.system->full(simulation_->state()); }
  /// Of one that is only shown, all zero.
  StepRow row() const;
  /// The motion goes on from one that had come to `last`: its losses are counted on, and what the change did to the
  /// energy was put in.
  void count_on_from(const StepRow& last);
  /// Of all collisions, on the first of the two things that touch.
  struct Touching {
    std::vector<Arrow> arrows;
    Vector at_nodes;  // #N [N]: the sum of the normal forces at each node
  };
  Touching touching() const;

 private:
  void grasp(const BodyPoint& point);

  Document document_;
  Scene scene_;
  std::shared_ptr<PullForce> hand_;
  Model model_;
  std::shared_ptr<SceneParameters> parameters_;
  std::optional<Simulation> simulation_;
  std::optional<CheckpointPlan> checkpoints_;  // of a run
  StepRecord record_;                          // of the last step,
  double step_ms_ = 0;                         // and its time
  StepRow before_;                             // losses and work of the motion that this one goes on with
};

}  // namespace limber
