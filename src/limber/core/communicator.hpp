#pragma once
/// The processes that share one simulation. All of them run the same program on their parts of the elements, and make
/// the same decisions because these follow from numbers that all of them know. These functions are collective: every
/// process must make the same calls in the same order. On a single process they do nothing.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace limber {

class Communicator {
 public:
  /// Numbers to send to another process, and the buffer for those received from it.
  struct Message {
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
  virtual void exchange(std::span<Message>) const {}
  /// The sum over the processes of lower rank.
  int exclusive_sum(int own) const;
  /// Sends lists[p], of any length, to each process p; the lists received, by process.
  std::vector<std::vector<double>> alltoall(const std::vector<std::vector<double>>& lists) const;
  /// The lists of all processes, by process.
  std::vector<std::vector<double>> allgather(const std::vector<double>& mine) const;
  /// The lists of all processes, by process, on process 0; empty on the others. And the reverse: process 0 sends one
  /// list to each.
  std::vector<std::vector<double>> gather_to_root(std::vector<double> mine) const;
  std::vector<double> scatter_from_root(std::vector<std::vector<double>> lists) const;
  /// Sends a list from process 0 to one other process; the rest receive an empty list.
  std::vector<double> send_from_root(int process, const std::vector<double>& list) const;
  /// Each entry becomes that of process 0.
  virtual void broadcast(std::span<int>) const {}
};

/// The communicator of a single process.
const Communicator& one_process();

/// Initialises and finalises MPI. Created at the beginning of main, destroyed at its end.
class Processes {
 public:
  Processes(int& argc, char**& argv);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  const Communicator& all() const { return *all_; }
  /// Aborts all processes with this exit status, if there are others: for a process that cannot go on while the others
  /// wait for it.
  void abandon(int status) const;
  /// Whether this program was built with MPI.
  static bool possible();
  /// Registers a function to be called before MPI is finalised.
  static void at_end(std::function<void()> last);

 private:
  std::unique_ptr<const Communicator> all_;
};

/// Thrown on all other processes when one has failed; that one reports why.
struct OtherProcessFailed {};

/// Runs `work`, such as writing a file, on process 0 only. If it throws there, the other processes throw
/// OtherProcessFailed.
void on_root(const Communicator& all, const std::function<void()>& work);

}  // namespace limber
