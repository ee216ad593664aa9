/// A factor that asks for more memory than the process may have.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/solvers/factor.hpp"

namespace limber::test {
namespace {

/// While it lives, the process gets no more than `bytes` in addition.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t bytes) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &former_);
    const rlimit limit{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes, former_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &former_); }

 private:
  rlimit former_{};
};

TEST(OutOfMemory, AFactorSaysWhatItNeeds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the program";
#endif
  const auto factor = make_cholmod_factor();
  if (!factor) GTEST_SKIP() << "without CHOLMOD";
  constexpr int n = 3001;  // not a multiple of 3; every entry: a factor of 36 MB in one piece
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) entries.emplace_back(i, j, i == j ? 2. * n : 1.);
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  factor->analyze(A);
  {
    const MemoryLimit limit(4 << 20);
    try {
      factor->factorize(A);
      ADD_FAILURE() << "there is memory";
    } catch (const OutOfMemory& e) {
      EXPECT_EQ(std::string(e.what()).find("memory ran out: a factor of 3001 unknowns needs 0.036 GB"), 0u) << e.what();
    }
  }
  // With the memory, all is well.
  EXPECT_EQ(factor->factorize(A), SolveReport::Status::ok);
}

}  // namespace
}  // namespace limber::test
