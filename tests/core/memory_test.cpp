#include "limber/core/memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <string>

#include "limber/core/errors.hpp"

namespace limber::test {
namespace {

TEST(Memory, WhatIsFreeIsLessThanAll) {
  const auto memory = machine_memory();
  if (!memory) GTEST_SKIP() << "the system does not say";
  EXPECT_GT(memory->free, 0);
  EXPECT_LT(memory->free, memory->total);
  EXPECT_GT(memory->total, 1e8);
}

TEST(Memory, ALimitOfTheProcessCounts) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer maps more than there is";
#endif
  if (!machine_memory()) GTEST_SKIP() << "the system does not say";
  rlimit former{};
  ::getrlimit(RLIMIT_AS, &former);
  const rlimit limit{rlim_t{1} << 50, former.rlim_max};  // more than there is: the machine's own counts
  ::setrlimit(RLIMIT_AS, &limit);
  const double wide = machine_memory()->total;
  const rlimit narrow{static_cast<rlim_t>(wide / 2), former.rlim_max};
  ::setrlimit(RLIMIT_AS, &narrow);
  const auto memory = machine_memory();
  ::setrlimit(RLIMIT_AS, &former);
  EXPECT_LT(wide, 1e15);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total, static_cast<double>(narrow.rlim_cur));
  EXPECT_LT(memory->free, memory->total);
}

TEST(Memory, WhatIsMissingIsSaid) {
  const std::string said = OutOfMemory("the factor", 2.5e9).what();
  EXPECT_EQ(said.find("memory ran out: the factor needs 2.5 GB"), 0u) << said;
  if (machine_memory()) {
    EXPECT_NE(said.find(" GB are free"), std::string::npos) << said;
  }
  EXPECT_THROW(throw OutOfMemory("x"), std::bad_alloc);
}

}  // namespace
}  // namespace limber::test
