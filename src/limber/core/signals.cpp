#include "limber/core/signals.hpp"

#include <initializer_list>

namespace limber {

SignalsWait::SignalsWait() {
  sigset_t these;
  sigemptyset(&these);
  for (const int signal : {SIGINT, SIGTERM, SIGABRT}) sigaddset(&these, signal);
  ::pthread_sigmask(SIG_BLOCK, &these, &before_);
}

SignalsWait::~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

SignalsKept::SignalsKept() {
  for (int k = 0; k < 2; ++k) ::sigaction(taken_[k], nullptr, &before_[k]);
}

SignalsKept::~SignalsKept() {
  for (int k = 0; k < 2; ++k) ::sigaction(taken_[k], &before_[k], nullptr);
}

}  // namespace limber
