#include "limber/core/errors.hpp"

#include <gtest/gtest.h>

namespace limber {

TEST(Errors, NearestNameFindsATypo) {
  EXPECT_EQ(nearest_name("yuong", {"young", "poisson", "density"}), "young");
  EXPECT_EQ(nearest_name("Density", {"young", "poisson", "density"}), "density");
  EXPECT_EQ(nearest_name("zzzzzz", {"young", "poisson", "density"}), "");
}

TEST(Errors, InputErrorNamesTheKey) {
  const InputError e("bodies[1].material.poisson", "0.5 is outside (-1, 0.5)");
  EXPECT_STREQ(e.what(), "bodies[1].material.poisson: 0.5 is outside (-1, 0.5)");
}

}  // namespace limber
