#pragma once
/// Bytes that are wrong on purpose, for fuzz tests. Equal seeds damage alike.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace limber::test {

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  /// One to three times.
  void operator()(std::string& s) {
    for (std::size_t k = 1 + below(3); k > 0; --k) once(s);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  std::uint64_t bits() { return random_(); }

  void once(std::string& s) {
    const std::size_t at = below(s.size()), length = std::min(below(40), s.size() - at);
    switch (below(9)) {
      case 0:
        s.resize(at);
        break;
      case 1:
        s.erase(at, length);
        break;
      case 2:
        s.insert(below(s.size() + 1), s.substr(at, length));
        break;
      case 3:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ 1 << below(8));
        break;
      case 4:
        if (!s.empty()) s[at] = static_cast<char>(random_());
        break;
      case 5:
        overwrite(s, at, whole_number(), std::size_t{1} << below(4));
        break;
      case 6:
        overwrite(s, at, number(), sizeof(double));
        break;
      default:
        replace_digits(s, at);
    }
  }

  /// Numbers that are often wrong.
  std::int64_t whole_number() {
    const std::int64_t numbers[] = {0,     -1,    1,     2,          3,          127,        255,       1ll << 53,
                                    32767, 65535, 65536, 2147483647, 2147483648, 4294967295, INT64_MAX, INT64_MIN};
    return numbers[below(std::size(numbers))];
  }
  double number() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double numbers[] = {0,   -1,    1,    .5,     7,        -1e-300,   1e300,        -1e300,
                              1e9, 4.3e9, 1e18, 1.9e19, infinity, -infinity, std::nan(""), 1e-9};
    return numbers[below(std::size(numbers))];
  }

 private:
  template <class Number>
  static void overwrite(std::string& s, std::size_t at, Number n, std::size_t bytes) {
    std::memcpy(s.data() + at, &n, std::min(bytes, s.size() - at));
  }

  /// The digits at or behind `at`.
  void replace_digits(std::string& s, std::size_t at) {
    const char* words[] = {"0",     "-1",  "1", "2",   "4294967296", "99999999999999999999",
                           "1e999", "nan", "-", "3.5", "",           "1e-400"};
    const std::size_t begin = s.find_first_of("0123456789", at);
    if (begin == s.npos) return;
    const std::size_t end = std::min(s.find_first_not_of("0123456789.eE+-", begin), s.size());
    s.replace(begin, end - begin, words[below(std::size(words))]);
  }

  std::mt19937_64 random_;
};

/// How many cases a fuzz test has: as the environment says, or this many.
inline int fuzz_cases(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

}  // namespace limber::test
