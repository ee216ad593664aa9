#pragma once
/// Exception types. InputError: the user's input is wrong; it names the key, or the file and line. StepFailure: a step
/// could not be computed.

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

/// A step could not be taken. Only the driver catches it: it tries other ways, then halves the step, then gives up.
struct StepFailure : std::runtime_error {
  explicit StepFailure(const std::string& why, int its = 0, double res = 0);
  std::string reason;
  int iterations = 0;
  double residual = 0;
  double t = 0, h = 0;      // [s], filled in by the driver
  std::string advice = {};  // what to try, as "Try …"; if empty, the general advice for failed steps is shown
};

/// Output could not be written (disk full, directory gone). Output written earlier stays readable.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The candidate closest to `word` by edit distance, or "" if none is close. Used for "did you mean …?".
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

}  // namespace limber
