#pragma once  // internal
/// What processes do each for itself in the middle of what they do together.

#include <array>
#include <exception>
#include <utility>

#include "limber/core/communicator.hpp"

namespace limber {

class Together {
 public:
  explicit Together(const Communicator& all) : all_(all) {}

  const Communicator& all() const { return all_; }
  bool alone() const { return all_.size() == 1; }
  /// Does what one process does for itself, as process 0 with files. All go on together until they agree on whether it
  /// has failed for any: none is left waiting for it.
  template <class Work>
  void each(const Work& work) {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what this process could not do for itself; OtherProcessFailed if it was another one.
  void agree() {
    std::array<int, 1> well = {failure_ ? 0 : 1};
    all_.min(well);
    if (well[0] != 0) return;
    agreed_ = true;
    if (const auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    throw OtherProcessFailed();
  }
  /// Whether all processes know of a failure that came over this one.
  bool all_know() const { return agreed_ || alone(); }

 private:
  const Communicator& all_;
  std::exception_ptr failure_;
  bool agreed_ = false;
};

}  // namespace limber
