#pragma once  // internal
/// A stage that plays, and what of it is shown. For the thread of a session alone; what it publishes is for all.

#include <set>
#include <string>

#include "limber/view/board.hpp"
#include "limber/view/options.hpp"
#include "limber/view/play_clock.hpp"

namespace limber {

class StagePlayer {
 public:
  /// Both must outlive it.
  StagePlayer(const ViewOptions& options, ViewBoard& board) : options_(options), board_(board) {}

  const ViewOptions& options() const { return options_; }
  bool plays() const { return stage_ && shown_.playing; }
  /// When the next step is due. `recording`: whether a recording or a fit is made meanwhile.
  PlayClock::Clock::time_point due(bool recording) const { return clock_.due(stage_->time(), recording); }

  /// Throws InputError if there is none yet.
  ViewStage& stage() const;
  /// The same, and if it replays a recorded run: "…; fork it to …".
  ViewStage& simulated(const char* to_do) const;
  const ViewShape& shape() const { return *shown_.shape; }
  unsigned session() const { return shown_.session; }
  /// Through which scenes of a page open files.
  FileAccess access() const;

  /// Another stage. Throws InputError; nothing is then changed.
  void begin(const StageSource& source);
  /// The same scene goes on from another state or with other values.
  void renew();
  /// Plays if there is someone to see it.
  void play_if_seen();
  /// A page has come, or the last one has gone.
  void look();

  void play();
  void pause();
  /// What it throws is told to the pages, and it plays no more.
  void step(bool recording);
  /// The same, and stops.
  void step_once(bool recording);
  void set_speed(double factor);
  /// A kept frame, at which it stops, or the newest state.
  void show(std::optional<std::size_t> frame);
  void publish();

 private:
  void start_clock() { clock_.start(stage_ ? stage_->time() : 0); }

  const ViewOptions& options_;
  ViewBoard& board_;
  std::unique_ptr<ViewStage> stage_;
  ViewPicture shown_;  // without what is the stage's and the clock's to say
  PlayClock clock_;
  PlayClock::Clock::time_point published_;
  bool page_seen_ = false;
  std::set<std::string> named_files_;  // outside the folders, by scenes that the user opened
};

}  // namespace limber
