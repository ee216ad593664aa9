#pragma once
/// Who may read what: each file that a scene names, and each that such a file names, is opened through one of these.
/// The program opens whatever its user may read; the viewer only what its folders hold and what the user named.

#include <memory>
#include <string>
#include <vector>

namespace limber {

class FileAccess {
 public:
  /// To everything.
  FileAccess() = default;
  /// To what lies in these folders, symbolic links followed, and to these files. Paths are absolute.
  FileAccess(const std::vector<std::string>& folders, const std::vector<std::string>& files);

  /// Throws InputError(where, …) for a file that may not be opened. Nothing outside the folders is looked at, so what
  /// there is makes no difference to the answer.
  void require(const std::string& path, const std::string& where) const;
  /// The whole file. Throws InputError.
  std::string load(const std::string& path) const;
  /// The whole of another file, which the file at `path` names. A file may name what lies in its folder or below it,
  /// nothing else. Throws InputError.
  std::string load_beside(const std::string& path, const std::string& name) const;
  /// The files whose name fits, with * for any letters and ? for one, in the order of the numbers in their names; the
  /// folder is taken as it is. Empty: there are none. Throws InputError(where, …) before it looks where it may not.
  std::vector<std::string> matching(const std::string& pattern, const std::string& where) const;

 private:
  struct Limits;
  bool allows(const std::string& path) const;
  std::shared_ptr<const Limits> limits_;  // none: everything
};

}  // namespace limber
