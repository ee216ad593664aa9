#include "limber/core/interrupt.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace limber::test {
namespace {

TEST(Interrupt, NobodyAsksWhereNobodyAnswers) { EXPECT_NO_THROW(heed_interrupts()); }

TEST(Interrupt, WhoIsFurtherOutIsHeededToo) {
  bool outer_goes_on = true, inner_goes_on = true;
  const Interruptible outer([&] { return outer_goes_on; });
  {
    const Interruptible inner([&] { return inner_goes_on; });
    EXPECT_NO_THROW(heed_interrupts());
    inner_goes_on = false;
    EXPECT_THROW(heed_interrupts(), Interrupted);
    inner_goes_on = true;
    outer_goes_on = false;
    EXPECT_THROW(heed_interrupts(), Interrupted);
    outer_goes_on = true;
    inner_goes_on = false;
  }
  EXPECT_NO_THROW(heed_interrupts()) << "the inner one has ended";
}

TEST(Interrupt, ThreadsDoNotEndEachOther) {
  const Interruptible here([] { return false; });
  EXPECT_THROW(heed_interrupts(), Interrupted);
  bool went_on = false;
  std::thread([&] {
    heed_interrupts();
    went_on = true;
  }).join();
  EXPECT_TRUE(went_on);
}

}  // namespace
}  // namespace limber::test
