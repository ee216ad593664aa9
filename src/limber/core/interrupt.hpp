#pragma once
/// How a long computation is ended from outside (Ctrl-C). Who drives it says how to ask; loops that may take long call
/// `heed_interrupts` in each round. It is asked in the thread of the driver only: simulations in two threads do not end
/// each other, and no round of a parallel loop asks.

#include <functional>
#include <stdexcept>

namespace limber {

/// The work was told to end. Not a failure: drivers undo what is half done and pass it on, or end cleanly.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While one lives, `heed_interrupts` in this thread asks `go_on`, and those further out as well.
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

/// Throws Interrupted where the answer is no; does nothing where nobody has said how to ask.
void heed_interrupts();

}  // namespace limber
