#include "limber/record/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"

namespace limber {
namespace fs = std::filesystem;

namespace {

constexpr std::array own_files = {run_file::trajectory,  run_file::xdmf,    run_file::energy,  run_file::contacts,
                                  run_file::energy_plot, run_file::summary, run_file::scene,   run_file::checkpoint,
                                  run_file::modes,       run_file::probes,  run_file::cavities};

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  throw InputError("output.directory", fmt::format("'{}' {}", directory, why));
}

void make(const std::string& directory) {
  if (directory.empty()) throw InputError("output.directory", "is empty; name a directory");
  std::error_code error;
  const auto status = fs::status(directory, error);
  if (fs::exists(status) && !fs::is_directory(status)) refuse(directory, "is a file, not a directory");
  fs::create_directories(directory, error);
  if (error) refuse(directory, "cannot be made: " + error_text(error.value()));
  if (::access(directory.c_str(), R_OK | W_OK | X_OK) < 0) refuse(directory, "cannot be written: " + error_text(errno));
}

int lock(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) refuse(directory, "cannot be opened: " + error_text(errno));
  // File systems without locks do without this protection.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    refuse(directory, "is in use by another run; wait for it to end or choose another directory");
  }
  return descriptor;
}

void remove_own_files(const std::string& directory) {
  std::vector<std::string> names(own_files.begin(), own_files.end());
  for (const auto& entry : fs::directory_iterator(directory))
    if (run_file::is_body_surface(entry.path().filename().string())) names.push_back(entry.path().filename().string());
  for (const std::string& name : names) {
    const std::string file = (fs::path(directory) / name).string();
    for (const std::string& old : {file, temporary_name(file)})
      if (::unlink(old.c_str()) < 0 && errno != ENOENT)
        refuse(directory, fmt::format("holds an old {} that cannot be removed: {}", name, error_text(errno)));
  }
}

}  // namespace

std::string run_file::body_surface(std::size_t body) { return fmt::format("surface_{}.obj", body); }

bool run_file::is_body_surface(const std::string& name) {
  static const std::regex pattern("surface_[0-9]+\\.obj");
  return std::regex_match(name, pattern);
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)), path_(std::move(other.path_)) {}

RunDirectory& RunDirectory::operator=(RunDirectory&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(path_, other.path_);
  return *this;
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

RunDirectory prepare_directory(const std::string& directory, Existing existing) {
  make(directory);
  RunDirectory prepared(lock(directory), directory);
  if (existing == Existing::refuse && !fs::is_empty(directory))
    refuse(directory, "is not empty; go on with --resume, replace the old run with --overwrite, or choose another");
  if (existing == Existing::overwrite) remove_own_files(directory);
  return prepared;
}

}  // namespace limber
