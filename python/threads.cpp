#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"

namespace limber::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto seldom = std::chrono::milliseconds(50);
constexpr auto patience_with_computations = std::chrono::seconds(10), patience_with_callbacks = std::chrono::seconds(1);

std::atomic<int> inside = 0;     // threads that compute, be it that they are calling back
std::atomic<int> computing = 0;  // those that do without Python at the moment
thread_local bool computes = false;
std::atomic<bool> leaving = false;  // the interpreter exits
std::thread::id leaving_thread;     // set before `leaving`

/// Called by Python before it finalizes, while other threads still run.
void end_computations() {
  leaving_thread = std::this_thread::get_id();
  leaving = true;
  const py::gil_scoped_release release;
  const auto start = Clock::now();
  const auto within = [&](auto patience) { return Clock::now() - start < patience; };
  while ((computing > 0 && within(patience_with_computations)) || (inside > 0 && within(patience_with_callbacks)))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

WithoutGil::WithoutGil() : outer_(std::exchange(computes, true)) {
  ++inside;
  ++computing;
  state_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
  or_sleep_forever([&] { PyEval_RestoreThread(state_); });
  --computing;
  --inside;
  computes = outer_;
}

WithGil::WithGil()
    : state_(or_sleep_forever([] { return PyGILState_Ensure(); })), computing_(std::exchange(computes, false)) {
  if (computing_) --computing;
}

WithGil::~WithGil() {
  if (computing_) ++computing;
  computes = computing_;
  PyGILState_Release(state_);
}

bool must_end() { return leaving && std::this_thread::get_id() != leaving_thread; }

bool go_on() {
  if (must_end()) return false;
  // Inner loops ask often, and the lock may be another thread's for milliseconds.
  thread_local Clock::time_point last{};
  if (Clock::now() - last < seldom) return true;
  const WithGil gil;
  last = Clock::now();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

Callback::Callback(py::object f)
    : f_(f.release().ptr(), [](PyObject* f) {
        const WithGil gil;
        Py_DECREF(f);
      }) {}

py::object Callback::call(const py::tuple& arguments) const {
  PyObject* const result = or_sleep_forever([&] { return PyObject_CallObject(f_.get(), arguments.ptr()); });
  if (result == nullptr) throw py::error_already_set();
  auto owned = py::reinterpret_steal<py::object>(result);
  if (must_end()) throw Interrupted();
  return owned;
}

FairLock::Guard::Guard(FairLock& turns, const char* what, Within within) : lock_(turns) {
  const auto me = std::this_thread::get_id();
  std::unique_lock lock(lock_.mutex_);
  auto& queue = lock_.queue_;
  nested_ = !queue.empty() && queue.front() == me;
  if (nested_ && within == Within::refused)
    throw InputError(what,
                     "was called by a function that this simulation is calling, such as a force of add_force, which is "
                     "given the state as q, v and t; call it before or after the step");
  if (nested_) return;
  queue.push_back(me);
  while (queue.front() != me) {
    lock_.changed_.wait_for(lock, seldom);
    if (queue.front() == me) break;
    lock.unlock();  // the question takes the GIL
    std::exception_ptr pressed;
    bool on = false;
    try {
      on = go_on();
    } catch (...) {
      pressed = std::current_exception();
    }
    lock.lock();
    if (on) continue;
    queue.erase(std::find(queue.begin(), queue.end(), me));
    lock_.changed_.notify_all();
    if (pressed) std::rethrow_exception(pressed);
    throw Interrupted();
  }
}

FairLock::Guard::~Guard() {
  if (nested_) return;
  const std::lock_guard lock(lock_.mutex_);
  lock_.queue_.pop_front();
  lock_.changed_.notify_all();
}

void add_threads(py::module_& m) {
  m.def("set_threads", &set_threads, py::arg("n"),
        "Threads that loops may use (0: all cores). Results do not depend on it.");
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_computations));
  const auto only_this_thread = py::cpp_function([] { inside = computing = 0; });
  py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") = only_this_thread);
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Interrupted&) {
      PyErr_SetNone(leaving ? PyExc_SystemExit : PyExc_KeyboardInterrupt);  // a thread ends silently by the former
    }
  });
}

}  // namespace limber::python
