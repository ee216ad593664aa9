/// Runs killed by SIGKILL at random moments: what they leave is readable, and going on gives the same bits.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>

#include "limber/record/checkpoint.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

/// Runs `action(begun)` in a child process and kills that `delay` [µs] after it called begun(). True if the action came
/// to its end before.
template <class Action>
bool run_and_kill(unsigned delay, const Action& action) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    try {
      action([&] { ::close(ends[1]); });
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  char nothing = 0;
  EXPECT_EQ(::read(ends[0], &nothing, 1), 0);
  ::close(ends[0]);
  ::usleep(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << "the run failed";
  return WIFEXITED(status);
}

TEST(Crash, KilledRunLeavesReadableFrames) {
  const Scratch scratch;
  const std::string path = scratch.file("trajectory.h5");
  const TrajectoryHeader header = strip(60, 2000);
  std::vector<Frame> frames;
  for (long k = 0; k < header.frames; ++k) frames.push_back(made_up_frame(header, k));
  TrajectoryWriter::create(path, header);
  std::mt19937 random(1);
  int in_the_middle = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const bool while_creating = attempt % 4 == 3;
    run_and_kill(static_cast<unsigned>(random() % 10000), [&](const auto& begun) {
      if (while_creating) begun();
      auto writer = TrajectoryWriter::create(path, header);
      if (!while_creating) begun();
      for (long k = 0; k < header.frames; ++k) write(writer, k, frames[static_cast<std::size_t>(k)]);
    });
    const TrajectoryReader reader(path);
    const long written = reader.frames();
    in_the_middle += written > 0 && written < header.frames;
    for (long k = 0; k < written; ++k) ASSERT_TRUE(reader.frame(k) == frames[static_cast<std::size_t>(k)]) << k;
    EXPECT_EQ(reader.times().size(), static_cast<std::size_t>(written));
    // The list of frames is a frame behind, or belongs to the file that was about to replace this one.
    const long listed = listed_frames(scratch.file("trajectory.xdmf"));
    EXPECT_TRUE(listed == written || listed == written - 1 || listed == 0) << listed << " of " << written;
  }
  EXPECT_GT(in_the_middle, 5);
}

/// A made-up simulation that does all that a driver does: q' = 3.99 q (1 − q) is chaotic, so a lost bit would show.
void simulate(const std::string& directory, const TrajectoryHeader& header, int pause) {
  constexpr long every = 15;
  const RunDirectory run = prepare_directory(directory, Existing::resume);
  const std::string checkpoint_file = run.file(run_file::checkpoint);
  const auto last = load_checkpoint(checkpoint_file);
  const Index n = 3 * static_cast<Index>(header.nodes.size());
  State u = last ? last->history.at(0) : State{Vector::LinSpaced(n, 0.1, 0.9), Vector::Zero(n), 0};
  Checkpoint now = last.value_or(Checkpoint{});
  auto trajectory = last ? TrajectoryWriter::resume(run.file(run_file::trajectory), header, last->frames)
                         : TrajectoryWriter::create(run.file(run_file::trajectory), header);
  auto table = last ? EnergyTable::resume(run.file(run_file::energy), last->rows)
                    : EnergyTable::create(run.file(run_file::energy));
  const auto record = [&] {
    if (now.step % 2 == 0) trajectory.write_frame(trajectory.frames(), u.t, u.q, u.v, u.q.minCoeff(), u.q.head(6));
    table.add({.time = u.t, .kinetic = u.v.squaredNorm(), .total = u.q.sum(), .more = {}});
  };
  if (!last) record();
  while (trajectory.frames() < header.frames) {
    const Vector next = 3.99 * u.q.array() * (1 - u.q.array());
    u = {next, next - u.q, u.t + 0.01};
    ++now.step;
    record();
    if (now.step % every == 0) {
      now.history = {u};
      now.frames = trajectory.frames();
      now.rows = table.rows();
      save_checkpoint(checkpoint_file, now);
    }
    if (pause) ::usleep(static_cast<unsigned>(pause));
  }
}

TEST(Crash, ResumedRunsEndInTheSameFiles) {
  const Scratch whole, broken;
  const TrajectoryHeader header = strip(100, 150);
  simulate(whole.path(), header, 0);
  std::mt19937 random(2);
  int kills = 0;
  // Attempts live longer and longer, so that on a slow disk too some of them reach a checkpoint.
  const auto delay = [&] { return static_cast<unsigned>(random() % (5000u * static_cast<unsigned>(kills + 1))); };
  const auto simulation = [&](const auto& begun) {
    begun();
    simulate(broken.path(), header, 100);
  };
  while (!run_and_kill(delay(), simulation)) ASSERT_LT(++kills, 500);
  EXPECT_GT(kills, 1);
  for (const char* name : {run_file::trajectory, run_file::xdmf, run_file::energy, run_file::checkpoint})
    EXPECT_EQ(read_file(whole.file(name)), read_file(broken.file(name))) << name;
}

}  // namespace
}  // namespace limber::test
