/// Where the memory of vectors and dense matrices comes from.

#include <array>
#include <mutex>

#include "limber/core/types.hpp"

#if defined(LIMBER_KEEPS_VECTORS) && EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4
namespace limber {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t is_long = static_cast<std::size_t>(-1);  // so that what is used after it was freed is found
#else
constexpr std::size_t is_long = 1024;  // entries
#endif
constexpr std::size_t most_kept = 64;  // vectors
// Those of large bodies are few: there the memory matters more than the time that getting it takes.
constexpr std::size_t is_huge = 1 << 17;  // entries
constexpr std::size_t most_huge = 4;      // vectors
constexpr long patience = 8192;           // what nobody asked for during so many requests goes back

/// Memory that is free, by the time since when it is. All of it comes from Eigen::internal::aligned_malloc, so it does
/// not matter who frees what.
class VectorMemory {
 public:
  /// Null if none of this length is kept.
  double* take(std::size_t n) {
    const std::lock_guard lock(mutex_);
    ++requests_;
    for (std::size_t k = count_; k-- > 0;)
      if (kept_[k].n == n) {
        double* p = kept_[k].p;
        remove(k);
        return p;
      }
    return nullptr;
  }

  void keep(double* p, std::size_t n) {
    const std::lock_guard lock(mutex_);
    while (count_ > 0 && (count_ == most_kept || kept_[0].since + patience < requests_)) give_back(0);
    if (n >= is_huge) make_room_for_huge();
    kept_[count_++] = {p, n, requests_};
  }

 private:
  struct Kept {
    double* p;
    std::size_t n;
    long since;  // in requests
  };

  void make_room_for_huge() {
    std::size_t oldest = 0, huge = 0;
    for (std::size_t k = count_; k-- > 0;)
      if (kept_[k].n >= is_huge) oldest = k, ++huge;
    if (huge == most_huge) give_back(oldest);
  }

  void give_back(std::size_t k) {
    Eigen::internal::aligned_free(kept_[k].p);
    remove(k);
  }

  void remove(std::size_t k) {
    for (--count_; k < count_; ++k) kept_[k] = kept_[k + 1];
  }

  std::mutex mutex_;
  std::array<Kept, most_kept> kept_{};
  std::size_t count_ = 0;
  long requests_ = 0;
};

constinit VectorMemory memory;  // never destroyed: vectors may outlive it

}  // namespace
}  // namespace limber

namespace Eigen::internal {

template <>
double* conditional_aligned_new_auto<double, true>(std::size_t n) {
  if (n == 0) return nullptr;
  check_size_for_overflow<double>(n);
  double* kept = n >= limber::is_long ? limber::memory.take(n) : nullptr;
  return kept ? kept : static_cast<double*>(aligned_malloc(n * sizeof(double)));
}

template <>
void conditional_aligned_delete_auto<double, true>(double* p, std::size_t n) {
  if (p && n >= limber::is_long)
    limber::memory.keep(p, n);
  else
    aligned_free(p);
}

}  // namespace Eigen::internal
#endif
