#include "limber/record/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"

namespace limber {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "limber-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw OutputError(name + ": " + error_text(errno));
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace limber
