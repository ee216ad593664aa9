#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

namespace limber::test {

/// Bytes in a chosen order.
class Binary {
 public:
  explicit Binary(std::endian order) : order_(order) {}
  template <class T>
  Binary& put(T x) {
    char b[sizeof(T)];
    std::memcpy(b, &x, sizeof(T));
    if (order_ != std::endian::native) std::reverse(b, b + sizeof(T));
    out.append(b, sizeof(T));
    return *this;
  }
  Binary& ints(std::initializer_list<std::int32_t> v) {
    for (const auto x : v) put(x);
    return *this;
  }
  Binary& sizes(std::initializer_list<std::uint64_t> v) {
    for (const auto x : v) put(x);
    return *this;
  }
  Binary& text(const std::string& s) {
    out += s;
    return *this;
  }
  std::string out;

 private:
  std::endian order_;
};

}  // namespace limber::test
