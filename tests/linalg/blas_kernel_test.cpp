#include "limber/linalg/blas_kernel.hpp"

#include <gtest/gtest.h>

namespace limber {
namespace {

using Features = std::vector<std::string>;
const Features haswell = {"sse2", "avx", "fma", "avx2"};
const Features xeon = {"sse2", "avx", "fma", "avx2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"};
const Features graviton = {"fp", "asimd", "atomics", "sve"};
const Features small_arm = {"fp", "asimd", "aes", "crc32"};

bool says(const std::string& advice, const std::string& word) { return advice.find(word) != std::string::npos; }

TEST(BlasKernel, OldLoopsOnANewProcessorAreNamedWithTheirRemedy) {
  EXPECT_TRUE(says(blas_advice("Prescott", xeon), "Prescott"));
  EXPECT_TRUE(says(blas_advice("Prescott", xeon), "OPENBLAS_CORETYPE=SkylakeX"));
  EXPECT_TRUE(says(blas_advice("Katmai", haswell), "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(says(blas_advice("Sandybridge", haswell), "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(says(blas_advice("Generic", haswell), "AVX2"));
  EXPECT_TRUE(says(blas_advice("armv8", graviton), "OPENBLAS_CORETYPE=NEOVERSEN1"));
}

TEST(BlasKernel, NothingIsSaidWhereTheLoopsFit) {
  for (const char* kernel : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"}) {
    EXPECT_EQ(blas_advice(kernel, xeon), "");
    EXPECT_EQ(blas_advice(kernel, haswell), "");
  }
  EXPECT_EQ(blas_advice("Prescott", {"sse2", "sse3"}), "");
  EXPECT_EQ(blas_advice("Sandybridge", {"sse2", "avx"}), "");
  EXPECT_EQ(blas_advice("neoversev1", graviton), "");
  EXPECT_EQ(blas_advice("armv8", small_arm), "");
  EXPECT_EQ(blas_advice("", xeon), "");  // another BLAS
  EXPECT_EQ(blas_advice("Prescott", {}), "");
}

}  // namespace
}  // namespace limber
