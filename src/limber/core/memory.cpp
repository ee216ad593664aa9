#include "limber/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace limber {
namespace {

/// The first number of a file, such as the limit of a control group; nothing where there is none.
std::optional<double> number_in(const char* path) {
  std::ifstream in(path);
  double x = 0;
  return in >> x ? std::optional(x) : std::nullopt;
}

/// A line of /proc/meminfo, in kB.
std::optional<double> memory_line(const std::string& name) {
  std::ifstream in("/proc/meminfo");
  for (std::string word, rest; in >> word; std::getline(in, rest)) {
    double kilobytes = 0;
    if (word == name + ":" && in >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<MachineMemory> machine_memory() {
  const auto total = memory_line("MemTotal"), available = memory_line("MemAvailable");
  if (!total || !available) return std::nullopt;
  MachineMemory memory{*total, *available};
  const auto limit = [&](double most, double used) {
    if (most >= memory.total) return;
    memory.total = most;
    memory.free = std::clamp(most - used, 0., memory.free);
  };
  const auto of_group = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (of_group && used) limit(*of_group, *used);
  rlimit own{};
  const auto pages = number_in("/proc/self/statm");
  if (pages && ::getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
    limit(static_cast<double>(own.rlim_cur), *pages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  return memory;
}

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace limber
