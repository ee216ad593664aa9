#pragma once
/// A list that many may read, and that stays as it is while somebody holds it.

#include <memory>
#include <utility>
#include <vector>

namespace limber {

template <class T>
class HeldList {
 public:
  /// Keeps what `list` is a part of.
  explicit HeldList(std::shared_ptr<const std::vector<T>> list) : list_(std::move(list)) {}

  auto begin() const { return list_->begin(); }
  auto end() const { return list_->end(); }
  std::size_t size() const { return list_->size(); }
  bool empty() const { return list_->empty(); }
  const T& operator[](std::size_t i) const { return (*list_)[i]; }

 private:
  std::shared_ptr<const std::vector<T>> list_;
};

}  // namespace limber
