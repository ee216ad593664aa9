#include "limber/linalg/blas_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

// Weak, as in blas_threads.cpp: absent when the BLAS is not OpenBLAS.
extern "C" __attribute__((weak)) char* openblas_get_corename();

namespace limber {
namespace {

template <class List>
bool contains(const List& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::string blas_kernel() {
  using GetName = char* (*)();
  GetName get = &openblas_get_corename;
  if (get == nullptr) get = reinterpret_cast<GetName>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  const char* name = get == nullptr ? nullptr : get();
  return name == nullptr ? "" : name;
}

std::vector<std::string> cpu_features() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    std::istringstream words(line.substr(std::min(line.size(), line.find(':') + 1)));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    return all;
  }
  return {};
}

std::string blas_advice(const std::string& kernel, const std::vector<std::string>& features) {
  std::string name = kernel;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.empty()) return "";
  std::string can, better;
  constexpr std::array with_avx2 = {"haswell", "zen", "excavator", "skylakex", "cooperlake", "sapphirerapids"};
  if (contains(features, "avx2") && contains(features, "fma") && !contains(with_avx2, name)) {
    const bool wide = contains(features, "avx512f") && contains(features, "avx512dq") &&
                      contains(features, "avx512bw") && contains(features, "avx512vl");
    can = wide ? "AVX-512" : "AVX2";
    better = wide ? "SkylakeX" : "Haswell";
  }
  // Atomic instructions came with ARMv8.1: small cores such as Cortex-A53 and A72, which the general loops suit, lack
  // them.
  if (name == "armv8" && contains(features, "asimd") && contains(features, "atomics")) {
    can = contains(features, "sve") ? "SVE" : "the instructions of large ARMv8 cores";
    better = "NEOVERSEN1";
  }
  if (better.empty()) return "";
  return fmt::format(
      "OpenBLAS uses its loops for {}, though this processor has {}: linear solves are slower by about a half or more; "
      "OPENBLAS_CORETYPE={} in the environment mends it (docs/performance.md)",
      kernel, can, better);
}

}  // namespace limber
