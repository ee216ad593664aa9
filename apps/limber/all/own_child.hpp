#pragma once
/// This program as a child of itself, with arguments of its own: what happens to it happens to it alone. It is in a
/// process group of its own, so that Ctrl-C in a terminal reaches the parent only, which then asks it to end; and it
/// does not outlive the parent, however that one ends (on Linux).

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber::app {

class OwnChild {
 public:
  /// `input` stands on its standard input; what it prints is dropped, but for complaints. Throws OutputError.
  OwnChild(const std::vector<std::string>& arguments, const std::string& input);
  /// Kills it if it has not ended.
  ~OwnChild();
  OwnChild(const OwnChild&) = delete;
  OwnChild& operator=(const OwnChild&) = delete;

  /// Whether it has ended; does not wait.
  bool ended();
  /// Of one that has ended: its exit status, or nothing if a signal ended it.
  std::optional<int> exit_status() const;
  /// Once only: a second time would cut it off.
  void ask_to_end();
  /// Of one that has ended: its last complaint, or what ended it.
  std::string last_words() const;

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> complaints_;
  pid_t id_ = -1;
  int status_ = 0;
  bool ended_ = false, asked_ = false;
};

}  // namespace limber::app
