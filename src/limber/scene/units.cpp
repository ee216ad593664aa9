#include "limber/scene/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Numerator and denominator stay apart, so that "7 mm" is 7/1000, the double nearest to .007.
struct Unit {
  double numerator = 1, denominator = 1;
  Dimension dimension;
};

enum class Prefixes { none, all };

struct Symbol {
  std::string_view text;
  Unit unit;
  Prefixes prefixes;
};

constexpr double pi = std::numbers::pi;
constexpr std::array symbols = {
    Symbol{"m", {1, 1, {1, 0, 0, 0}}, Prefixes::all},
    Symbol{"g", {1, 1000, {0, 1, 0, 0}}, Prefixes::all},
    Symbol{"s", {1, 1, {0, 0, 1, 0}}, Prefixes::all},
    Symbol{"rad", {1, 1, {0, 0, 0, 1}}, Prefixes::all},
    Symbol{"N", {1, 1, {1, 1, -2, 0}}, Prefixes::all},
    Symbol{"Pa", {1, 1, {-1, 1, -2, 0}}, Prefixes::all},
    Symbol{"J", {1, 1, {2, 1, -2, 0}}, Prefixes::all},
    Symbol{"Hz", {1, 1, {0, 0, -1, 0}}, Prefixes::all},
    Symbol{"L", {1, 1000, {3, 0, 0, 0}}, Prefixes::all},
    Symbol{"bar", {1e5, 1, {-1, 1, -2, 0}}, Prefixes::all},
    Symbol{"deg", {pi, 180, {0, 0, 0, 1}}, Prefixes::none},
    Symbol{"°", {pi, 180, {0, 0, 0, 1}}, Prefixes::none},
    Symbol{"rpm", {2 * pi, 60, {0, 0, -1, 1}}, Prefixes::none},
    Symbol{"min", {60, 1, {0, 0, 1, 0}}, Prefixes::none},
    Symbol{"h", {3600, 1, {0, 0, 1, 0}}, Prefixes::none},
    Symbol{"t", {1000, 1, {0, 1, 0, 0}}, Prefixes::none},
    Symbol{"in", {254, 10000, {1, 0, 0, 0}}, Prefixes::none},
    Symbol{"ft", {3048, 10000, {1, 0, 0, 0}}, Prefixes::none},
    Symbol{"%", {1, 100, {}}, Prefixes::none},
};

struct Prefix {
  std::string_view text;
  double numerator, denominator;
};
constexpr std::array prefixes = {
    Prefix{"n", 1, 1e9},  Prefix{"u", 1, 1e6}, Prefix{"\u00b5", 1, 1e6}, Prefix{"\u03bc", 1, 1e6},
    Prefix{"m", 1, 1000}, Prefix{"c", 1, 100}, Prefix{"d", 1, 10},       Prefix{"h", 100, 1},
    Prefix{"k", 1000, 1}, Prefix{"M", 1e6, 1}, Prefix{"G", 1e9, 1},      Prefix{"T", 1e12, 1},
};

std::optional<Unit> find_unit(std::string_view text) {
  for (const Symbol& s : symbols)
    if (s.text == text) return s.unit;
  for (const Prefix& p : prefixes) {
    if (!text.starts_with(p.text)) continue;
    for (const Symbol& s : symbols)
      if (s.prefixes == Prefixes::all && s.text == text.substr(p.text.size()))
        return Unit{s.unit.numerator * p.numerator, s.unit.denominator * p.denominator, s.unit.dimension};
  }
  return std::nullopt;
}

void multiply(Unit& u, Unit factor, int power) {
  if (power < 0) std::swap(factor.numerator, factor.denominator);
  for (int i = 0; i < std::abs(power); ++i) u.numerator *= factor.numerator, u.denominator *= factor.denominator;
  u.dimension.length += power * factor.dimension.length;
  u.dimension.mass += power * factor.dimension.mass;
  u.dimension.time += power * factor.dimension.time;
  u.dimension.angle += power * factor.dimension.angle;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

/// Takes "^-3", "²" or "³" from the front of `rest`; 1 if there is no power, nullopt if it cannot be read.
std::optional<int> take_power(std::string_view& rest) {
  for (const auto& [text, power] : {std::pair{std::string_view("²"), 2}, {std::string_view("³"), 3}})
    if (rest.starts_with(text)) return rest.remove_prefix(text.size()), power;
  if (!rest.starts_with('^')) return 1;
  int power = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), power);
  if (error != std::errc() || std::abs(power) > 9) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return power;
}

/// Symbol at the front of `rest`: all up to an operator, a power or a space.
std::string_view take_symbol(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && std::string_view("*/^ ").find(rest[n]) == std::string_view::npos &&
         !rest.substr(n).starts_with("²") && !rest.substr(n).starts_with("³"))
    ++n;
  const auto symbol = rest.substr(0, n);
  rest.remove_prefix(n);
  return symbol;
}

class UnitReader {
 public:
  UnitReader(std::string_view text, const Quantity& quantity, const std::string& where)
      : rest_(trimmed(text)), all_(rest_), quantity_(quantity), where_(where) {}

  Unit read() {
    Unit unit;
    int sign = 1;
    if (rest_.starts_with("1/")) rest_.remove_prefix(1);
    while (!rest_.empty()) {
      if (rest_.front() == '/' || rest_.front() == '*') {
        sign = rest_.front() == '/' ? -1 : 1;
        rest_.remove_prefix(1);
      }
      rest_ = trimmed(rest_);
      const auto symbol = take_symbol(rest_);
      const auto found = find_unit(symbol);
      if (!found) fail(symbol);
      const auto power = take_power(rest_);
      if (!power) fail(all_);
      multiply(unit, *found, sign * *power);
      rest_ = trimmed(rest_);
      sign = 1;
    }
    return unit;
  }

 private:
  [[noreturn]] void fail(std::string_view symbol) const {
    const std::string part = symbol.empty() || symbol == all_ ? "" : "'" + std::string(symbol) + "' in ";
    throw InputError(where_, "unknown unit " + part + "'" + std::string(all_) + "'; " + quantity_.name +
                                 " takes, for example, " + quantity_.fitting);
  }

  std::string_view rest_, all_;
  const Quantity& quantity_;
  const std::string& where_;
};

std::string missing_unit(const Quantity& q) {
  if (q.dimension == Dimension{}) return " is a string; write the plain number";
  return " has no unit; write a plain number (in " + std::string(q.unit) + ") or add one of " + q.fitting;
}

}  // namespace

double parse_quantity(std::string_view text, const Quantity& quantity, const std::string& where) {
  const std::string quoted = fmt::format("\"{}\"", text);
  std::string_view rest = trimmed(text);
  if (rest.starts_with('+')) rest.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::invalid_argument)
    throw InputError(where, "expected a number or a string with a unit, got " + quoted);
  if (error != std::errc() || !std::isfinite(value)) throw InputError(where, quoted + " is not finite");
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (trimmed(rest).empty()) throw InputError(where, quoted + missing_unit(quantity));

  const Unit unit = UnitReader(rest, quantity, where).read();
  if (unit.dimension != quantity.dimension)
    throw InputError(where, quoted + " is not " + quantity.name + "; what fits: " + quantity.fitting);
  const double si = value * unit.numerator / unit.denominator;
  if (!std::isfinite(si)) throw InputError(where, quoted + " is not finite");
  return si;
}

}  // namespace limber
