#pragma once  // internal
/// What a viewer shows: one to four panes, which go on together, the states that they have passed through as far as
/// there is room, and the energies of all steps. For one thread.

#include <memory>
#include <string>
#include <vector>

#include "limber/record/trajectory.hpp"
#include "limber/view/pane.hpp"
#include "limber/view/shape.hpp"

namespace limber {

/// Where a stage comes from.
struct StageSource {
  std::string name;                     // for people
  std::string file;                     // of the scene, or the folder of a run; empty: it has none
  std::vector<Document> scenes;         // one for each pane, of the same bodies; files have absolute paths
  std::string run;                      // folder of a run to replay; empty: the scenes are simulated
  std::vector<std::string> files = {};  // outside the viewer's folders, that may be opened: the user named them
  FileAccess access = {};               // through which all files are opened, those of changed scenes too
};

/// States of all panes at one time.
struct KeptFrame {
  double t = 0;
  std::vector<std::shared_ptr<const State>> states;
  std::vector<StepRow> rows;  // of the steps that ended there; none where it was read from a run
};

class ViewStage {
 public:
  static constexpr std::size_t most_panes = 4;

  /// Throws InputError.
  explicit ViewStage(const StageSource& source);

  /// Assignments `key path = JSON value` as of --set.
  using Changes = std::vector<std::string>;
  /// Which panes a change is for; nullopt: all.
  using Which = std::optional<std::size_t>;
  /// All as it is, or as it was at a kept frame, with changes: goes on from that state; later frames are forgotten. All
  /// that the motion has learnt stays where only numbers are changed that may change while it goes on.
  /// Throws InputError; nothing is then changed.
  void go_on_with(const Changes& changes, Which which);
  void fork(std::size_t frame, const Changes& changes, Which which);

  /// Steps the panes that are behind. Throws StepFailure.
  void step();
  /// Of a recorded run: when its last frame is.
  double time() const;

  const std::vector<std::unique_ptr<Pane>>& panes() const { return panes_; }
  /// A recorded run, nothing of which is simulated.
  bool replays() const { return recording_ != nullptr; }

  std::size_t frames() const;
  double frame_time(std::size_t frame) const;
  KeptFrame frame(std::size_t frame) const;
  /// All of them, where they were not read from a run.
  const std::vector<KeptFrame>& kept() const { return kept_; }
  const std::vector<EnergySample>& rows(std::size_t pane) const { return rows_[pane]; }
  /// What a page should hear of a recorded run; empty: nothing.
  const std::string& note() const { return note_; }
  /// The lowest height [m] that nodes of a recorded run come to, in as many of its frames as are soon read.
  std::optional<double> lowest() const;
  /// Another number since rows were taken away, not only added.
  unsigned long rows_version() const { return rows_version_; }
  const StageSource& source() const { return source_; }
  /// What is drawn: of a recorded run what it wrote, for which no mesh file is needed. Throws InputError.
  std::shared_ptr<const ViewShape> shape() const;

 private:
  void require_pane(Which which) const;
  void replace(const KeptFrame& at, const Changes& changes, Which which);
  KeptFrame present() const;
  void keep();
  void forget_after(double t);

  StageSource source_;
  std::vector<std::unique_ptr<Pane>> panes_;
  std::unique_ptr<TrajectoryReader> recording_;
  std::vector<double> recorded_times_;
  std::vector<KeptFrame> kept_;
  long steps_ = 0, keep_every_ = 1;
  std::vector<std::vector<EnergySample>> rows_;
  std::string note_;
  unsigned long rows_version_ = 0;
};

}  // namespace limber
