#pragma once
/// Threads. Python's lock (the GIL) is given up while Limber computes, and each simulation has a lock of its own. Who
/// waits for the latter does not hold the former, so that no two threads wait for each other. At the interpreter's exit
/// what daemon threads compute is ended; a thread that Python does not let in any more sleeps until the process is
/// gone.

#include <cxxabi.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "bindings.hpp"
#include "limber/core/interrupt.hpp"

namespace limber::python {

/// While one lives, this thread does without Python.
class WithoutGil {
 public:
  WithoutGil();
  ~WithoutGil();
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
  bool outer_;
};

/// While one lives, this thread may use Python; also within a WithoutGil.
class WithGil {
 public:
  WithGil();
  ~WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
  bool computing_;
};

/// Whether a long computation may go on: it throws KeyboardInterrupt when Ctrl-C was pressed, and says no in a daemon
/// thread at the interpreter's exit. Cheap: it looks now and then.
bool go_on();
/// Whether this is a daemon thread at the interpreter's exit.
bool must_end();

/// f() without Python, until it ends or is ended.
template <class F>
auto computed(const F& f) {
  const Interruptible interruptible(&go_on);
  const WithoutGil released;
  auto result = f();
  if (must_end()) throw Interrupted();
  return result;
}

/// f(). While it finalizes, Python ends threads that ask for its lock by unwinding their stacks, here through
/// destructors that must not throw and objects that need the lock. So they stay where they are, asleep.
template <class F>
auto or_sleep_forever(const F& f) {
#ifdef __GLIBCXX__
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
#else
  return f();
#endif
}

/// A function of the user's. It may be copied, called and dropped without the GIL.
class Callback {
 public:
  explicit Callback(py::object f);
  /// convert(f(arguments...)). Throws what f raises, and Interrupted at the interpreter's exit.
  template <class Convert, class... Arguments>
  auto operator()(const Convert& convert, const Arguments&... arguments) const {
    if (must_end()) throw Interrupted();
    const WithGil gil;
    return or_sleep_forever([&] { return convert(call(py::make_tuple(arguments...))); });
  }

 private:
  py::object call(const py::tuple& arguments) const;
  std::shared_ptr<PyObject> f_;
};

/// A lock that serves in the order of arrival: a thread that steps in a loop does not starve one that looks.
class FairLock {
 public:
  /// Whether a callback, which runs within the turn of its own thread, may ask for another.
  enum class Within { allowed, refused };

  class Guard {
   public:
    /// Waits, without the GIL. Throws InputError(what, …) where it is refused.
    Guard(FairLock& lock, const char* what, Within within);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    FairLock& lock_;
    bool nested_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::thread::id> queue_;  // the first has its turn
};

void add_threads(py::module_& m);

}  // namespace limber::python
