#include "limber/mesh/io/cursor.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

std::string load_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw InputError(path, "there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw InputError(path, "this is not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text(std::filesystem::file_size(path, error), '\0');
  if (error) throw InputError(path, fmt::format("cannot be read: {}", error.message()));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || static_cast<std::size_t>(in.gcount()) != text.size())
    throw InputError(path, fmt::format("cannot be read: {} of {} bytes came", in.gcount(), text.size()));
  return text;
}

void save_file(const std::string& path, std::string_view bytes) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw OutputError(fmt::format("{}: cannot be opened for writing: {}", path, std::strerror(errno)));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw OutputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

std::string lower(std::string_view word) {
  std::string s(word);
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return s;
}

std::string in_quotes(std::string_view word) {
  std::string s = "\"";
  for (const char c : word.substr(0, 40)) s += c >= 32 && c < 127 ? c : '?';
  return s + (word.size() > 40 ? "…\"" : "\"");
}

void Cursor::fail(const std::string& what) const {
  if (place_ == Place::byte) throw InputError(path_, fmt::format("byte {}: {}", mark_, what));
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(mark_), '\n');
  throw InputError(fmt::format("{}:{}", path_, line), what);
}

void Cursor::fail_at_end(std::string_view expected) {
  mark_ = end_;
  const char* what = outer_end_ != 0 ? "line" : end_ == text_.size() ? "file" : "section";
  fail(fmt::format("the {} ends, expected {}", what, expected));
}

std::size_t Cursor::next_word() const {
  std::size_t at = pos_;
  for (; at < end_; ++at) {
    if (comment_ != 0 && text_[at] == comment_)
      while (at < end_ && text_[at] != '\n') ++at;
    if (at >= end_ || !is_space(text_[at])) break;
  }
  return at;
}

bool Cursor::done() const { return next_word() == end_; }

std::string_view Cursor::peek() const {
  const std::size_t start = next_word();
  std::size_t stop = start;
  while (stop < end_ && !is_space(text_[stop]) && (comment_ == 0 || text_[stop] != comment_)) ++stop;
  return text_.substr(start, stop - start);
}

std::string_view Cursor::word(std::string_view expected) {
  const std::string_view w = peek();
  if (w.empty()) fail_at_end(expected);
  mark_ = static_cast<std::size_t>(w.data() - text_.data());
  pos_ = mark_ + w.size();
  return w;
}

void Cursor::keyword(std::string_view wanted) {
  const std::string_view w = word(wanted);
  if (w != wanted) fail(fmt::format("found {}, expected {}", in_quotes(w), wanted));
}

std::string_view Cursor::rest_of_line() {
  mark_ = pos_;
  const std::size_t stop = std::min(text_.find('\n', pos_), end_);
  std::string_view line = text_.substr(pos_, stop - pos_);
  pos_ = std::min(stop + 1, end_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

void Cursor::skip_past(std::string_view target) {
  const std::size_t found = text_.substr(0, end_).find(target, pos_);
  if (found == std::string_view::npos) fail_at_end(target);
  pos_ = mark_ = found + target.size();
}

void Cursor::open_row(std::string_view expected) {
  pos_ = next_word();
  if (pos_ == end_) fail_at_end(expected);
  outer_end_ = end_;
  end_ = std::min(text_.find('\n', pos_), end_);
}

void Cursor::close_row() {
  const std::string_view extra = peek();
  if (!extra.empty()) {
    mark_ = next_word();
    fail(fmt::format("found {}, expected the end of the line", in_quotes(extra)));
  }
  end_ = outer_end_;
  outer_end_ = 0;
}

long long Cursor::integer(std::string_view expected) {
  const std::string_view w = word(expected), digits = without_plus(w);
  long long n = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || stop != digits.data() + digits.size())
    fail(fmt::format("found {}, expected {} (an integer)", in_quotes(w), expected));
  return n;
}

int Cursor::small_integer(std::string_view expected) {
  const long long n = integer(expected);
  if (n < std::numeric_limits<int>::min() || n > std::numeric_limits<int>::max())
    fail(fmt::format("{} is too large for {}", n, expected));
  return static_cast<int>(n);
}

double Cursor::real(std::string_view expected) { return finite(any_real(expected), expected); }

double Cursor::any_real(std::string_view expected) {
  const std::string_view w = word(expected), digits = without_plus(w);
  double x = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
  if (error == std::errc::result_out_of_range)
    x = std::strtod(std::string(digits).c_str(), nullptr);  // rounds an underflow, gives infinity for an overflow
  else if (error != std::errc())
    fail(fmt::format("found {}, expected {} (a number)", in_quotes(w), expected));
  if (stop != digits.data() + digits.size())
    fail(fmt::format("found {}, expected {} (a number)", in_quotes(w), expected));
  return x;
}

double Cursor::finite(double x, std::string_view expected) const {
  if (!std::isfinite(x)) fail(fmt::format("found {}, expected {} (a finite number)", x, expected));
  return x;
}

std::size_t Cursor::count(std::string_view expected, std::size_t bytes_each) {
  return checked_count(integer(expected), expected, bytes_each);
}

std::size_t Cursor::checked_count(long long n, std::string_view expected, std::size_t bytes_each) const {
  if (n < 0) fail(fmt::format("found {}, expected {} (zero or more)", n, expected));
  if (n > std::numeric_limits<int>::max()) fail(fmt::format("{} is too large for {}", n, expected));
  if (static_cast<std::size_t>(n) > (left() + 1) / bytes_each)
    fail(fmt::format("{} is {}, but only {} bytes are left in the file", expected, n, left()));
  return static_cast<std::size_t>(n);
}

std::string_view Cursor::bytes(std::size_t n, std::string_view expected) {
  if (n > left()) fail_at_end(expected);
  mark_ = pos_;
  pos_ += n;
  return text_.substr(mark_, n);
}

int Cursor::index(long long n, long long first, std::size_t size, std::string_view thing) const {
  if (n < first || static_cast<unsigned long long>(n - first) >= size)
    fail(size == 0 ? fmt::format("{} {} is named, but there are none", thing, n)
                   : fmt::format("{} {} is out of range: they are {} to {}", thing, n, first,
                                 first + static_cast<long long>(size) - 1));
  return static_cast<int>(n - first);
}

}  // namespace limber
