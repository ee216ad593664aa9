#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "limber/core/errors.hpp"
#include "limber/record/trajectory_layout.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

TEST(Trajectory, GivesBackWhatWasWritten) {
  const Scratch scratch;
  const TrajectoryHeader header = strip(12, 5);
  auto writer = TrajectoryWriter::create(scratch.file("trajectory.h5"), header);
  write_frames(writer, header, 3);

  const TrajectoryReader reader(scratch.file("trajectory.h5"));
  EXPECT_EQ(reader.header().nodes, header.nodes);
  EXPECT_EQ(reader.header().tets, header.tets);
  EXPECT_EQ(reader.header().region, header.region);
  EXPECT_EQ(reader.header().bodies, header.bodies);
  EXPECT_EQ(reader.header().prescribed, header.prescribed);
  EXPECT_EQ(reader.header().frames, 5);
  EXPECT_EQ(reader.header().velocities, Velocities::store);
  EXPECT_EQ(reader.header().limber_version, "1.2.3");
  EXPECT_EQ(reader.frames(), 3);
  EXPECT_EQ(reader.times(), (std::vector<double>{0.0, 0.1, 0.2}));
  for (long k = 0; k < 3; ++k) EXPECT_TRUE(reader.frame(k) == made_up_frame(header, k)) << k;
  EXPECT_THROW(reader.frame(3), InputError);

  // The reader follows a run that goes on.
  write_frames(writer, header, 5);
  EXPECT_EQ(reader.frames(), 5);
  EXPECT_TRUE(reader.frame(4) == made_up_frame(header, 4));
}

TEST(Trajectory, TakesSpringsWithoutTetrahedraAndNothingPrescribed) {
  const Scratch scratch;
  TrajectoryHeader header;
  header.nodes = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  header.edges = {{0, 1}, {1, 2}};
  header.frames = 2;
  auto writer = TrajectoryWriter::create(scratch.file("t.h5"), header);
  write_frames(writer, header, 2);
  const TrajectoryReader reader(scratch.file("t.h5"));
  EXPECT_EQ(reader.header().edges, header.edges);
  EXPECT_TRUE(reader.header().tets.empty() && reader.header().bodies.empty() && reader.header().prescribed.empty());
  EXPECT_TRUE(reader.frame(1) == made_up_frame(header, 1));
  EXPECT_EQ(reader.frame(1).v.size(), 0);
}

TEST(Trajectory, EqualRunsGiveEqualFiles) {
  const Scratch first, second;
  const TrajectoryHeader header = strip(40, 6);
  for (const Scratch* scratch : {&first, &second}) {
    auto writer = TrajectoryWriter::create(scratch->file("trajectory.h5"), header);
    write_frames(writer, header, 6);
    if (scratch == &first) ::sleep(1);  // a time stamp would show
  }
  for (const char* name : {"trajectory.h5", "trajectory.xdmf"})
    EXPECT_EQ(read_file(first.file(name)), read_file(second.file(name))) << name;
}

