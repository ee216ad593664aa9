#pragma once
/// The value of an expensive function at the last argument. Several threads may ask for it at once; what they get stays
/// as it is while they hold it.

#include <memory>
#include <optional>

#include "limber/core/shared_list.hpp"

namespace limber {

/// Key: what is kept of an argument. It is made from an argument, and compared with one.
template <class Key, class Value>
class Memo {
 public:
  /// The value at this argument; fill(value) computes it unless it is the last one.
  template <class Argument, class Fill>
  std::shared_ptr<const Value> at(const Argument& argument, const Fill& fill) const {
    if (auto value = known(argument)) return value;
    return filled(std::make_shared<Entry>(), argument, fill);
  }
  /// The same with the memory of values that nobody holds any more, the last one among them: `fill` finds there what
  /// they were, and overwrites all of it.
  template <class Argument, class Fill>
  std::shared_ptr<const Value> at_in_place(const Argument& argument, const Fill& fill) const {
    if (auto value = known(argument)) return value;
    last_.set(nullptr);
    return filled(used_.borrow(), argument, fill);
  }
  /// For use when the function has changed.
  void forget() { last_.set(nullptr); }

 private:
  struct Entry {
    std::optional<Key> key;
    Value value{};
  };

  template <class Argument>
  std::shared_ptr<const Value> known(const Argument& argument) const {
    const auto last = last_.copy();
    return last && *last->key == argument ? value_of(last) : nullptr;
  }
  template <class Argument, class Fill>
  std::shared_ptr<const Value> filled(std::shared_ptr<Entry> entry, const Argument& argument, const Fill& fill) const {
    fill(entry->value);
    entry->key.emplace(argument);
    last_.set(entry);
    return value_of(entry);
  }
  static std::shared_ptr<const Value> value_of(const std::shared_ptr<const Entry>& entry) {
    return {entry, &entry->value};
  }

  SharedList<Entry> used_;
  Guarded<std::shared_ptr<const Entry>> last_;
};

}  // namespace limber
