/// What a session of the viewer is composed of.

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/view/board.hpp"
#include "limber/view/play_clock.hpp"
#include "limber/view/waiting.hpp"

namespace limber {
namespace {

TEST(Waiting, HandsOutInOrderAndRefusesTooMuch) {
  Waiting waiting;
  std::vector<int> done;
  waiting.add([&] { done.push_back(1); });
  EXPECT_TRUE(waiting.add_if_room([&] { done.push_back(2); }, 40u << 20));
  EXPECT_FALSE(waiting.add_if_room([] {}, 40u << 20));
  waiting.next(std::nullopt)();
  waiting.next(std::nullopt)();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  EXPECT_TRUE(waiting.add_if_room([] {}, 40u << 20)) << "what was handed out keeps nothing waiting";
  EXPECT_TRUE(waiting.next(Waiting::Clock::time_point()));
  EXPECT_FALSE(waiting.next(Waiting::Clock::time_point())) << "there is nothing left";
  waiting.add([] {});
  waiting.end();
  EXPECT_FALSE(waiting.next(std::nullopt)) << "nothing is begun at the end";
}

TEST(PlayClock, StepsAreDueAtTheChosenSpeed) {
  PlayClock clock;
  clock.start(3);
  clock.set_speed(2);
  const std::chrono::duration<double> later = clock.due(5, false) - clock.due(4, false);
  EXPECT_NEAR(later.count(), .5, 1e-6);
  clock.set_speed(0);
  EXPECT_EQ(clock.due(5, false), PlayClock::Clock::time_point()) << "as fast as it can";
}

TEST(PlayClock, TheSpeedThatIsReachedIsAtMostTheChosenOne) {
  PlayClock clock;
  clock.start(0);
  EXPECT_EQ(clock.reached(), 0);
  clock.stepped(0, 1e6, PlayClock::Clock::now(), false);  // in hardly any time
  EXPECT_EQ(clock.reached(), 1);
  clock.forget_reached();
  EXPECT_EQ(clock.reached(), 0);
}

TEST(ViewBoard, TellsThePageWhateverIsThrown) {
  int changes = 0;
  ViewBoard board([&] { ++changes; });
  board.guard(7, "pull", [] { throw InputError("to", "is no list"); });
  board.guard(8, "step", [] { throw 3; });
  board.guard(9, "play", [] {});
  EXPECT_THROW(board.guard(9, "play", [] { throw Interrupted(); }), Interrupted);
  const auto answers = board.take_answers();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(answers[0].client, 7u);
  EXPECT_NE(answers[0].text.find("is no list"), std::string::npos) << answers[0].text;
  EXPECT_EQ(answers[1].client, 8u);
  EXPECT_NE(answers[1].text.find("unknown reason"), std::string::npos) << answers[1].text;
  EXPECT_TRUE(board.take_answers().empty());
}

}  // namespace
}  // namespace limber
