#pragma once  // internal
/// A stage with a thread of its own, which steps it, answers what pages ask and publishes what there is to see. Pages
/// ask (docs/view.md has the protocol); nobody but this thread touches the stage. What is published does not change any
/// more, so a page that reads slowly never holds up the simulation.

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "limber/view/board.hpp"
#include "limber/view/options.hpp"
#include "limber/view/player.hpp"
#include "limber/view/side_jobs.hpp"
#include "limber/view/waiting.hpp"

namespace limber {

class ViewSession {
 public:
  /// `changed` is called by other threads whenever there is a new picture or answer.
  ViewSession(ViewOptions options, std::function<void()> changed);
  ~ViewSession();
  ViewSession(const ViewSession&) = delete;
  ViewSession& operator=(const ViewSession&) = delete;

  /// A scene's file or the folder of a run; an error is kept and shown to every page. `overrides`: as of --set.
  void open_path(const std::string& path, const std::vector<std::string>& overrides);
  /// How many pages look. Nothing is simulated while there is none; with the first the scene plays.
  void pages_are(std::size_t count);
  /// A JSON message of a page.
  void ask(unsigned long client, std::string message);
  /// Whether some page shows contact forces.
  void want_contacts(bool wanted) { board_.want_contacts(wanted); }

  std::shared_ptr<const ViewPicture> picture() const { return board_.picture(); }  // null before the first stage
  NewRows rows_since(RowPlace& place) const { return board_.rows_since(place); }
  std::vector<ViewAnswer> take_answers() { return board_.take_answers(); }
  const ViewOptions& options() const { return options_; }
  /// An error that there was when the first scene was opened; empty: none.
  std::string standing_error() const { return board_.standing_error(); }
  /// The path of what was recorded under this name; empty: nothing was.
  std::string recorded(const std::string& name) const { return board_.recorded(name); }

 private:
  void live();
  void open(const std::string& path, const std::vector<std::string>& overrides);

  const ViewOptions options_;
  ViewBoard board_;
  StagePlayer player_;  // of thread_ alone
  SideJobs side_;
  Waiting waiting_;
  std::atomic<bool> watched_ = false;
  std::thread thread_;
};

}  // namespace limber
