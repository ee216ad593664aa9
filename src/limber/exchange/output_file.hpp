#pragma once  // internal
/// A file written from front to back under its temporary name, and renamed when it is complete: what stood there before
/// stays until then, and an error leaves nothing behind. Numbers are written in either byte order.

#include <bit>
#include <string>
#include <string_view>

#include "limber/record/files.hpp"

namespace limber {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Must be called last.
  void finish();

 private:
  void flush();

  std::string path_;
  File file_;
  std::string waiting_;
  off_t written_ = 0;
  bool finished_ = false;
};

inline constexpr auto little = std::endian::little, big = std::endian::big;

/// Appends the bytes of a number, the least or the most significant one first.
template <std::endian order, class T>
void put(std::string& bytes, T x) {
  const char* first = reinterpret_cast<const char*>(&x);
  if constexpr (order == std::endian::native)
    bytes.append(first, sizeof x);
  else
    for (std::size_t i = sizeof x; i-- > 0;) bytes += first[i];
}

}  // namespace limber
