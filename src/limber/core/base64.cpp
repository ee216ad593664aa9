#include "limber/core/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace limber {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::string base64_encoded(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? base64_digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Base64Bytes base64_decoded(std::string_view text, std::size_t most) {
  Base64Bytes out;
  out.bytes.reserve(std::min(most, text.size() / 4 * 3 + 3));
  std::uint32_t bits = 0;
  int held = 0;     // bits not yet given out
  int in_four = 0;  // characters of the present group of four
  for (; out.end < text.size() && out.bytes.size() < most; ++out.end) {
    const char c = text[out.end];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    const int digit = base64_digit(c);
    if (digit < 0 && c != '=') break;
    in_four = (in_four + 1) % 4;
    if (digit >= 0) {
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
      held += 6;
      if (held >= 8) out.bytes += static_cast<char>(bits >> (held -= 8) & 255);
    }
    if (in_four == 0) held = 0;
  }
  return out;
}

}  // namespace limber
