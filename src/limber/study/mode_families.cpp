#include "limber/study/mode_families.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/scene/run/mode_shapes.hpp"

namespace limber {

namespace {

/// Which of the new modes each old one goes on with: largest overlap first.
std::vector<std::size_t> matched(Matrix overlap) {
  const Index s = overlap.rows();
  std::vector<std::size_t> to(static_cast<std::size_t>(s));
  for (Index k = 0; k < s; ++k) {
    Index i = 0, j = 0;
    overlap.maxCoeff(&i, &j);
    to[static_cast<std::size_t>(i)] = static_cast<std::size_t>(j);
    overlap.row(i).setConstant(-1);
    overlap.col(j).setConstant(-1);
  }
  return to;
}

bool apart(double a, double b) { return std::abs(a - b) > 0.01 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

void ModeFamilies::add(double time, const Modes& modes, const SparseMatrix& M) {
  const std::size_t s = size();
  std::vector<std::size_t> place(s);
  if (times_.empty()) {
    std::iota(place.begin(), place.end(), std::size_t{0});
  } else {
    const Matrix overlap = (X_.transpose() * (M.selfadjointView<Eigen::Lower>() * modes.X)).cwiseAbs();
    const std::vector<std::size_t> to = matched(overlap);
    for (std::size_t f = 0; f < s; ++f) {
      place[f] = to[place_[f]];
      losses_ += overlap(static_cast<Index>(place_[f]), static_cast<Index>(place[f])) < std::sqrt(0.5);
    }
  }
  std::vector<double> now(s);
  for (std::size_t f = 0; f < s; ++f) now[f] = mode_frequency(modes.lambda[static_cast<Index>(place[f])]);
  for (std::size_t a = 0; !times_.empty() && a < s; ++a)
    for (std::size_t b = a + 1; b < s; ++b) {
      const double before = frequencies_[a].back() - frequencies_[b].back(), after = now[a] - now[b];
      const bool clear = apart(now[a], now[b]) || apart(frequencies_[a].back(), frequencies_[b].back());
      crossings_ += clear && before * after < 0;
    }
  for (std::size_t f = 0; f < s; ++f) frequencies_[f].push_back(now[f]);
  times_.push_back(time);
  place_ = place;
  X_ = modes.X;
}

}  // namespace limber
