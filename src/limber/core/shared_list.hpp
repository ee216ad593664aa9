#pragma once
/// Work objects that are costly to make. A thread borrows one that is free, or a new one, and gives it back: as many
/// are made as threads work at once.

#include <memory>
#include <new>
#include <vector>

#include "limber/core/guarded.hpp"

namespace limber {

template <class T>
class SharedList {
 public:
  /// As the last one who had it left it, or, where none is free, make(), a std::unique_ptr<T>. It goes back once nobody
  /// holds it.
  template <class Make>
  std::shared_ptr<T> borrow(const Make& make) const {
    std::unique_ptr<T> one = free_->with([](List& free) {
      if (free.empty()) return std::unique_ptr<T>();
      std::unique_ptr<T> last = std::move(free.back());
      free.pop_back();
      return last;
    });
    if (!one) one = make();
    return {one.release(), [free = free_](T* used) { give_back(*free, std::unique_ptr<T>(used)); }};
  }
  std::shared_ptr<T> borrow() const {
    return borrow([] { return std::make_unique<T>(); });
  }
  /// Drops those that are free.
  void clear() { free_->set({}); }

 private:
  using List = std::vector<std::unique_ptr<T>>;

  static void give_back(const Guarded<List>& free, std::unique_ptr<T> used) noexcept {
    try {
      free.with([&](List& list) { list.push_back(std::move(used)); });
    } catch (const std::bad_alloc&) {  // then it is dropped
    }
  }

  std::shared_ptr<Guarded<List>> free_ = std::make_shared<Guarded<List>>();
};

}  // namespace limber
