#include "limber/core/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <memory>

namespace limber {
namespace {
std::unique_ptr<tbb::global_control> limit;
}

void set_threads(int n) {
  limit.reset();
  if (n > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(n));
}

int threads() {
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(static_cast<int>(allowed), tbb::info::default_concurrency());
}

}  // namespace limber
