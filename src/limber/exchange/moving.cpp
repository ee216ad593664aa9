#include "limber/exchange/moving.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {

double even_rate(const std::vector<double>& times) {
  if (times.size() < 2) return 24;
  const auto last = static_cast<double>(times.size() - 1);
  const double step = (times.back() - times.front()) / last;
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!(step > 0 && std::abs(times[k] - times.front() - static_cast<double>(k) * step) <= 1e-6 * step))
      throw InputError("--fps",
                       fmt::format("is needed: the frames are not evenly spaced (frame {} is at {} s), and this "
                                   "format has one rate",
                                   k, times[k]));
  // 1/0.01 is not the last frame's time over their number, bit for bit: a rate close to a whole number is that number.
  const double rate = 1 / step, whole = std::round(rate);
  return std::abs(rate - whole) <= 1e-6 * rate ? whole : rate;
}

}  // namespace limber
