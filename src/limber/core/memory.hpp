#pragma once  // internal
/// Returning memory to the operating system.

#include <optional>

namespace limber {

/// What this process may have, by the machine, its control group and its own limits [bytes].
struct MachineMemory {
  double total = 0, free = 0;
};
/// Nothing where the system does not say.
std::optional<MachineMemory> machine_memory();

/// What was freed goes back to the system, also where it lies between what is used: after work that took many small
/// pieces.
void give_back_memory();

}  // namespace limber
