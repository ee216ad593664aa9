#include "limber/record/checkpoint.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <fstream>
#include <limits>

#include "limber/core/errors.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Vector awkward() {
  Vector x(8);
  x << -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), std::bit_cast<double>(0x7ff8dead0000beefu),
      std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), 0.1;
  return x;
}

Checkpoint sample() {
  Checkpoint c;
  c.step = 123456789012;
  c.frames = 42;
  c.rows = 43;
  c.history = {{awkward(), 2 * awkward(), 0.3, awkward().reverse()}, {awkward(), Vector::Zero(8), -0.0, {}}};
  c.numbers = {{"damping_loss", 0.1 + 0.2}, {"", -0.0}, {"nan", std::numeric_limits<double>::quiet_NaN()}};
  c.vectors = {{"lagged", awkward()}, {"none", Vector()}};
  c.texts = {{"notes", "[]"}, {"", std::string("a\0b", 3)}};
  c.scene_text = std::string("{\"name\": \"ř\"}\n\0 and more", 26);
  return c;
}

std::vector<std::uint64_t> bits(const Vector& x) {
  std::vector<std::uint64_t> all;
  for (const double value : x) all.push_back(std::bit_cast<std::uint64_t>(value));
  return all;
}

std::string loading_error(const std::string& path) {
  try {
    load_checkpoint(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, GivesBackEveryBit) {
  const Scratch scratch;
  const Checkpoint c = sample();
  save_checkpoint(scratch.file("c"), c);
  save_checkpoint(scratch.file("c"), c, Durable::power_cut);
  const Checkpoint d = load_checkpoint(scratch.file("c")).value();
  EXPECT_EQ(d.step, c.step);
  EXPECT_EQ(d.frames, c.frames);
  EXPECT_EQ(d.rows, c.rows);
  ASSERT_EQ(d.history.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(bits(d.history[i].q), bits(c.history[i].q));
    EXPECT_EQ(bits(d.history[i].v), bits(c.history[i].v));
    EXPECT_EQ(bits(d.history[i].a), bits(c.history[i].a));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(d.history[i].t), std::bit_cast<std::uint64_t>(c.history[i].t));
  }
  EXPECT_EQ(d.history[1].a.size(), 0);
  ASSERT_EQ(d.numbers.size(), c.numbers.size());
  for (const auto& [name, x] : c.numbers)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(d.numbers.at(name)), std::bit_cast<std::uint64_t>(x)) << name;
  ASSERT_EQ(d.vectors.size(), c.vectors.size());
  for (const auto& [name, x] : c.vectors) EXPECT_EQ(bits(d.vectors.at(name)), bits(x)) << name;
  EXPECT_EQ(d.texts, c.texts);
  EXPECT_EQ(d.scene_text, c.scene_text);
  EXPECT_FALSE(std::filesystem::exists(temporary_name(scratch.file("c"))));
}

TEST(Checkpoint, AbsentIsNotAnError) {
  const Scratch scratch;
  EXPECT_FALSE(load_checkpoint(scratch.file("none")).has_value());
}

TEST(Checkpoint, IsRefusedIfCutAnywhere) {
  const Scratch scratch;
  const std::string path = scratch.file("c");
  save_checkpoint(path, sample());
  for (std::uintmax_t size = std::filesystem::file_size(path); size > 0;) {
    std::filesystem::resize_file(path, --size);
    EXPECT_THROW(load_checkpoint(path), InputError) << size;
  }
}

TEST(Checkpoint, IsRefusedIfAnyByteDiffers) {
  const Scratch scratch;
  const std::string path = scratch.file("c");
  save_checkpoint(path, sample());
  const std::string whole = read_file(path);
  File file = File::open(path);
  for (std::size_t place = 0; place < whole.size(); ++place) {
    const char other = static_cast<char>(whole[place] ^ 0x40);
    file.write_at(static_cast<off_t>(place), &other, 1);
    EXPECT_THROW(load_checkpoint(path), InputError) << place;
    file.write_at(static_cast<off_t>(place), &whole[place], 1);
  }
  EXPECT_TRUE(load_checkpoint(path).has_value());
  file.append(" ");
  EXPECT_NE(loading_error(path).find("bytes after its end"), std::string::npos);
}

TEST(Checkpoint, SaysTheFileAndWhatToDo) {
  const Scratch scratch;
  std::ofstream(scratch.file("c")) << "something else altogether";
  EXPECT_EQ(loading_error(scratch.file("c")),
            scratch.file("c") +
                ": cannot be resumed from: it does not begin like a checkpoint; start the run again with "
                "--overwrite");
}

TEST(Checkpoint, FullDiskKeepsTheFormerOne) {
  const Scratch scratch;
  const std::string path = scratch.file("c");
  save_checkpoint(path, sample());
  std::filesystem::create_symlink("/dev/full", temporary_name(path));
  Checkpoint later = sample();
  later.step += 1;
  try {
    save_checkpoint(path, later);
    FAIL() << "a full disk went unnoticed";
  } catch (const OutputError& error) {
    EXPECT_EQ(std::string(error.what()), temporary_name(path) + ": cannot be written: the disk is full");
  }
  EXPECT_EQ(load_checkpoint(path).value().step, sample().step);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(temporary_name(path))));
}

}  // namespace
}  // namespace limber::test
