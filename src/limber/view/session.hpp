#pragma once  // internal
/// A stage with a thread of its own, which steps it, answers what pages ask and publishes what there is to see. Pages
/// ask (docs/view.md has the protocol); nobody but this thread touches the stage. What is published does not change any
/// more, so a page that reads slowly never holds up the simulation.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "limber/view/shape.hpp"
#include "limber/view/stage.hpp"

namespace limber {

struct ViewOptions {
  std::string scene_folder;              // files of scenes may lie here,
  std::string examples_folder;           // or here, where shipped scenes are; empty: there are none
  std::string output_folder;             // what is recorded goes here
  std::vector<std::string> methods;      // side by side; empty: what the scene says
  std::string key;                       // what the address of a recording must show
  std::size_t most_message = 16u << 20;  // [bytes]
};

/// What one pane shows.
struct PanePicture {
  std::shared_ptr<const State> state;  // full
  long steps = 0;
  bool pulled = false;
  Vec3 point = Vec3::Zero(), to = Vec3::Zero(), force = Vec3::Zero();
  Pane::Touching touching;  // where it was asked for
  double step_ms = 0;
};

/// All that there is to see at one moment.
struct ViewPicture {
  unsigned long version = 0;  // another one each time
  unsigned session = 0;       // another one for each stage
  std::shared_ptr<const ViewShape> shape;
  std::shared_ptr<const std::string> scene_message;
  std::vector<PanePicture> panes;
  bool playing = false;
  double time = 0, speed = 1, real_time = 0;
  std::size_t frames = 0;
  std::optional<std::size_t> frame;  // the kept one that is shown; nullopt: the newest state
};

/// For one page, or for all (client 0).
struct ViewAnswer {
  unsigned long client = 0;
  std::string text;
};

/// Where a page is in the rows of energies.
struct RowPlace {
  unsigned session = 0;
  unsigned long version = 0;
  std::vector<std::size_t> next;  // for each pane
};
struct NewRows {
  bool reset = false;
  std::vector<std::vector<EnergySample>> panes;
};

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
  void want_contacts(bool wanted) { contacts_wanted_ = wanted; }

  std::shared_ptr<const ViewPicture> picture() const;  // null before the first stage
  NewRows rows_since(RowPlace& place) const;
  std::vector<ViewAnswer> take_answers();
  const ViewOptions& options() const { return options_; }
  /// An error that there was when the first scene was opened; empty: none.
  std::string standing_error() const;
  /// The path of what was recorded under this name; empty: nothing was.
  std::string recorded(const std::string& name) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Question {
    unsigned long client = 0;
    std::function<void()> work;  // instead of a message
    std::string message;
  };
  struct Beside {
    unsigned long client = 0;
    std::string about;  // what was asked for
    std::function<void()> work;
  };
  struct Actions;  // by name

  // The stage's thread.
  void live();
  bool wait_for_work(std::unique_lock<std::mutex>& lock);
  void answer(const Question& question, std::string& about);
  void advance();
  void begin(const StageSource& source);
  void publish();
  void start_clock();
  void play_if_seen();
  void say(unsigned long client, std::string text);
  void say_error(unsigned long client, const std::string& about, const std::exception& error);
  /// Tells the page what was thrown, whatever it was, and goes on. Interrupted is passed on.
  void say_thrown(unsigned long client, const std::string& about, const std::exception_ptr& thrown);
  /// To what scenes of a page may open.
  FileAccess access() const;
  void open_example(const std::string& name);
  void open_surface(const std::string& name, const std::string& data);
  void send_curve(unsigned long client, std::size_t pane);
  void record(unsigned long client, const std::string& format);

  // Another thread for what takes long and leaves the stage alone.
  void work_beside();
  void beside(unsigned long client, std::string about, std::function<void()> work);

  const ViewOptions options_;
  const std::function<void()> changed_;
  std::unique_ptr<ViewStage> stage_;
  std::shared_ptr<const ViewShape> shape_;
  std::shared_ptr<const std::string> scene_message_;
  unsigned session_ = 0;
  unsigned long version_ = 0;
  bool playing_ = false, page_seen_ = false;
  double speed_ = 1, real_time_ = 0;
  std::optional<std::size_t> shown_frame_;
  Clock::time_point clock_start_, published_, rests_until_;
  double clock_time_ = 0;  // simulated [s] at clock_start_
  long recordings_ = 0;
  std::set<std::string> named_files_;  // outside the folders, by scenes that the user opened

  std::atomic<bool> ending_ = false, contacts_wanted_ = false, watched_ = false, records_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable asked_, beside_asked_;
  std::deque<Question> questions_;
  std::size_t waiting_bytes_ = 0;  // of their messages
  std::deque<Beside> beside_;
  std::vector<ViewAnswer> answers_;
  std::shared_ptr<const ViewPicture> picture_;
  std::vector<std::vector<EnergySample>> rows_;
  unsigned long rows_version_ = 0;
  unsigned rows_session_ = 0;
  std::string standing_error_;
  std::map<std::string, std::string> recorded_;  // file names and paths
  std::thread thread_, beside_thread_;
};

}  // namespace limber
