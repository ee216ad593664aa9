#include "limber/record/energy_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_plot.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

EnergyRow made_up_row(long k) {
  EnergyRow row;
  row.time = 0.01 * static_cast<double>(k);
  row.kinetic = std::pow(std::sin(row.time * 6), 2) / 3;
  row.elastic = 1e300 / 7 * (k == 1);
  row.gravitational = -0.0;
  row.damping_loss = 5e-324 * static_cast<double>(k);
  row.total = row.kinetic + 1;
  row.newton_iterations = 3 + k;
  row.wall_ms = 0.1 + 0.2;
  row.more = {std::numeric_limits<double>::infinity()};
  return row;
}

void fill(EnergyTable& table, long rows) {
  while (table.rows() < rows) table.add(made_up_row(table.rows()));
}

TEST(EnergyTable, WritesTheFixedColumnsAndRoundTripDigits) {
  const Scratch scratch;
  auto table = EnergyTable::create(scratch.file("energy.csv"), {"external"});
  fill(table, 3);
  const std::string text = read_file(scratch.file("energy.csv"));
  EXPECT_TRUE(
      text.starts_with("time,kinetic,elastic,gravitational,damping_loss,total,newton_iterations,wall_ms,external\n"
                       "0,0,0,-0,0,1,3,0.30000000000000004,inf\n"))
      << text;
  const EnergyRecord record = read_energy_table(scratch.file("energy.csv"));
  ASSERT_EQ(record.rows.size(), 3u);
  for (long k = 0; k < 3; ++k) {
    const EnergyRow row = made_up_row(k);
    EXPECT_EQ(record.rows[k],
              (std::vector<double>{row.time, row.kinetic, row.elastic, row.gravitational, row.damping_loss, row.total,
                                   static_cast<double>(row.newton_iterations), row.wall_ms, row.more[0]}));
  }
  EXPECT_TRUE(std::signbit(record.column("gravitational")[0]));
  EXPECT_THROW(record.column("magnetic"), InputError);
}

TEST(EnergyTable, ResumeDropsLaterRowsAndTornLines) {
  const Scratch whole, broken;
  auto table = EnergyTable::create(whole.file("e.csv"), {"external"});
  fill(table, 6);
  const std::string all = read_file(whole.file("e.csv"));
  {
    auto killed = EnergyTable::create(broken.file("e.csv"), {"external"});
    fill(killed, 4);
  }
  std::ofstream(broken.file("e.csv"), std::ios::app) << "0.04,0.1";
  EXPECT_EQ(read_energy_table(broken.file("e.csv")).rows.size(), 4u);
  for (const long keep : {4, 2, 0}) {
    auto resumed = EnergyTable::resume(broken.file("e.csv"), keep, {"external"});
    EXPECT_EQ(resumed.rows(), keep);
    fill(resumed, 6);
    EXPECT_EQ(read_file(broken.file("e.csv")), all) << keep;
  }
}

TEST(EnergyTable, ResumeRefusesWhatDoesNotFit) {
  const Scratch scratch;
  const std::string path = scratch.file("e.csv");
  {
    auto table = EnergyTable::create(path, {"external"});
    fill(table, 4);
  }
  std::ofstream(path, std::ios::app) << "0.04,0.1";
  const std::string before = read_file(path);
  EXPECT_NE(message_of([&] { EnergyTable::resume(path, 5, {"external"}); }).find("has 4 rows"), std::string::npos);
  EXPECT_NE(message_of([&] { EnergyTable::resume(path, 2); }).find(":1: the columns"), std::string::npos);
  EXPECT_THROW(EnergyTable::resume(scratch.file("none.csv"), 0), InputError);
  EXPECT_EQ(read_file(path), before);
}

TEST(EnergyTable, ReaderNamesTheBadLine) {
  const Scratch scratch;
  std::ofstream(scratch.file("a.csv")) << "time,total\n0,1\n1,x\n";
  EXPECT_EQ(message_of([&] { read_energy_table(scratch.file("a.csv")); }),
            scratch.file("a.csv") + ":3: 'x' is not a number");
  std::ofstream(scratch.file("b.csv")) << "time,total\n0,1,2\n";
  EXPECT_EQ(message_of([&] { read_energy_table(scratch.file("b.csv")); }),
            scratch.file("b.csv") + ":2: 3 values, where the first line names 2 columns");
}

TEST(EnergyTable, FullDiskIsNamed) {
  EXPECT_EQ(message_of([] { EnergyTable::create("/dev/full"); }), "/dev/full: cannot be written: the disk is full");
}

/// Width and height of a PNG from its header.
std::array<int, 2> png_size(const std::string& bytes) {
  const auto number = [&](std::size_t at) {
    int n = 0;
    for (std::size_t i = at; i < at + 4; ++i) n = 256 * n + static_cast<unsigned char>(bytes.at(i));
    return n;
  };
  return {number(16), number(20)};
}

TEST(EnergyPlot, IsDrawnWhateverTheNames) {
  const Scratch scratch;
  const std::string directory = scratch.file("it's; touch \"$(hurt)\" `x`\n");
  std::filesystem::create_directory(directory);
  auto table = EnergyTable::create(directory + "/energy.csv", {"external"});
  fill(table, 5000);
  const auto failed = plot_energy(directory, "a 'b' `touch hurt`\nsystem 'touch hurt' {/Bold x}_2");
  if (failed && failed->find("not found") != std::string::npos) GTEST_SKIP() << *failed;
  EXPECT_EQ(failed, std::nullopt);
  const std::string png = read_file(directory + "/energy.png");
  EXPECT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_EQ(png_size(png), (std::array<int, 2>{1200, 800}));
  EXPECT_FALSE(std::filesystem::exists("hurt"));
}

TEST(EnergyPlot, SaysWhyThereIsNone) {
  const Scratch scratch;
  auto table = EnergyTable::create(scratch.file("energy.csv"), {"external"});
  fill(table, 1);
  EXPECT_NE(plot_energy(scratch.path(), "t").value_or("").find("fewer than two rows"), std::string::npos);
  fill(table, 3);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", scratch.path().c_str(), 1);
  const auto failed = plot_energy(scratch.path(), "t");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(failed.value_or("").find("gnuplot was not found"), std::string::npos) << failed.value_or("drawn");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("energy.png.tmp")));
}

}  // namespace
}  // namespace limber::test
