#pragma once
/// Exception types. InputError: the user's input is wrong; it names the key, or the file and line. StepFailure: a step
/// could not be computed. OutputError: a file could not be written. OutOfMemory: memory ran out.

#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// `where: what`, for example `bodies[1].material.poisson: 0.5 is outside (-1, 0.5)`.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& where, const std::string& what);
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }

 private:
  std::string where_, message_;
};

/// A step could not be taken. The driver tries other ways, then halves the step, then gives up. Whoever has another way
/// catches it by failure_of.
struct StepFailure : std::runtime_error {
  explicit StepFailure(const std::string& why, int its = 0, double res = 0);
  std::string reason;
  int iterations = 0;
  double residual = 0;
  double t = 0, h = 0;      // [s], filled in by the driver
  std::string advice = {};  // what to try, as "Try …"; if empty, the general advice for failed steps is shown
};

/// A StepFailure that was caught.
struct Failed : StepFailure {
  explicit Failed(const StepFailure& failure) : StepFailure(failure), thrown(std::current_exception()) {}
  /// Rethrows the original exception.
  [[noreturn]] void again() const { std::rethrow_exception(thrown); }
  /// Whether it was thrown as an E.
  template <class E>
  bool is() const {
    try {
      std::rethrow_exception(thrown);
    } catch (const E&) {
      return true;
    } catch (...) {
      return false;
    }
  }
  std::exception_ptr thrown;
};

/// Runs `work` and returns the StepFailure that it threw, if any. Other exceptions pass through.
template <class Work>
std::optional<Failed> failure_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const StepFailure& failure) {
    return Failed(failure);
  }
}

/// Memory ran out. It is never retried: it ends the run, and output written earlier stays readable.
class OutOfMemory : public std::bad_alloc {
 public:
  /// "memory ran out: the factor needs 12.3 GB; 3.1 of 16 GB are free". `needed` [bytes]; 0: unknown.
  explicit OutOfMemory(const std::string& what_for, double needed = 0);
  const char* what() const noexcept override { return text_.what(); }

 private:
  std::runtime_error text_;  // whose copies do not throw
};

/// Output could not be written (disk full, directory gone). What was written before stays readable.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The candidate closest to `word` by edit distance, or "" if none is close. Used for "did you mean …?".
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

}  // namespace limber
