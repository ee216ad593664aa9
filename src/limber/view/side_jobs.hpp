#pragma once  // internal
/// What pages ask for that takes long: curves of damping, recordings, advice, and fits.

#include <string>

#include "limber/scene/advice/advise.hpp"
#include "limber/view/fits.hpp"
#include "limber/view/options.hpp"
#include "limber/view/side_thread.hpp"

namespace limber {

class SideJobs {
 public:
  /// Both must outlive it.
  SideJobs(const ViewOptions& options, ViewBoard& board)
      : options_(options), board_(board), fits_(options, board), thread_(board, "recording") {}

  /// The damping of a pane's method, and where the modes of its scene are on the curve. Throws InputError.
  void send_curve(unsigned long client, const ViewStage& stage, unsigned session, std::size_t pane);
  /// What the stage has kept, as "mp4", "glb" or "run". Throws InputError, OutputError.
  void record(unsigned long client, const ViewStage& stage, const std::string& format);
  /// Which method and which steps do what a page wishes of a pane's scene.
  void send_advice(unsigned long client, const Pane& pane, unsigned session, const Wish& wish);
  PageFits& fits() { return fits_; }
  /// Whether a recording or a fit is made.
  bool busy() const { return thread_.records() || fits_.busy(); }
  void end() {
    thread_.end();
    fits_.end();
  }

 private:
  const ViewOptions& options_;
  ViewBoard& board_;
  long recordings_ = 0;
  PageFits fits_;
  SideThread thread_;
};

}  // namespace limber
