#pragma once
/// Permissions for reading files: each file named by a scene, or by such a file, is opened through a FileAccess. The
/// program may open anything its user may read; the viewer only its folders and files named by the user.

#include <memory>
#include <string>
#include <vector>

namespace limber {

class FileAccess {
 public:
  /// Permits everything.
  FileAccess() = default;
  /// Permits files in these folders, with symbolic links resolved, and these files. Paths are absolute.
  FileAccess(const std::vector<std::string>& folders, const std::vector<std::string>& files);

  /// Throws InputError(where, …) for a file that may not be opened. Paths outside the folders are not inspected, so the
  /// answer does not reveal what exists there.
  void require(const std::string& path, const std::string& where) const;
  /// The whole file. Throws InputError.
  std::string load(const std::string& path) const;
  /// The whole of a file named by the file at `path`, which may only name files in its own folder or below. Throws
  /// InputError.
  std::string load_beside(const std::string& path, const std::string& name) const;
  /// The files that match the pattern, with * for any characters and ? for one, ordered by the numbers in their names;
  /// the folder is taken literally. Empty if there are none. Throws InputError(where, …) before looking in a forbidden
  /// folder.
  std::vector<std::string> matching(const std::string& pattern, const std::string& where) const;

 private:
  struct Limits;
  bool allows(const std::string& path) const;
  std::shared_ptr<const Limits> limits_;  // null: everything is permitted
};

}  // namespace limber
