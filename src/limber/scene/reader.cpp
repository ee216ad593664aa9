#include "limber/scene/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "limber/core/names.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

std::string joined(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

std::string format(double x) { return fmt::format("{}", x); }

std::string with_unit(double x, const Quantity& quantity) {
  return std::string(quantity.unit).empty() ? format(x) : format(x) + " " + quantity.unit;
}

/// "unknown key 'yuong'; did you mean 'young'? …": the nearest name, else all of them.
std::string unknown(const std::string& what, const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  const std::string start = "unknown " + what + " '" + word + "'; ";
  return near.empty() ? start + "known are " + join(known) : start + "did you mean '" + near + "'?";
}

std::vector<std::string> keys_of(const std::vector<std::string>& kinds) {
  std::vector<std::string> all;
  for (const auto& kind : kinds)
    for (const auto& name : key_names(kind))
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The keys that this kind alone has among `kinds`, or alone requires.
std::vector<std::string> own_keys(const std::string& kind, const std::vector<std::string>& kinds) {
  std::vector<std::string> own;
  for (const KnownKey& key : known_keys(kind)) {
    const auto claims = [&](const std::string& other) {
      if (other == kind) return false;
      const auto& theirs = known_keys(other);
      return std::any_of(theirs.begin(), theirs.end(), [&](const KnownKey& k) {
        return k.name == key.name && (key.kind == KnownKey::Kind::optional || k.kind == KnownKey::Kind::required);
      });
    };
    if (std::none_of(kinds.begin(), kinds.end(), claims)) own.push_back(key.name);
  }
  return own;
}

/// The kind that has a key of its own in the object, and this key.
std::optional<std::pair<std::string, std::string>> pick_kind(const nlohmann::json& object,
                                                             const std::vector<std::string>& kinds) {
  for (const auto& kind : kinds)
    for (const auto& name : own_keys(kind, kinds))
      if (object.contains(name)) return std::pair{kind, name};
  if (kinds.size() == 1) return std::pair{kinds[0], std::string()};
  return std::nullopt;
}

}  // namespace

std::string JsonCursor::echo() const {
  std::string text = value_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // JSON has no NaN and no infinity, but a value that comes from Python may be either.
  if (value_->is_number_float() && !std::isfinite(value_->get<double>())) text = std::to_string(value_->get<double>());
  if (text.size() <= 60) return text;
  std::size_t end = 57;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + "...";
}

void JsonCursor::fail_type(const std::string& expected) const { fail("expected " + expected + ", got " + echo()); }

JsonSection JsonCursor::section(const std::string& kind) const { return one_of({kind}); }

JsonSection JsonCursor::one_of(const std::vector<std::string>& kinds) const {
  if (!is_object()) fail_type("an object {…} with the keys " + join(keys_of(kinds)));
  return JsonSection(*this, kinds);
}

std::vector<JsonCursor> JsonCursor::items(std::size_t least) const {
  if (!is_list()) fail_type("a list [...]");
  if (value_->size() < least) fail("the list needs at least " + std::to_string(least) + ", got " + echo());
  std::vector<JsonCursor> all;
  for (std::size_t i = 0; i < value_->size(); ++i) all.push_back(item(i));
  return all;
}

JsonCursor JsonCursor::item(std::size_t i) const {
  return JsonCursor((*value_)[i], path_ + "[" + std::to_string(i) + "]");
}

double JsonCursor::number(const Quantity& quantity, const Range& range) const {
  double x = 0;
  if (is_text()) {
    x = parse_quantity(value_->get_ref<const std::string&>(), quantity, path_);
  } else {
    if (!value_->is_number())
      fail_type(quantity.dimension == Dimension{} ? "a number" : "a number or a string with a unit");
    x = value_->get<double>();
    if (!std::isfinite(x)) fail(echo() + " is not finite");
  }
  if (range.holds(x)) return x;
  if (range == ranges::positive) fail(echo() + " is not positive");
  if (range == ranges::non_negative) fail(echo() + " is negative");
  fail(echo() + " is outside " + (range.ends == Range::Ends::open ? "(" : "[") + with_unit(range.low, quantity) + ", " +
       with_unit(range.high, quantity) + (range.ends == Range::Ends::closed ? "]" : ")"));
}

Vec3 JsonCursor::vector(const Quantity& quantity) const {
  if (!is_list() || value_->size() != 3) fail_type("three numbers [x, y, z]");
  return {item(0).number(quantity), item(1).number(quantity), item(2).number(quantity)};
}

int JsonCursor::integer(int least) const {
  const double x = value_->is_number() ? value_->get<double>() : 0;
  if (!value_->is_number() || !(x == std::floor(x))) fail_type("a whole number");
  if (x < least) fail(echo() + " is less than " + std::to_string(least));
  if (x > std::numeric_limits<int>::max()) fail(echo() + " is too large");
  return static_cast<int>(x);
}

int JsonCursor::item_integer(const nlohmann::json& value, std::size_t row, std::size_t column) const {
  if (value.is_number_unsigned() && value <= std::numeric_limits<int>::max()) return value.get<int>();
  return item(row).item(column).integer(0);
}

bool JsonCursor::boolean() const {
  if (!value_->is_boolean()) fail_type("true or false");
  return value_->get<bool>();
}

std::string JsonCursor::text() const {
  if (!is_text()) fail_type("a string");
  return value_->get<std::string>();
}

std::string JsonCursor::filled_text() const {
  std::string filled = text();
  if (filled.empty()) fail("is empty");
  return filled;
}

std::size_t JsonCursor::word(const std::vector<std::string>& words, const std::string& what) const {
  if (!is_text()) fail_type("one of " + join(words));
  const auto found = std::find(words.begin(), words.end(), value_->get_ref<const std::string&>());
  if (found == words.end()) {
    const std::string near = nearest_name(text(), words);
    fail("unknown " + what + " '" + text() + "'; " + (near.empty() ? "" : "did you mean '" + near + "'? ") +
         "known are " + join(words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::size_t JsonCursor::name(const std::vector<std::string>& names, const std::string& what) const {
  if (is_text())
    for (std::size_t i = 0; i < names.size(); ++i)
      if (same_name(names[i], value_->get_ref<const std::string&>())) return i;
  return word(names, what);
}

std::size_t JsonCursor::word_number(const std::string& kind) const { return word(known_words().at(kind), "word"); }

std::string JsonCursor::word(const std::string& kind) const { return known_words().at(kind)[word_number(kind)]; }

std::vector<Vec3> JsonCursor::points() const {
  if (!is_list()) fail_type("a list of points [[x, y, z], …]");
  std::vector<Vec3> all(value_->size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& row = (*value_)[i];
    const bool plain =
        row.is_array() && row.size() == 3 && row[0].is_number() && row[1].is_number() && row[2].is_number();
    if (plain) all[i] = {row[0].get<double>(), row[1].get<double>(), row[2].get<double>()};
    if (!plain || !all[i].allFinite()) all[i] = item(i).vector(quantity::length);
  }
  return all;
}

JsonSection::JsonSection(JsonCursor place, const std::vector<std::string>& kinds) : place_(std::move(place)) {
  const auto all = keys_of(kinds);
  const auto picked = pick_kind(place_.json(), kinds);
  for (const auto& [name, value] : place_.json().items()) {
    const JsonCursor at(value, joined(place_.path(), name));
    if (!holds(all, name)) at.fail(unknown("key", name, all));
    if (picked && !holds(key_names(picked->first), name)) at.fail("does not go together with '" + picked->second + "'");
  }
  if (!picked) {
    std::vector<std::string> keys;
    for (const auto& kind : kinds) keys.push_back("'" + own_keys(kind, kinds).front() + "'");
    place_.fail("needs one of the keys " + join(keys) + ", got " + place_.echo());
  }
  kind_ = picked->first;
  for (const auto& key : known_keys(kind_))
    if (key.kind == KnownKey::Kind::required && !place_.json().contains(key.name))
      throw InputError(joined(place_.path(), key.name), "is missing");
  for (const auto& [one, other] : known_section(kind_).exclusive)
    if (place_.json().contains(one) && place_.json().contains(other))
      throw InputError(joined(place_.path(), other), "does not go together with '" + one + "'");
}

std::optional<JsonCursor> JsonSection::find(const char* key) const {
  const auto& known = known_keys(kind_);
  if (std::none_of(known.begin(), known.end(), [&](const KnownKey& k) { return k.name == key; }))
    throw std::logic_error("the section '" + kind_ + "' has no key '" + key + "'");
  const auto found = place_.json().find(key);
  if (found == place_.json().end()) return std::nullopt;
  return JsonCursor(*found, joined(place_.path(), key));
}

JsonCursor JsonSection::at(const char* key) const {
  if (auto found = find(key)) return *found;
  throw InputError(joined(place_.path(), key), "is missing");
}

void require_increasing(double before, double now, const JsonCursor& place) {
  if (!(now > before)) place.fail(place.echo() + " does not come after the key before it (" + format(before) + " s)");
}

}  // namespace limber
