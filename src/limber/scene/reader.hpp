#pragma once  // internal
/// A place in a JSON document that knows its path. Reading a wrong value throws an InputError that names the path,
/// echoes the value and says what is allowed.

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/types.hpp"
#include "limber/scene/units.hpp"

namespace limber {

class JsonSection;

/// Where a number may lie.
struct Range {
  enum class Ends { open, closed, closed_below };
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  Ends ends = Ends::open;
  bool operator==(const Range&) const = default;
  bool holds(double x) const {
    return (x > low || (x == low && ends != Ends::open)) && (x < high || (x == high && ends == Ends::closed));
  }
};
namespace ranges {
inline constexpr Range any{}, positive{.low = 0}, non_negative{.low = 0, .ends = Range::Ends::closed_below};
constexpr Range closed(double low, double high) { return {low, high, Range::Ends::closed}; }
}  // namespace ranges

class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const nlohmann::json& json() const { return *value_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(path_, what); }
  /// "expected <what>, got <value>"
  [[noreturn]] void fail_type(const std::string& expected) const;
  /// The value as written, cut where it is long.
  std::string echo() const;

  bool is_text() const { return value_->is_string(); }
  bool is_list() const { return value_->is_array(); }
  bool is_object() const { return value_->is_object(); }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }

  /// An object of this kind: its keys are known and the required ones are there.
  JsonSection section(const std::string& kind) const;
  /// An object of one of these kinds, told by a key that only this kind has.
  JsonSection one_of(const std::vector<std::string>& kinds) const;
  /// The elements of a list; `least` of them at least.
  std::vector<JsonCursor> items(std::size_t least = 0) const;
  JsonCursor item(std::size_t i) const;

  double number(const Quantity& quantity, const Range& range = {}) const;
  double positive(const Quantity& quantity) const { return number(quantity, ranges::positive); }
  double non_negative(const Quantity& quantity) const { return number(quantity, ranges::non_negative); }
  Vec3 vector(const Quantity& quantity) const;
  int integer(int least) const;
  bool boolean() const;
  std::string text() const;
  std::string filled_text() const;  // not empty
  /// One of a list of words, by its number.
  std::size_t word(const std::vector<std::string>& words, const std::string& what) const;
  /// One of a catalog's names, which ignore case, by its number.
  std::size_t name(const std::vector<std::string>& names, const std::string& what) const;
  /// One of the words of known_words().at(kind).
  std::string word(const std::string& kind) const;
  template <class Enum>
  Enum choice(const std::string& kind) const {
    return static_cast<Enum>(word_number(kind));
  }

  /// Lists of points and of index tuples, fast for long ones.
  std::vector<Vec3> points() const;  // [m]
  template <std::size_t n>
  std::vector<std::array<int, n>> tuples(std::size_t node_count) const;

 private:
  std::size_t word_number(const std::string& kind) const;
  int item_integer(const nlohmann::json& value, std::size_t row, std::size_t column) const;
  const nlohmann::json* value_;
  std::string path_;
};

/// An object whose keys have been checked: known, complete, and none that do not go together. Asking for a key that the
/// kind does not have is a programmer's error.
class JsonSection {
 public:
  JsonSection(JsonCursor place, const std::vector<std::string>& kinds);
  const JsonCursor& place() const { return place_; }
  const std::string& kind() const { return kind_; }
  bool has(const char* key) const { return find(key).has_value(); }
  std::optional<JsonCursor> find(const char* key) const;
  /// Throws if it is not there.
  JsonCursor at(const char* key) const;

 private:
  JsonCursor place_;
  std::string kind_;
};

/// Times must increase from one key to the next.
void require_increasing(double before, double now, const JsonCursor& place);

template <std::size_t n>
std::vector<std::array<int, n>> JsonCursor::tuples(std::size_t node_count) const {
  if (!is_list()) fail_type("a list");
  std::vector<std::array<int, n>> all(value_->size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& row = (*value_)[i];
    if (!row.is_array() || row.size() != n) item(i).fail_type("a list of " + std::to_string(n) + " node numbers");
    for (std::size_t k = 0; k < n; ++k) {
      const int node = item_integer(row[k], i, k);
      if (static_cast<std::size_t>(node) >= node_count)
        item(i).item(k).fail(std::to_string(node) + " is out of range: there are " + std::to_string(node_count) +
                             " nodes, numbered from 0");
      all[i][k] = node;
    }
  }
  return all;
}

}  // namespace limber
