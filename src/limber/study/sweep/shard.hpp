#pragma once
/// A part of a sweep: every n-th of its runs. Batch systems and MPI launchers tell each of the processes that they
/// start which one it is; `auto` takes that.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace limber {

struct Shard {
  std::size_t index = 1, count = 1;  // index in 1 … count

  /// Whether the run of this number (1, 2, …) is part of it.
  bool has(std::size_t number) const { return (number - 1) % count == index - 1; }
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// What the surroundings say.
struct FoundShard {
  Shard shard;
  std::string from;  // the variables
};

/// Of array jobs (SLURM_ARRAY_TASK_ID with _COUNT, _MIN and _STEP) and of launchers (OMPI_COMM_WORLD_RANK and _SIZE,
/// PMI_RANK and PMI_SIZE, SLURM_PROCID and SLURM_NTASKS); where there are both, each rank of each task has its own.
/// Nothing where none is set. Throws InputError("--shard", …) where the numbers do not fit each other.
std::optional<FoundShard> found_shard(const Environment& environment);

/// "i/n", "auto", or "auto/n": i from PBS_ARRAY_INDEX, which does not come with its n. Throws InputError("--shard", …).
FoundShard read_shard(const std::string& text, const Environment& environment);

}  // namespace limber
