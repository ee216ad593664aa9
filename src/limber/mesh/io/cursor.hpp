#pragma once
/// A file in memory, read from front to back as words or bytes. Every failure names its place: path:line in text, path
/// and byte offset in binary. Counts are compared with the remaining size of the file before memory is reserved, so a
/// damaged file cannot request memory that it does not fill.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace limber {

/// The whole file. Throws InputError(path, …) if it cannot be read.
std::string load_file(const std::string& path);
/// Throws OutputError.
void save_file(const std::string& path, std::string_view bytes);

/// "\"word\"", truncated and with unprintable bytes replaced, for messages.
std::string in_quotes(std::string_view word);
/// In lower case.
std::string lower(std::string_view word);

template <class T>
T swapped_bytes(T x) {
  char b[sizeof(T)];
  std::memcpy(b, &x, sizeof(T));
  std::reverse(b, b + sizeof(T));
  std::memcpy(&x, b, sizeof(T));
  return x;
}

enum class Place { line, byte };
enum class ByteOrder { native, swapped };
inline constexpr bool native_is_little = std::endian::native == std::endian::little;
inline constexpr ByteOrder little_endian = native_is_little ? ByteOrder::native : ByteOrder::swapped;
inline constexpr ByteOrder big_endian = native_is_little ? ByteOrder::swapped : ByteOrder::native;

/// In all functions, `expected` completes "expected …" in the message.
class Cursor {
 public:
  /// `text` must outlive the cursor.
  Cursor(std::string path, std::string_view text) : path_(std::move(path)), text_(text), end_(text.size()) {}
  /// The part [begin, end) of the text, with places counted in the whole text.
  Cursor(std::string path, std::string_view text, std::size_t begin, std::size_t end)
      : path_(std::move(path)), text_(text), pos_(begin), mark_(begin), end_(end) {}

  void places_by(Place place) { place_ = place; }
  void byte_order(ByteOrder order) { order_ = order; }
  /// From here on, this character starts a comment up to the end of the line.
  void comments_from(char c) { comment_ = c; }

  const std::string& path() const { return path_; }
  std::size_t position() const { return pos_; }
  std::size_t left() const { return end_ - pos_; }
  /// Whether only white space is left.
  bool done() const;
  /// The next word without consuming it; empty at the end.
  std::string_view peek() const;
  std::string_view word(std::string_view expected);
  void keyword(std::string_view wanted);
  /// The rest of the current line, without the line end.
  std::string_view rest_of_line();
  /// Skips past the next occurrence of `target`; fails if there is none.
  void skip_past(std::string_view target);

  /// Until close_row, reading is limited to the next line that is not blank.
  void open_row(std::string_view expected);
  void close_row();

  long long integer(std::string_view expected);
  int small_integer(std::string_view expected);
  double real(std::string_view expected);
  /// A real number that may be infinite or NaN.
  double any_real(std::string_view expected);
  /// A count of things that each take at least `bytes_each` bytes in the rest of the file.
  std::size_t count(std::string_view expected, std::size_t bytes_each);
  std::size_t checked_count(long long n, std::string_view expected, std::size_t bytes_each) const;

  std::string_view bytes(std::size_t n, std::string_view expected);
  template <class T>
  T raw(std::string_view expected) {
    static_assert(std::is_arithmetic_v<T>);
    T x;
    std::memcpy(&x, bytes(sizeof(T), expected).data(), sizeof(T));
    return order_ == ByteOrder::swapped ? swapped_bytes(x) : x;
  }
  /// Fails unless x is finite.
  double finite(double x, std::string_view expected) const;
  /// `n` − first as an index into `size` things; otherwise fails with "`thing` n …".
  int index(long long n, long long first, std::size_t size, std::string_view thing) const;

  /// Fails at the position of the last item read.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  /// Start of the next word; end_ if there is none.
  std::size_t next_word() const;
  [[noreturn]] void fail_at_end(std::string_view expected);

  std::string path_;
  std::string_view text_;
  std::size_t pos_ = 0, mark_ = 0, end_ = 0;
  std::size_t outer_end_ = 0;
  char comment_ = 0;
  Place place_ = Place::line;
  ByteOrder order_ = ByteOrder::native;
};

}  // namespace limber
