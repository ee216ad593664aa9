#pragma once
/// Interrupting long computations from outside (Ctrl-C). The driver installs a callback; long loops call
/// `heed_interrupts` in each iteration. The callback runs only in the thread that installed it, so simulations in
/// different threads do not stop each other, and bodies of parallel loops do not ask.

#include <functional>
#include <stdexcept>

namespace limber {

/// The computation was interrupted. Not a failure: drivers undo unfinished work, then rethrow or end cleanly.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it exists, `heed_interrupts` in this thread asks `go_on`, and the callbacks of enclosing scopes too.
class Interruptible {
 public:
  explicit Interruptible(std::function<bool()> go_on);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  friend void heed_interrupts();
  std::function<bool()> go_on_;
  const Interruptible* outer_;
};

/// Throws Interrupted if a callback returns false. Does nothing if no callback is installed.
void heed_interrupts();

}  // namespace limber
