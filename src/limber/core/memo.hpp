#pragma once
/// The value of an expensive function at the last argument. Several threads may ask for it at once.

#include <memory>
#include <mutex>
#include <optional>

namespace limber {

template <class Key, class Value>
class Memo {
 public:
  /// The value at this key; fill(value) computes it unless it is the last one.
  template <class Fill>
  std::shared_ptr<const Value> at(const Key& key, const Fill& fill) const {
    {
      const std::lock_guard guard(last_.mutex);
      if (last_.key == key) return last_.value;
    }
    auto value = std::make_shared<Value>();
    fill(*value);
    const std::lock_guard guard(last_.mutex);
    last_.key = key;
    last_.value = value;
    return value;
  }
  /// For use when the function has changed.
  void forget() {
    const std::lock_guard guard(last_.mutex);
    last_.key.reset();
  }

 private:
  struct Last {
    std::mutex mutex;
    std::optional<Key> key;
    std::shared_ptr<const Value> value;
  };
  mutable Last last_;
};

}  // namespace limber
