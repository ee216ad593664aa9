#include "limber/scene/construction/shares.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// The first of two processes, of which the other one is not there.
class FirstOfTwo final : public Communicator {
 public:
  int size() const override { return 2; }
};

std::atomic<int> heard = 0;
void hear(int, siginfo_t*, void*) { ++heard; }

/// METIS takes SIGTERM for itself while it works: a program that is told to end in that time would crash, or hear
/// nothing of it.
TEST(Shares, ElementsAreCutWhileSignalsCome) {
  struct sigaction ours = {}, before;
  ours.sa_sigaction = hear;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGTERM, &ours, &before);
  heard = 0;
  const ElementMesh mesh = linear_elements(box_mesh({0, 0, 0}, {4, 1, 1}, {60, 20, 20}, Split::five));
  std::atomic<bool> done = false;
  int sent = 0;
  std::thread sender([&, cutter = pthread_self()] {
    while (!done) {
      pthread_kill(cutter, SIGTERM);
      ++sent;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const FirstOfTwo two;
  Shares shares(two);
  std::vector<int> process;
  std::string refused;
  try {
    process = shares.cut(mesh, 0, false);
  } catch (const InputError& e) {
    refused = e.what();
  }
  done = true;
  sender.join();
  struct sigaction after;
  sigaction(SIGTERM, nullptr, &after);
  sigaction(SIGTERM, &before, nullptr);
  if (refused.find("without METIS") != std::string::npos) GTEST_SKIP() << refused;
  EXPECT_EQ(refused, "");
  EXPECT_EQ(after.sa_sigaction, ours.sa_sigaction);
  EXPECT_EQ(after.sa_flags & ours.sa_flags, ours.sa_flags);
  EXPECT_GT(heard, 0);
  EXPECT_GT(sent, 1);
  ASSERT_EQ(process.size(), mesh.count());
  const auto second = std::count(process.begin(), process.end(), 1);
  EXPECT_NEAR(static_cast<double>(second), .5 * static_cast<double>(mesh.count()),
              .05 * static_cast<double>(mesh.count()));
}

}  // namespace
}  // namespace limber
