#include "limber/study/sweep/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

std::optional<long> whole_number(const std::string& text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<long> variable(const Environment& environment, const std::string& name) {
  const char* text = environment(name.c_str());
  if (text == nullptr) return std::nullopt;
  const auto number = whole_number(text);
  if (!number) throw InputError("--shard", fmt::format("{} is '{}', not a whole number", name, text));
  return number;
}

FoundShard checked_shard(long index, long count, const std::string& from) {
  if (count < 1 || index < 1 || index > count)
    throw InputError("--shard", fmt::format("{} is part {} of {}; parts are 1 to n, without gaps", from, index, count));
  return {{static_cast<std::size_t>(index), static_cast<std::size_t>(count)}, from};
}

std::optional<FoundShard> array_task(const Environment& environment) {
  const auto id = variable(environment, "SLURM_ARRAY_TASK_ID"), count = variable(environment, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const long first = variable(environment, "SLURM_ARRAY_TASK_MIN").value_or(1);
  const long step = std::max(1L, variable(environment, "SLURM_ARRAY_TASK_STEP").value_or(1));
  return checked_shard((*id - first) / step + 1, *count,
                       fmt::format("SLURM_ARRAY_TASK_ID={} of {} tasks", *id, *count));
}

std::optional<FoundShard> launcher_rank(const Environment& environment) {
  constexpr std::array<std::array<const char*, 2>, 3> launchers = {
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"}}};
  std::optional<FoundShard> alone;
  for (const auto& [place, size] : launchers) {
    const auto i = variable(environment, place), n = variable(environment, size);
    if (!i || !n) continue;
    FoundShard found = checked_shard(*i + 1, *n, fmt::format("{}={} of {}", place, *i, *n));
    if (found.shard.count > 1) return found;
    if (!alone) alone = std::move(found);
  }
  return alone;
}

}  // namespace

std::optional<FoundShard> found_shard(const Environment& environment) {
  const auto task = array_task(environment), process = launcher_rank(environment);
  if (!task || !process || process->shard.count == 1) return task ? task : process;
  const std::size_t ranks = process->shard.count;
  return FoundShard{{(task->shard.index - 1) * ranks + process->shard.index, task->shard.count * ranks},
                    task->from + ", " + process->from};
}

FoundShard read_shard(const std::string& text, const Environment& environment) {
  constexpr const char* expected = "expected i/n with i in 1 … n, auto, or auto/n under PBS";
  if (text == "auto") {
    if (auto found = found_shard(environment)) return *found;
    if (environment("PBS_ARRAY_INDEX") != nullptr)
      throw InputError("--shard", "PBS does not say how many jobs the array has: auto/n with the n of -J 1-n");
    throw InputError("--shard",
                     "auto: this is no part of an array job or of an MPI run: SLURM_ARRAY_TASK_ID, "
                     "OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID and PBS_ARRAY_INDEX are not set");
  }
  const auto slash = text.find('/');
  const std::string part = text.substr(0, slash);
  const auto count = slash == std::string::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (count && part == "auto") {
    const auto index = variable(environment, "PBS_ARRAY_INDEX");
    if (!index) throw InputError("--shard", fmt::format("'{}': PBS_ARRAY_INDEX is not set", text));
    return checked_shard(*index, *count, fmt::format("PBS_ARRAY_INDEX={}", *index));
  }
  const auto index = whole_number(part);
  if (!index || !count || *count < 1 || *index < 1 || *index > *count)
    throw InputError("--shard", fmt::format("'{}': {}", text, expected));
  return {{static_cast<std::size_t>(*index), static_cast<std::size_t>(*count)}, "--shard"};
}

}  // namespace limber
