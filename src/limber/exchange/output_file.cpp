#include "limber/exchange/output_file.hpp"

#include <unistd.h>

namespace limber {

namespace {
constexpr std::size_t enough = 1 << 20;  // [bytes] that are written at once
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(File::create(temporary_name(path))) {}

OutputFile::~OutputFile() {
  if (!finished_) ::unlink(temporary_name(path_).c_str());
}

void OutputFile::write(std::string_view bytes) {
  waiting_ += bytes;
  if (waiting_.size() >= enough) flush();
}

void OutputFile::flush() {
  file_.write_at(written_, waiting_.data(), waiting_.size());
  written_ += static_cast<off_t>(waiting_.size());
  waiting_.clear();
}

void OutputFile::finish() {
  flush();
  file_.close();
  rename_temporary(path_);
  finished_ = true;
}

}  // namespace limber
