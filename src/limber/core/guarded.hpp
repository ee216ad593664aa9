#pragma once
/// A value that several threads share: each sees it alone, for the time of one call.

#include <mutex>
#include <utility>

namespace limber {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : shared_{{}, std::move(value)} {}

  /// use(value), while no other thread sees the value. Short: `use` runs no parallel loop, in which this thread might
  /// come here again, and asks for no other value that refers to this one.
  template <class Use>
  decltype(auto) with(const Use& use) const {
    const std::lock_guard guard(shared_.mutex);
    return use(shared_.value);
  }
  T copy() const {
    return with([](const T& value) { return value; });
  }
  /// The former value.
  T set(T value) const {
    return with([&](T& old) { return std::exchange(old, std::move(value)); });
  }

 private:
  struct Shared {
    std::mutex mutex;
    T value{};
  };
  mutable Shared shared_;
};

}  // namespace limber
