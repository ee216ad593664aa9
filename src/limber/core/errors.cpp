#include "limber/core/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "limber/core/memory.hpp"

namespace limber {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = std::exchange(row[j], best);
    }
  }
  return row.back();
}

std::string memory_text(const std::string& what_for, double needed) {
  constexpr double gigabyte = 1e9;
  std::string text = "memory ran out: " + what_for;
  if (needed > 0) text += fmt::format(" needs {:.3g} GB", needed / gigabyte);
  if (const auto memory = machine_memory())
    text += fmt::format("; {:.3g} of {:.3g} GB are free", memory->free / gigabyte, memory->total / gigabyte);
  return text;
}

}  // namespace

OutOfMemory::OutOfMemory(const std::string& what_for, double needed) : text_(memory_text(what_for, needed)) {}

InputError::InputError(const std::string& where, const std::string& what)
    : std::runtime_error(where.empty() ? what : where + ": " + what), where_(where), message_(what) {}

StepFailure::StepFailure(const std::string& why, int its, double res)
    : std::runtime_error(why), reason(why), iterations(its), residual(res) {}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& c : candidates)
    if (const auto d = edit_distance(word, c); d < least) least = d, best = c;
  return best;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string s;
  for (const auto& w : words) s += (s.empty() ? "" : std::string(separator)) + w;
  return s;
}

}  // namespace limber
