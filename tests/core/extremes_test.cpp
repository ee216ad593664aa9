/// A number that is not one is never lost among others, wherever it stands, on one process or several.

#include "limber/core/extremes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "limber/core/space.hpp"
#include "support/thread_processes.hpp"

namespace limber::test {
namespace {

const double nan = std::nan("");

std::span<const double> numbers(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

TEST(Extremes, AreThoseOfTheNumbers) {
  const Vector x{{3, -7, 5}};
  EXPECT_EQ(largest(x), 5);
  EXPECT_EQ(largest_magnitude(x), 7);
  EXPECT_EQ(smallest_of(numbers(x)), -7);
  EXPECT_EQ(max_or_nan(2, 3), 3);
  EXPECT_EQ(min_or_nan(2, 3), 2);
  EXPECT_EQ(largest_magnitude(Vector()), 0);
}

TEST(Extremes, KeepNaNAtEachPlace) {
  for (Index n = 1; n < 40; ++n)
    for (Index k = 0; k < n; ++k) {
      Vector x = Vector::LinSpaced(n, -2, 1);
      x[k] = nan;
      EXPECT_TRUE(std::isnan(largest(x)) && std::isnan(largest_magnitude(x)) && std::isnan(smallest_of(numbers(x))))
          << n << k;
      EXPECT_TRUE(std::isnan(serial_space().max_abs(x))) << n << " " << k;
    }
  for (const double other : {-1., 1.}) {
    EXPECT_TRUE(std::isnan(max_or_nan(nan, other)) && std::isnan(max_or_nan(other, nan)));
    EXPECT_TRUE(std::isnan(min_or_nan(nan, other)) && std::isnan(min_or_nan(other, nan)));
  }
}

TEST(Extremes, KeepNaNOnSeveralProcesses) {
  for (const int sick : {-1, 0, 1, 2}) {
    ThreadProcesses processes(3);
    processes.run([&](const Communicator& all) {
      const Space space = Space::numbered(all, {2 * all.rank(), 2 * all.rank() + 1}, 2);
      Vector x = Vector::Constant(6, 1. + all.rank());
      if (all.rank() == sick) x[3] = nan;
      const double most = space.max_abs(x);
      if (sick < 0)
        EXPECT_EQ(most, 3);
      else
        EXPECT_TRUE(std::isnan(most));
    });
  }
}

}  // namespace
}  // namespace limber::test
