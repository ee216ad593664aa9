#include "limber/linalg/blas_threads.hpp"

#include <dlfcn.h>

// Weak: absent when the BLAS is not OpenBLAS. A symbol of one's own module is found even where the module was loaded
// with local scope (as Python does), which dlsym on the global scope would miss.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int);
extern "C" __attribute__((weak)) int omp_get_max_active_levels();
extern "C" __attribute__((weak)) void omp_set_max_active_levels(int);

namespace limber {
namespace {

using SetThreads = void (*)(int);

SetThreads find_setter() {
  if (&openblas_set_num_threads != nullptr) return &openblas_set_num_threads;
  return reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
}

struct OpenMp {
  int (*get)() = nullptr;
  void (*set)(int) = nullptr;
};

OpenMp find_open_mp() {
  if (&omp_set_max_active_levels != nullptr && &omp_get_max_active_levels != nullptr)
    return {&omp_get_max_active_levels, &omp_set_max_active_levels};
  return {reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_active_levels")),
          reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"))};
}

const OpenMp& open_mp() {
  static const OpenMp found = find_open_mp();
  return found;
}

}  // namespace

void pin_blas_threads() {
  static const int pinned = [] {
    if (const SetThreads set = find_setter()) set(1);
    return 1;
  }();
  static_cast<void>(pinned);
}

SerialOpenMp::SerialOpenMp() {
  if (open_mp().get == nullptr || open_mp().set == nullptr) return;
  levels_ = open_mp().get();
  open_mp().set(0);
}

SerialOpenMp::~SerialOpenMp() {
  if (open_mp().get != nullptr && open_mp().set != nullptr) open_mp().set(levels_);
}

}  // namespace limber
