#include "limber/record/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "limber/core/errors.hpp"

namespace limber {

std::string error_text(int error) {
  if (error == ENOSPC) return "the disk is full";
  if (error == EDQUOT) return "the disk quota is used up";
  return std::generic_category().message(error);
}

void throw_output_error(const std::string& path, int error) {
  throw OutputError(path + ": cannot be written: " + error_text(error));
}

namespace {

int open_or_throw(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_output_error(path, errno);
  return descriptor;
}

// The entry of a renamed file lives in its directory, which has to reach the disk too.
void sync_directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const int descriptor = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw_output_error(path, errno);
  const int failed = ::fsync(descriptor) < 0 ? errno : 0;
  ::close(descriptor);
  if (failed && failed != EINVAL) throw_output_error(path, failed);
}

}  // namespace

File File::create(const std::string& path) { return File(open_or_throw(path, O_RDWR | O_CREAT | O_TRUNC), path); }

File File::open(const std::string& path) { return File(open_or_throw(path, O_RDWR), path); }

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void File::write_at(off_t offset, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::pwrite(descriptor_, next, size, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_output_error(path_, errno);
    if (written == 0) throw_output_error(path_, ENOSPC);
    next += written;
    offset += written;
    size -= static_cast<std::size_t>(written);
  }
}

void File::read_at(off_t offset, void* data, std::size_t size) const {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_, next, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw OutputError(path_ + ": cannot be read back: " + error_text(got < 0 ? errno : EIO));
    next += got;
    offset += got;
    size -= static_cast<std::size_t>(got);
  }
}

void File::append(std::string_view data) {
  const off_t before = size();
  try {
    write_at(before, data.data(), data.size());
  } catch (const OutputError&) {
    // The first error is the one to report; a device or a vanished file cannot be shortened.
    [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, before);
    throw;
  }
}

void File::truncate(off_t size) {
  if (::ftruncate(descriptor_, size) < 0) throw_output_error(path_, errno);
}

off_t File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) < 0) throw_output_error(path_, errno);
  return status.st_size;
}

off_t File::next_data(off_t offset) const {
  const off_t data = ::lseek(descriptor_, offset, SEEK_DATA);
  if (data >= 0) return data;
  return errno == ENXIO ? std::max(size(), offset) : offset;
}

void File::sync() {
  if (::fsync(descriptor_) < 0 && errno != EINVAL) throw_output_error(path_, errno);
}

void File::close() {
  // Network file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) < 0 && errno != EINTR) throw_output_error(path_, errno);
}

std::string temporary_name(const std::string& path) { return path + ".tmp"; }

void rename_temporary(const std::string& path) {
  const std::string temporary = temporary_name(path);
  if (::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(temporary.c_str());
  throw_output_error(path, error);
}

void write_atomically(const std::string& path, std::string_view data, Durable durable) {
  const std::string temporary = temporary_name(path);
  File file = File::create(temporary);
  try {
    file.write_at(0, data.data(), data.size());
    if (durable == Durable::power_cut) file.sync();
    file.close();
  } catch (const OutputError&) {
    ::unlink(temporary.c_str());
    throw;
  }
  rename_temporary(path);
  if (durable == Durable::power_cut) sync_directory_of(path);
}

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  // An empty file sets the fail bit of `content`, not of `in`.
  if (!in || std::filesystem::is_directory(path) || !(content << in.rdbuf() || in.peek() == EOF))
    throw InputError(path, "cannot be read" + (errno ? ": " + error_text(errno) : std::string()));
  return std::move(content).str();
}

}  // namespace limber
