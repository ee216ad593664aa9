#pragma once
/// A key of a scene and the values that a sweep gives it. As text, one of
///
///     key=a,b,c          values as --set takes them; commas within brackets and double quotes divide nothing
///     key=lo..hi:n       n numbers, evenly spaced, both ends among them (n = 1: lo alone)
///     key=lo..hi:n:log   n numbers, each by the same factor above the one before

#include <optional>
#include <string>
#include <vector>

namespace limber {

struct Variation {
  enum class Spacing { listed, even, logarithmic };

  std::string key;                  // as in "bodies[0].material.young"
  std::vector<std::string> values;  // at least one, all different; numbers of ranges in their shortest form
  Spacing spacing = Spacing::listed;
};

/// The words of Spacing in files.
std::string to_string(Variation::Spacing spacing);

/// Throws InputError("--vary", …) with the text, what is wrong with it and what is allowed.
Variation read_variation(const std::string& text);

/// All of a sweep. Throws InputError too where a key stands twice, or where there are more than `most_combinations`.
std::vector<Variation> read_variations(const std::vector<std::string>& texts);
inline constexpr std::size_t most_combinations = 100'000;

/// A value for people: a JSON string without its quotes, anything else as it stands.
std::string plain_value(const std::string& value);

/// The values as numbers, where all are: plain, or all with the same unit ("3 kPa").
struct VariedNumbers {
  std::vector<double> values;
  std::string unit;  // "": none
};
std::optional<VariedNumbers> numbers_of(const Variation& variation);

/// Whether its numbers belong on a logarithmic axis: spaced so, or listed with one factor from each to the next.
bool is_logarithmic(const Variation& variation);

}  // namespace limber
