#pragma once
/// Files written so that a killed process or a full disk leaves what was there before readable. Every failure is an
/// OutputError that names the path and the reason.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace limber {

/// "path: cannot be written: the disk is full", from a value of errno.
[[noreturn]] void throw_output_error(const std::string& path, int error);

/// A value of errno in words; a full disk is called that.
std::string error_text(int error);

enum class Durable {
  killed_process,  // what was written is there after kill -9
  power_cut,       // and after the machine stops: waits for the disk
};

/// A file descriptor. Short writes are continued; offsets and sizes are in bytes.
class File {
 public:
  /// Creates or empties the file.
  static File create(const std::string& path);
  /// Opens an existing file for reading and writing.
  static File open(const std::string& path);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  const std::string& path() const { return path_; }
  void write_at(off_t offset, const void* data, std::size_t size);
  /// All of it; throws OutputError if there is less.
  void read_at(off_t offset, void* data, std::size_t size) const;
  /// At the end of the file. If it fails, the file keeps the length that it had.
  void append(std::string_view data);
  void truncate(off_t size);
  off_t size() const;
  /// Where, from `offset` on, there is something else than a hole; size() or more if nowhere.
  off_t next_data(off_t offset) const;
  void sync();
  void close();

 private:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_ = -1;
  std::string path_;
};

/// The name under which `path` is prepared before it is renamed.
std::string temporary_name(const std::string& path);

/// Replaces `path` by the finished file under its temporary name; removes that file if it cannot.
void rename_temporary(const std::string& path);

/// The file has either its old or its new content, at any moment.
void write_atomically(const std::string& path, std::string_view data, Durable durable = Durable::killed_process);

/// Throws InputError(path, …).
std::string read_file(const std::string& path);

}  // namespace limber
