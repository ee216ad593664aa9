#pragma once  // internal
/// What a stage has kept of its first pane, written as the directory of a run: for movies, exports and forks.

#include <functional>
#include <string>
#include <vector>

#include "limber/view/stage.hpp"

namespace limber {

/// Shares nothing with the stage that changes.
class Recording {
 public:
  /// `run`: the directory, which is made. Throws OutputError.
  Recording(const ViewStage& stage, const std::string& run);
  /// The trajectory, without reactions, and energy.csv, with a row for each frame. Throws OutputError.
  void write() const;
  const std::string& run() const { return run_; }

 private:
  void write_energies() const;

  std::string run_;
  TrajectoryHeader header_;
  std::vector<KeptFrame> frames_;
  std::vector<std::shared_ptr<const ElasticForce>> elastic_;
};

/// A run as "mp4" or "glb". `progress`: with the part that is done; may throw to give up. Throws InputError,
/// OutputError.
void export_recording(const std::string& run, const std::string& file, const std::string& format,
                      const std::function<void(double)>& progress);

}  // namespace limber
