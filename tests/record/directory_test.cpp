#include "limber/record/directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "limber/core/errors.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& directory, Existing existing) {
  try {
    prepare_directory(directory, existing);
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "output.directory");
    return error.what();
  }
  return "";
}

TEST(RunDirectory, IsMadeWithItsParents) {
  const Scratch scratch;
  for (const Existing existing : {Existing::refuse, Existing::resume, Existing::overwrite})
    EXPECT_EQ(prepare_directory(scratch.file("a/b/c"), existing).file(run_file::energy),
              scratch.file("a/b/c/energy.csv"));
  EXPECT_TRUE(fs::is_directory(scratch.file("a/b/c")));
}

TEST(RunDirectory, IsRefusedIfNotEmpty) {
  const Scratch scratch;
  std::ofstream(scratch.file("energy.csv")) << "x";
  const std::string why = refusal(scratch.path(), Existing::refuse);
  EXPECT_NE(why.find("is not empty"), std::string::npos);
  EXPECT_NE(why.find("--resume"), std::string::npos);
  EXPECT_NE(why.find("--overwrite"), std::string::npos);
  EXPECT_EQ(refusal(scratch.path(), Existing::resume), "");
  EXPECT_TRUE(fs::exists(scratch.file("energy.csv")));
}

TEST(RunDirectory, OverwriteRemovesOnlyOwnFiles) {
  const Scratch scratch;
  for (const char* name : {"trajectory.h5", "trajectory.xdmf", "energy.csv", "energy.png", "summary.json", "scene.json",
                           "checkpoint.bin", "checkpoint.bin.tmp", "notes.txt", "trajectory.h5.bak"})
    std::ofstream(scratch.file(name)) << "x";
  prepare_directory(scratch.path(), Existing::overwrite);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(scratch.path())) left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"notes.txt", "trajectory.h5.bak"}));
}

TEST(RunDirectory, IsRefusedIfItCannotBeWritten) {
  const Scratch scratch;
  std::ofstream(scratch.file("file")) << "x";
  EXPECT_NE(refusal(scratch.file("file"), Existing::overwrite).find("is a file"), std::string::npos);
  EXPECT_NE(refusal(scratch.file("file/below"), Existing::refuse).find("cannot be made"), std::string::npos);
  EXPECT_NE(refusal("/proc/limber", Existing::refuse).find("cannot be made"), std::string::npos);
  EXPECT_NE(refusal("", Existing::refuse), "");
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::create_directory(scratch.file("closed"));
  fs::permissions(scratch.file("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(refusal(scratch.file("closed"), Existing::refuse).find("cannot be written"), std::string::npos);
  EXPECT_NE(refusal(scratch.file("closed/below"), Existing::refuse).find("cannot be made"), std::string::npos);
}

TEST(RunDirectory, TakesOneRunAtATime) {
  const Scratch scratch;
  {
    const RunDirectory first = prepare_directory(scratch.path(), Existing::refuse);
    for (const Existing existing : {Existing::refuse, Existing::resume, Existing::overwrite})
      EXPECT_NE(refusal(scratch.path(), existing).find("another run"), std::string::npos);
  }
  EXPECT_EQ(refusal(scratch.path(), Existing::resume), "");
}

}  // namespace
}  // namespace limber::test
