#include "limber/core/interrupt.hpp"

#include <utility>

namespace limber {
namespace {
thread_local const Interruptible* innermost = nullptr;
}

Interruptible::Interruptible(std::function<bool()> go_on) : go_on_(std::move(go_on)), outer_(innermost) {
  innermost = this;
}

Interruptible::~Interruptible() { innermost = outer_; }

void heed_interrupts() {
  for (const Interruptible* i = innermost; i != nullptr; i = i->outer_)
    if (!i->go_on_()) throw Interrupted();
}

}  // namespace limber
