#pragma once  // internal
/// Memory between the program and the system.

namespace limber {

/// What was freed goes back to the system, also where it lies between what is used: after work that took many small
/// pieces.
void give_back_memory();

}  // namespace limber
