#include "limber/study/sweep/combination.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

// A file system's limit is 255 bytes; paths as a whole have limits too.
constexpr std::size_t longest_value = 24, longest_folder = 100;

bool is_index(const std::string& part) { return part.find_first_not_of("0123456789") == std::string::npos; }

/// "bodies[0].material.young" → bodies, 0, material, young.
std::vector<std::string> path_parts(const std::string& key) {
  std::vector<std::string> parts(1);
  for (const char c : key)
    if (c == '.' || c == '[')
      parts.emplace_back();
    else if (c != ']')
      parts.back() += c;
  return parts;
}

/// The last parts of a path: at least so many, and as many more as it takes to begin with a word that says something.
std::string path_end(const std::vector<std::string>& parts, std::size_t count) {
  auto first = parts.size() - std::min(count, parts.size());
  while (first > 0 && (is_index(parts[first]) || (parts[first] == "name" && first + 1 == parts.size()))) --first;
  std::vector<std::string> end(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
  if (end.size() > 1 && end.back() == "name") end.pop_back();
  return join(end, ".");
}

/// A number of a range has more digits than anyone reads in a name.
std::string readable_value(const std::string& value) {
  const auto number = parse_or_discard(value);
  return number.is_number_float() && value.size() > 10 ? fmt::format("{:.6g}", number.get<double>())
                                                       : plain_value(value);
}

/// What every file system and shell takes as it stands; anything else is an underscore.
std::string safe_name(const std::string& text, std::size_t longest) {
  std::string safe;
  for (const char c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string("._+-").find(c) < 4;
    if (plain || safe.empty() || safe.back() != '_') safe += plain ? c : '_';
  }
  return safe.substr(0, longest);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<Variation>& variations) {
  std::vector<std::vector<std::string>> paths;
  for (const Variation& v : variations) paths.push_back(path_parts(v.key));
  std::vector<std::string> names;
  for (const auto& path : paths) {
    std::size_t count = 1;
    const auto ambiguous = [&] {
      return std::count_if(paths.begin(), paths.end(),
                           [&](const auto& other) { return path_end(other, count) == path_end(path, count); }) > 1;
    };
    while (count < path.size() && ambiguous()) ++count;
    names.push_back(path_end(path, count));
  }
  return names;
}

std::vector<Combination> combinations_of(const std::vector<Variation>& variations) {
  const std::vector<std::string> names = short_names(variations);
  std::size_t total = 1;
  for (const Variation& v : variations) total *= v.values.size();
  const std::size_t width = std::max<std::size_t>(4, fmt::format("{}", total).size());
  std::vector<Combination> all;
  for (std::size_t i = 0; i < total; ++i) {
    Combination c{i + 1, std::vector<std::string>(variations.size()), fmt::format("{:0{}}", i + 1, width)};
    std::size_t rest = i;
    for (std::size_t k = variations.size(); k-- > 0;) {
      const auto& values = variations[k].values;
      c.values[k] = values[rest % values.size()];
      rest /= values.size();
    }
    for (std::size_t k = 0; k < variations.size(); ++k)
      c.folder += fmt::format("-{}={}", safe_name(names[k], longest_folder),
                              safe_name(readable_value(c.values[k]), longest_value));
    c.folder = c.folder.substr(0, longest_folder);
    all.push_back(std::move(c));
  }
  return all;
}

std::string describe(const Combination& combination, const std::vector<Variation>& variations) {
  std::vector<std::string> pairs;
  for (std::size_t k = 0; k < variations.size(); ++k)
    pairs.push_back(variations[k].key + "=" + plain_value(combination.values[k]));
  return join(pairs);
}

Document with_values(Document scene, const std::vector<Variation>& variations, const Combination& combination) {
  for (std::size_t k = 0; k < variations.size(); ++k) scene.set(variations[k].key + "=" + combination.values[k]);
  return scene;
}

}  // namespace limber
