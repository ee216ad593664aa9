#include "limber/study/sweep/variation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

constexpr const char* allowed_variations = "key=a,b,c, key=lo..hi:n or key=lo..hi:n:log";

[[noreturn]] void refuse_variation(const std::string& text, const std::string& why) {
  throw InputError("--vary", fmt::format("'{}': {}", text, why));
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// As --set reads it.
nlohmann::json value_of(const std::string& text) {
  nlohmann::json value = parse_or_discard(text);
  return value.is_discarded() ? nlohmann::json(text) : value;
}

/// At the commas outside of brackets and double quotes.
std::vector<std::string> split_values(const std::string& list, const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quoted && c == '\\' && i + 1 < list.size()) values.back() += list[i++];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && !quoted && depth == 0)
      values.emplace_back();
    else
      values.back() += list[i];
    if (depth < 0) break;
  }
  if (quoted || depth != 0) refuse_variation(text, "brackets or double quotes are not balanced");
  for (std::string& value : values) {
    value = trimmed(value);
    if (value.empty()) refuse_variation(text, "a value is missing; an empty text is written \"\"");
  }
  return values;
}

/// A path such as ../a.msh, and anything quoted, is a value.
bool is_range(const std::string& list) {
  return list.find("..") != std::string::npos && list.find_first_of("/\\\"[{") == std::string::npos;
}

struct RangeEnd {
  double value;
  long double precise;  // closer to the text than a double: 0.01..0.05:5 has 0.03, not 0.030000000000000002
};

RangeEnd range_end(const std::string& number, const std::string& text) {
  const nlohmann::json value = parse_or_discard(number);
  if (!value.is_number()) refuse_variation(text, fmt::format("'{}' is not a number; expected lo..hi:n", number));
  return {value.get<double>(), std::strtold(number.c_str(), nullptr)};
}

std::size_t range_count(const std::string& number, const std::string& text) {
  long n = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
  if (error != std::errc() || end != number.data() + number.size() || n < 1 ||
      static_cast<std::size_t>(n) > most_combinations)
    refuse_variation(text, fmt::format("'{}' is not a number of values; it is a whole number of 1 to {}", number,
                                       most_combinations));
  return static_cast<std::size_t>(n);
}

void read_range(const std::string& list, const std::string& text, Variation& variation) {
  if (list.find(',') != std::string::npos)
    refuse_variation(text, "a range stands alone; values with commas between them are a list");
  const auto dots = list.find(".."), colon = list.find(':', dots);
  if (colon == std::string::npos) refuse_variation(text, fmt::format("how many values? Expected {}:n", list));
  const auto second = list.find(':', colon + 1);
  const RangeEnd lo = range_end(trimmed(list.substr(0, dots)), text);
  const RangeEnd hi = range_end(trimmed(list.substr(dots + 2, colon - dots - 2)), text);
  const std::size_t n = range_count(trimmed(list.substr(colon + 1, second - colon - 1)), text);
  variation.spacing = Variation::Spacing::even;
  if (second != std::string::npos) {
    const std::string word = trimmed(list.substr(second + 1));
    if (word != "log") refuse_variation(text, fmt::format("'{}' is not a spacing; only 'log' is", word));
    if (lo.value <= 0 || hi.value <= 0) refuse_variation(text, "with log both ends must be above 0");
    variation.spacing = Variation::Spacing::logarithmic;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const long double part = n == 1 ? 0 : static_cast<long double>(k) / static_cast<long double>(n - 1);
    const long double between = variation.spacing == Variation::Spacing::logarithmic
                                    ? lo.precise * std::pow(hi.precise / lo.precise, part)
                                    : lo.precise + (hi.precise - lo.precise) * part;
    const double value = k == 0 ? lo.value : k == n - 1 ? hi.value : static_cast<double>(between);
    variation.values.push_back(fmt::format("{}", value));
  }
}

void refuse_equal_values(const Variation& variation, const std::string& text) {
  std::vector<nlohmann::json> values;
  for (const std::string& value : variation.values) {
    nlohmann::json next = value_of(value);
    for (const auto& before : values)
      if (before == next) refuse_variation(text, fmt::format("the value {} is there twice", value));
    if (variation.spacing == Variation::Spacing::listed || values.empty())
      values.push_back(std::move(next));
    else
      values.back() = std::move(next);  // those of a range rise or fall: neighbours alone can be equal
  }
}

}  // namespace

std::string to_string(Variation::Spacing spacing) {
  switch (spacing) {
    case Variation::Spacing::listed:
      return "listed";
    case Variation::Spacing::even:
      return "even";
    case Variation::Spacing::logarithmic:
      return "log";
  }
  return "";
}

Variation read_variation(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty())
    refuse_variation(text, fmt::format("expected {}, for example time.step=0.01,0.02", allowed_variations));
  Variation variation;
  variation.key = trimmed(text.substr(0, equals));
  const std::string list = trimmed(text.substr(equals + 1));
  if (list.empty()) refuse_variation(text, fmt::format("has no value; expected {}", allowed_variations));
  if (is_range(list))
    read_range(list, text, variation);
  else
    variation.values = split_values(list, text);
  refuse_equal_values(variation, text);
  return variation;
}

std::vector<Variation> read_variations(const std::vector<std::string>& texts) {
  std::vector<Variation> all;
  std::size_t combinations = 1;
  for (const std::string& text : texts) {
    Variation next = read_variation(text);
    for (const Variation& before : all)
      if (before.key == next.key) throw InputError("--vary", fmt::format("the key {} is there twice", next.key));
    if (next.values.size() > most_combinations / combinations)
      throw InputError("--vary", fmt::format("makes more than {} combinations", most_combinations));
    combinations *= next.values.size();
    all.push_back(std::move(next));
  }
  return all;
}

std::string plain_value(const std::string& value) {
  const nlohmann::json json = value_of(value);
  return json.is_string() ? json.get<std::string>() : value;
}

std::optional<VariedNumbers> numbers_of(const Variation& variation) {
  VariedNumbers numbers;
  for (const std::string& value : variation.values) {
    const nlohmann::json json = value_of(value);
    std::string unit;
    if (json.is_number()) {
      numbers.values.push_back(json.get<double>());
    } else if (json.is_string()) {
      const std::string text = json.get<std::string>();
      const auto blank = text.find(' ');
      const nlohmann::json number = parse_or_discard(text.substr(0, blank));
      if (!number.is_number() || blank == std::string::npos) return std::nullopt;
      numbers.values.push_back(number.get<double>());
      unit = trimmed(text.substr(blank));
    } else {
      return std::nullopt;
    }
    if (numbers.values.size() > 1 && unit != numbers.unit) return std::nullopt;
    numbers.unit = unit;
  }
  return numbers;
}

bool is_logarithmic(const Variation& variation) {
  if (variation.spacing != Variation::Spacing::listed) return variation.spacing == Variation::Spacing::logarithmic;
  const auto numbers = numbers_of(variation);
  if (!numbers || numbers->values.size() < 3) return false;
  const std::vector<double>& x = numbers->values;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] <= 0 || (i > 1 && std::abs(x[i] / x[i - 1] / (x[1] / x[0]) - 1) > 0.01)) return false;
  return true;
}

}  // namespace limber
