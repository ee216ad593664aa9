#pragma once
/// The processes that share one simulation. All of them run the same program on their parts of the elements, and take
/// the same decisions since these follow from numbers that all of them know. What is here is all that they say to each
/// other; every process must call each function as often as the others. Alone, nothing is said.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace limber {

class Communicator {
 public:
  /// Numbers for one other process, and room for as many from it.
  struct Letter {
    int process;
    std::span<const double> out;
    std::span<double> in;
  };

  virtual ~Communicator() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Each entry becomes the sum over all processes, taken in their order: all of them get the same bits.
  virtual void sum(std::span<double>) const {}
  /// Each entry becomes the smallest one.
  virtual void min(std::span<double>) const {}
  virtual void min(std::span<int>) const {}
  virtual void exchange(std::span<Letter>) const {}
  /// The sum over the processes before this one.
  int before(int own) const;
  /// Each process gives each other one a list of any length; what comes, by process.
  std::vector<std::vector<double>> give(const std::vector<std::vector<double>>& lists) const;
  /// What each process has, by process.
  std::vector<std::vector<double>> all_lists(const std::vector<double>& mine) const;
  /// What each process has, by process, on process 0; nothing on the others. And what process 0 has for each.
  std::vector<std::vector<double>> to_first(std::vector<double> mine) const;
  std::vector<double> from_first(std::vector<std::vector<double>> lists) const;
  /// A list of process 0 for another one, which gets it; all call this, the others for nothing.
  std::vector<double> hand_over(int process, const std::vector<double>& list) const;
  /// What process 0 has.
  virtual void broadcast(std::span<int>) const {}
};

/// A program by itself.
const Communicator& one_process();

/// While one lives, a program that was started by mpirun can talk to the others. It begins with main and ends with it.
class Processes {
 public:
  Processes(int& argc, char**& argv);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  const Communicator& all() const { return *all_; }
  /// Ends all processes at once, with this exit status, if there are others: for one that cannot go on while they wait
  /// for it.
  void abandon(int status) const;
  /// Whether this program was built to run as several processes.
  static bool possible();
  /// Called before the processes part.
  static void at_end(std::function<void()> last);

 private:
  std::unique_ptr<const Communicator> all_;
};

/// Thrown where another process has failed, which says why.
struct FailedElsewhere {};

/// Does on process 0 what only one process may do, such as writing a file. If it throws there, all processes do: the
/// others FailedElsewhere.
void on_first_process(const Communicator& all, const std::function<void()>& work);

}  // namespace limber
