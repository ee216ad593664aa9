#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>

#include "record/scratch.hpp"

namespace limber::test {
namespace {

struct Shown {
  int status;
  std::string text;
};

/// What an independent reader (Python's XML parser and h5py) finds.
Shown show(const std::string& xdmf) {
  const std::string command =
      "/usr/bin/python3 '" LIMBER_SOURCE_DIR "/tests/record/check_trajectory.py' '" + xdmf + "' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

std::string expected(const TrajectoryHeader& header, long frames) {
  std::string text;
  for (long k = 0; k < frames; ++k) {
    const Frame frame = made_up_frame(header, k);
    char line[100];
    std::snprintf(line, sizeof line, "%.9e\n", frame.q.sum());
    std::string time = std::to_string(k / 10) + "." + std::to_string(k % 10);
    text += time + " " + line;
  }
  return text;
}

void expect_shown(const TrajectoryHeader& header, long frames, const std::string& name) {
  const Scratch scratch;
  auto writer = TrajectoryWriter::create(scratch.file(name + ".h5"), header);
  for (long k = 0; k < frames; ++k) {
    Frame frame = made_up_frame(header, k);
    frame.t = std::stod(std::to_string(k / 10) + "." + std::to_string(k % 10));
    write(writer, k, frame);
  }
  EXPECT_EQ(listed_frames(scratch.file(name + ".xdmf")), frames);
  const Shown shown = show(scratch.file(name + ".xdmf"));
  if (shown.status == 77) GTEST_SKIP() << "h5py is not installed";
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_EQ(shown.text, expected(header, frames));
}

TEST(Xdmf, ListsTheFramesOfTetrahedra) { expect_shown(strip(30, 12), 12, "trajectory"); }

TEST(Xdmf, ListsOnlyWrittenFrames) { expect_shown(strip(30, 12), 7, "trajectory"); }

TEST(Xdmf, ListsNothingAtTheStart) { expect_shown(strip(30, 3), 0, "trajectory"); }

TEST(Xdmf, ListsSprings) {
  TrajectoryHeader header = strip(30, 3);
  header.tets.clear();
  header.region.clear();
  header.edges = {{0, 1}, {1, 29}};
  expect_shown(header, 3, "springs");
}

TEST(Xdmf, ListsTetrahedraAndSpringsTogether) {
  TrajectoryHeader header = strip(30, 3);
  header.edges = {{0, 1}, {1, 29}};
  header.velocities = Velocities::omit;
  expect_shown(header, 2, "both");
}

TEST(Xdmf, EscapesTheNameOfTheTrajectory) { expect_shown(strip(10, 4), 2, "a--b & <c>"); }

}  // namespace
}  // namespace limber::test