TEST(Trajectory, PlannedFramesTakeNoSpaceOnTheDisk) {
  const Scratch scratch;
  const TrajectoryHeader header = strip(1000, 10000);  // 480 MB when all frames are written
  TrajectoryWriter::create(scratch.file("trajectory.h5"), header);
  EXPECT_GT(std::filesystem::file_size(scratch.file("trajectory.h5")), 480'000'000u);
  struct stat status {};
  ASSERT_EQ(::stat(scratch.file("trajectory.h5").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 2'000'000);
}

TEST(Trajectory, ResumedFileEqualsAnUninterruptedOne) {
  const Scratch whole, broken;
  const TrajectoryHeader header = strip(20, 8);
  auto writer = TrajectoryWriter::create(whole.file("trajectory.h5"), header);
  write_frames(writer, header, 8);
  {
    auto killed = TrajectoryWriter::create(broken.file("trajectory.h5"), header);
    write_frames(killed, header, 6);
  }
  auto resumed = TrajectoryWriter::resume(broken.file("trajectory.h5"), header, 4);
  EXPECT_EQ(resumed.frames(), 4);
  EXPECT_EQ(TrajectoryReader(broken.file("trajectory.h5")).times().size(), 4u);
  EXPECT_EQ(listed_frames(broken.file("trajectory.xdmf")), 4);
  write_frames(resumed, header, 8);
  for (const char* name : {"trajectory.h5", "trajectory.xdmf"})
    EXPECT_EQ(read_file(whole.file(name)), read_file(broken.file(name))) << name;
}

TEST(Trajectory, MoreOrFewerFramesThanPlanned) {
  for (const long planned : {5, 8, 20}) {
    const Scratch whole, changed;
    const TrajectoryHeader first = strip(20, 8), header = strip(20, planned);
    auto writer = TrajectoryWriter::create(whole.file("trajectory.h5"), header);
    write_frames(writer, header, planned);
    {
      auto before = TrajectoryWriter::create(changed.file("trajectory.h5"), first);
      write_frames(before, first, 8);
    }
    auto resumed = TrajectoryWriter::resume(changed.file("trajectory.h5"), header, 4);
    EXPECT_EQ(TrajectoryReader(changed.file("trajectory.h5")).times().size(), 4u);
    EXPECT_EQ(listed_frames(changed.file("trajectory.xdmf")), 4);
    write_frames(resumed, header, planned);
    const TrajectoryReader one(whole.file("trajectory.h5")), other(changed.file("trajectory.h5"));
    EXPECT_EQ(other.frames(), planned);
    EXPECT_EQ(other.header().frames, std::max(planned, 8L));
    EXPECT_EQ(other.times(), one.times());
    for (long k = 0; k < planned; ++k) EXPECT_TRUE(other.frame(k) == one.frame(k)) << k << " of " << planned;
    EXPECT_EQ(listed_frames(changed.file("trajectory.xdmf")), planned);
  }
}

TEST(Trajectory, RoomForManyFramesIsMadeWhenTheyCome) {
  const Scratch scratch;
  const std::string path = scratch.file("trajectory.h5");
  const TrajectoryHeader header = strip(8, 40'000'000);
  auto writer = TrajectoryWriter::create(path, header);
  EXPECT_LT(std::filesystem::file_size(scratch.file("trajectory.xdmf")), 20'000'000u);
  EXPECT_LT(std::filesystem::file_size(path), 20'000'000u);
  constexpr long count = 10'003;
  write_frames(writer, header, 9'999);
  const TrajectoryReader reader(path);
  const auto inode = [&] {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_ino;
  };
  const ino_t before = inode();
  write_frames(writer, header, count);
  EXPECT_EQ(inode(), before);
  EXPECT_EQ(reader.frames(), count);  // one that was open when the file grew
  EXPECT_EQ(reader.header().frames, 20'000);
  for (const long k : {0L, 1L, 9'999L, 10'000L, count - 1})
    EXPECT_TRUE(reader.frame(k) == made_up_frame(header, k)) << k;
  EXPECT_EQ(listed_frames(scratch.file("trajectory.xdmf")), count);
  // From the file with more room back to a checkpoint before it was made.
  auto resumed = TrajectoryWriter::resume(path, header, 9'000);
  write_frames(resumed, header, 9'002);
  EXPECT_TRUE(TrajectoryReader(path).frame(9'001) == made_up_frame(header, 9'001));
  EXPECT_EQ(listed_frames(scratch.file("trajectory.xdmf")), 9'002);
}

/// Between any two writes a run may be killed, or someone may read.
TEST(Trajectory, GrowingFilesCanBeReadAtAnyMoment) {
  const Scratch scratch;
  const std::string path = scratch.file("trajectory.h5");
  const TrajectoryHeader header = strip(8, 5);
  auto writer = TrajectoryWriter::create(path, header);
  write_frames(writer, header, 5);
  // 64 pieces fill a node of their index, which is divided then; the second time it is not the root.
  for (const long room : {7L, 300L, 311L, 700L, 5000L}) {
    const layout::Growth growth = layout::grow(path, layout::locate(path), room);
    File file = File::open(path);
    file.truncate(growth.size);
    for (const auto& [place, bytes] : growth.writes) {
      EXPECT_LE(place % 4096 + static_cast<off_t>(bytes.size()), 4096);
      file.write_at(place, bytes.data(), bytes.size());
      const TrajectoryReader reader(path);
      ASSERT_EQ(reader.frames(), 5) << room;
      for (long k = 0; k < 5; ++k) EXPECT_TRUE(reader.frame(k) == made_up_frame(header, k)) << k << " of " << room;
    }
    EXPECT_EQ(TrajectoryReader(path).header().frames, room);
  }
  auto resumed = TrajectoryWriter::resume(path, strip(8, 5000), 3);
  write_frames(resumed, strip(8, 5000), 4321);
  const TrajectoryReader reader(path);
  for (long k = 0; k < 4321; ++k) ASSERT_TRUE(reader.frame(k) == made_up_frame(header, k)) << k;
}

TEST(Trajectory, RowsLargerThanAPieceAreDivided) {
  const Scratch scratch;
  File file = File::create(scratch.file("numbers"));
  // Two rows of 7 bytes in pieces of 3, the last of each row with one byte.
  const layout::Place place{{30, 0, 20, 50, 40, 10}, 7, 3};
  place.write(file, 0, "abcdefgABCDEFG", 14);
  place.write(file, 8, "xyz", 3);
  const std::string all = read_file(scratch.file("numbers"));
  EXPECT_EQ(all.substr(30, 3) + all.substr(0, 3) + all.substr(20, 1), "abcdefg");
  EXPECT_EQ(all.substr(50, 3) + all.substr(40, 3) + all.substr(10, 1), "AxyzEFG");
}

TEST(Trajectory, ResumeRefusesWhatDoesNotFit) {
  const Scratch scratch;
  const std::string path = scratch.file("trajectory.h5");
  const TrajectoryHeader header = strip(20, 8);
  {
    auto writer = TrajectoryWriter::create(path, header);
    write_frames(writer, header, 3);
  }
  const std::string before = read_file(path);
  const auto why = [&](const TrajectoryHeader& other, long keep) {
    return message_of([&] { TrajectoryWriter::resume(path, other, keep); });
  };
  EXPECT_NE(why(header, 4).find("has 3 frames, but the checkpoint was taken after 4"), std::string::npos);
  EXPECT_NE(why(strip(21, 8), 2).find("number of nodes (20, now 21)"), std::string::npos);
  TrajectoryHeader moved = header;
  moved.nodes[7].y() = std::nextafter(moved.nodes[7].y(), 10.0);
  EXPECT_NE(why(moved, 2).find("rest shape"), std::string::npos);
  TrajectoryHeader pinned = header;
  pinned.prescribed.pop_back();
  EXPECT_NE(why(pinned, 2).find("pinned"), std::string::npos);
  EXPECT_EQ(read_file(path), before);
}

TEST(Trajectory, ReaderRefusesOtherFiles) {
  const Scratch scratch;
  EXPECT_NE(message_of([&] { TrajectoryReader r(scratch.file("none.h5")); }).find("no such file"), std::string::npos);
  std::ofstream(scratch.file("text.h5")) << "time,kinetic\n";
  EXPECT_NE(message_of([&] { TrajectoryReader r(scratch.file("text.h5")); }).find("cannot be read as HDF5"),
            std::string::npos);
  const TrajectoryHeader header = strip(20, 8);
  TrajectoryWriter::create(scratch.file("cut.h5"), header);
  std::filesystem::resize_file(scratch.file("cut.h5"), 3000);
  EXPECT_THROW(TrajectoryReader r(scratch.file("cut.h5")), InputError);
}

/// While it lives, no file may grow beyond `bytes`: to the writer the same as a disk that fills.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &former_);
    const rlimit limit{bytes, former_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &former_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  sighandler_t handler_;
  rlimit former_{};
};

TEST(Trajectory, FullDiskKeepsTheFramesBefore) {
  const Scratch scratch;
  TrajectoryHeader header = strip(500, 40);
  header.velocities = Velocities::omit;
  const std::string path = scratch.file("trajectory.h5");
  auto writer = TrajectoryWriter::create(path, header);
  const auto size = std::filesystem::file_size(path);
  {
    const FileSizeLimit limit(size - 20 * 12000 + 5000);  // in the middle of frame 20
    EXPECT_NE(message_of([&] { write_frames(writer, header, 40); }).find(path + ": cannot be written: "),
              std::string::npos);
  }
  EXPECT_EQ(writer.frames(), 20);
  const TrajectoryReader reader(path);
  ASSERT_EQ(reader.frames(), 20);
  for (long k = 0; k < 20; ++k) EXPECT_TRUE(reader.frame(k) == made_up_frame(header, k)) << k;
  EXPECT_EQ(listed_frames(scratch.file("trajectory.xdmf")), 20);

  auto resumed = TrajectoryWriter::resume(path, header, 20);
  write_frames(resumed, header, 40);
  EXPECT_TRUE(TrajectoryReader(path).frame(39) == made_up_frame(header, 39));
}

TEST(Trajectory, FailedCreationLeavesNothingAndKeepsTheOldFile) {
  const Scratch scratch;
  const std::string path = scratch.file("trajectory.h5");
  const TrajectoryHeader old = strip(12, 2), header = strip(500, 40);
  TrajectoryWriter::create(path, old);
  const std::string before = read_file(path);
  for (const rlim_t limit : {100, 2000, 20000, 500000, 990000}) {
    const FileSizeLimit small(limit);
    EXPECT_THROW(TrajectoryWriter::create(path, header), OutputError) << limit;
    EXPECT_FALSE(std::filesystem::exists(temporary_name(path)));
  }
  EXPECT_EQ(read_file(path), before);
  EXPECT_NE(
      message_of([&] { TrajectoryWriter::create(scratch.file("no/such/place.h5"), header); }).find("No such file"),
      std::string::npos);
}

}  // namespace
}  // namespace limber::test
