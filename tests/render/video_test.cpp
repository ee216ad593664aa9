#include "limber/render/video.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

std::string scratch(const std::string& name) { return (std::filesystem::temp_directory_path() / name).string(); }

TEST(Video, OddSizesAreRefused) { EXPECT_THROW(VideoWriter(scratch("limber_odd.mp4"), {101, 64}, 30), InputError); }

TEST(Video, SaysThatTheProgramIsMissing) {
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  ::setenv("PATH", "/nonexistent", 1);
  std::string said;
  try {
    VideoWriter video(scratch("limber_missing.mp4"), {64, 64}, 30);
    video.finish();
  } catch (const OutputError& error) {
    said = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(said.find("ffmpeg was not found"), std::string::npos) << said;
}

TEST(Video, SaysWhyItCannotBeWritten) {
  std::string said;
  try {
    VideoWriter video(scratch("limber_no_such_folder/movie.mp4"), {64, 64}, 30);
    const Image image{64, 64, std::vector<std::uint8_t>(64 * 64 * 3, 100)};
    for (int k = 0; k < 300; ++k) video.add(image);
    video.finish();
  } catch (const OutputError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("limber_no_such_folder"), std::string::npos) << said;
}

/// What is said of a program `ffmpeg` that does this instead.
std::string said_of_a_program_that(const std::string& does) {
  const std::string folder = scratch("limber_video_" + std::to_string(::getpid())), program = folder + "/ffmpeg",
                    path = std::getenv("PATH") ? std::getenv("PATH") : "";
  std::filesystem::create_directory(folder);
  std::ofstream(program) << "#!/bin/sh\n" << does << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("PATH", (folder + ":" + path).c_str(), 1);
  std::string said;
  try {
    VideoWriter video(folder + "/movie.mp4", {64, 64}, 30);
    video.finish();
  } catch (const OutputError& error) {
    said = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::remove_all(folder);
  return said;
}

TEST(Video, SaysHowAProgramEndedThatSaidNothing) {
  EXPECT_TRUE(said_of_a_program_that("exit 3").ends_with("ffmpeg failed: it said nothing, and ended with status 3"));
  EXPECT_TRUE(said_of_a_program_that("kill -9 $$").ends_with("was ended by signal 9 (Killed)"));
  EXPECT_TRUE(said_of_a_program_that("echo no room >&2; exit 3").ends_with("ffmpeg failed: no room"));
}

}  // namespace
}  // namespace limber
