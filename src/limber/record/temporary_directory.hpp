#pragma once
/// A folder for files that nobody keeps: it goes away with everything in it.

#include <filesystem>

namespace limber {

class TemporaryDirectory {
 public:
  /// Throws OutputError.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace limber
