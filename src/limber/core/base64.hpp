#pragma once  // internal
/// Bytes as text of 64 characters, and back (RFC 4648, section 4).

#include <cstddef>
#include <string>
#include <string_view>

namespace limber {

/// With padding, without line ends.
std::string base64_encoded(std::string_view bytes);

struct Base64Bytes {
  std::string bytes;
  std::size_t end = 0;  // of the text that was read: before a character that is not base64, a space or padding
};
/// At most `most` bytes. Padding may stand between parts.
Base64Bytes base64_decoded(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace limber
