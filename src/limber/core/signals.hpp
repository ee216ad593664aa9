#pragma once  // internal
/// Keeps signals that end a program (Ctrl-C, SIGTERM) on the main thread, whose handler deals with them.

#include <signal.h>

namespace limber {

/// While it exists, such signals are blocked in this thread. Threads started meanwhile never receive them.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

/// The same around a library that installs its own handlers for SIGTERM and SIGABRT, as METIS does. Its handlers are
/// not called, unless a signal reaches a thread started elsewhere; the previous handlers are restored at the end.
class SignalsKept {
 public:
  SignalsKept();
  ~SignalsKept();
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr int taken_[] = {SIGTERM, SIGABRT};
  SignalsWait wait_;  // released after the handlers are restored
  struct sigaction before_[2];
};

}  // namespace limber
