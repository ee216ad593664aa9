#pragma once  // internal
/// Returning memory to the operating system.

namespace limber {

/// Returns freed memory to the operating system, including free blocks between used ones. For use after work with many
/// small allocations.
void give_back_memory();

}  // namespace limber
