#pragma once
/// The commands of the program. Each adds itself to the command line and returns its exit status when called:
/// 0 done, 1 the simulation could not go on, 2 bad input.

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "limber/core/interrupt.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/run.hpp"
#include "program.hpp"

namespace limber::app {

/// The processes that this program runs as; main says so.
const Communicator& processes();
void set_processes(const Communicator& all);

/// A scene from its file, with --set assignments applied.
struct Loaded {
  Document document;
  Scene scene;
};
/// The same with its method decided, where it leaves that open ("auto").
Loaded decided(Loaded loaded);
struct SceneArguments {
  std::string file;
  std::vector<std::string> set;
  void add_to(CLI::App& command);
  Loaded load() const;
  /// As the file has it, with the assignments.
  Document document() const;
  /// A scene that document() was, changed or not.
  Loaded read(const Document& document) const;
};

/// What is done and the time left, or spent, on standard error, once the work proves to be long.
class TimeLeft {
 public:
  TimeLeft() = default;
  ~TimeLeft() { clear(); }
  TimeLeft(const TimeLeft&) = delete;
  TimeLeft& operator=(const TimeLeft&) = delete;

  /// `part` of the work, 0 to 1, such as "frame 3 of 50".
  void show(double part, const std::string& text);
  /// Where nobody knows how much is left.
  void show(const std::string& text);
  /// Takes the line off a terminal, until it is shown again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  /// Whether it is time for another line.
  bool due() const;
  void put(const std::string& text);

  bool shown_once_ = false;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

/// While one lives, SIGINT and SIGTERM only ask the work to end; the second one ends the program.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

 private:
  Interruptible interruptible_;
  void (*before_[2])(int);
};
bool interrupted();
/// Throws if the work was asked to end.
void end_if_interrupted();

enum class Shown { nothing, progress };
/// run_scene, with a line of progress on standard error; SIGINT and SIGTERM end it cleanly.
RunResult run_until_interrupted(const Loaded& loaded, const Model& model, RunOptions options, Shown shown);

/// "2.5 s", "3 min 20 s", "1 h 05 min".
std::string duration_text(double seconds);

/// Writes `text` to the file, or to standard output where the name is empty or "-". Throws OutputError.
void write_text(const std::string& file, const std::string& text);

}  // namespace limber::app
