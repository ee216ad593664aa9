#pragma once  // internal
/// Who hears the signals that end a program (Ctrl-C, SIGTERM): the main thread, whose handler it is.

#include <signal.h>

namespace limber {

/// While one lives, signals that end a program wait for this thread. Threads that it starts meanwhile never get them.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

/// The same for a library that takes SIGTERM and SIGABRT for itself while it works, as METIS does: its handlers are
/// never called, unless a signal goes to a thread that was started otherwise, and those of before are put back.
class SignalsKept {
 public:
  SignalsKept();
  ~SignalsKept();
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr int taken_[] = {SIGTERM, SIGABRT};
  SignalsWait wait_;  // until the handlers are put back
  struct sigaction before_[2];
};

}  // namespace limber
