#include "limber/linalg/modes/parted_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void for_each_part(std::size_t parts, const std::function<void(std::size_t)>& work) {
  std::vector<std::optional<Failed>> failures(parts);
  parallel_for(static_cast<Index>(parts), [&](Index i) {
    const auto p = static_cast<std::size_t>(i);
    failures[p] = failure_of([&] { work(p); });
  });
  for (const auto& failure : failures)
    if (failure) throw StepFailure(*failure);
}

PartedModes::PartedModes(std::vector<std::vector<int>> given, const SparseMatrix& K, const SparseMatrix& M,
                         const Matrix& rigid)
    : parts(std::move(given)),
      problems(part_problems(parts, K, M, rigid)),
      found(parts.size()),
      closed(parts.size(), 0) {
  top_ = K.diagonal().cwiseQuotient(M.diagonal()).cwiseAbs().maxCoeff();
}

/// counts: 0 for a part that is left as it is.
void PartedModes::find_all(const std::vector<int>& counts, const Find& find) {
  for_each_part(counts.size(), [&](std::size_t p) {
    try {
      if (counts[p] > 0) found[p] = find(p, counts[p]);
    } catch (const BelowFloor&) {
      closed[p] = 1;
    }
  });
  sort();
}

/// An equal share of each, and at least one beyond the rigid motions.
void PartedModes::begin(Index s, const Find& find) {
  std::vector<int> counts(parts.size(), 0);
  const Index share = s / static_cast<Index>(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (found[p].lambda.size() == 0 && !closed[p])
      counts[p] = static_cast<int>(std::min(problems[p].K.cols(), std::max(problems[p].rigid.cols(), share) + 1));
  find_all(counts, find);
}

/// More of each part that may have modes up to λ which are not found yet.
void PartedModes::extend(double lambda, const Find& find) {
  std::vector<int> counts(parts.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index have = found[p].lambda.size();
    if (!complete(p) && found[p].lambda[have - 1] <= lambda)
      counts[p] = static_cast<int>(std::min(problems[p].K.cols(), have + std::max<Index>(2, have / 2)));
  }
  find_all(counts, find);
}

void PartedModes::sort() {
  sorted_.clear();
  double last = infinity;  // up to which all parts have given theirs
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Vector& lambda = found[p].lambda;
    for (Index i = 0; i < lambda.size(); ++i) sorted_.push_back({lambda[i], p, i});
    if (!complete(p)) last = std::min(last, lambda.size() > 0 ? lambda[lambda.size() - 1] : -infinity);
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.lambda, a.part, a.column) < std::tie(b.lambda, b.part, b.column);
  });
  all_found_ = last == infinity;
  known_ = std::count_if(sorted_.begin(), sorted_.end(), [=](const Entry& e) { return e.lambda <= last; });
}

Index PartedModes::choose(Index s, Extent extent, const Find& find) {
  begin(s, find);
  const auto at = [&](Index i) { return sorted_[static_cast<std::size_t>(i)].lambda; };
  while (true) {
    Index taken = s;
    if (taken <= known_ && extent == Extent::whole_clusters) {
      const double largest = std::max(std::abs(at(0)), std::abs(at(known_ - 1)));
      while (taken < known_ && same_cluster(at(taken - 1), at(taken), largest, top_)) ++taken;
    }
    const Index needed = extent == Extent::as_asked ? taken : taken + 1;  // the next one tells whether a cluster is cut
    if (needed <= known_) return taken;
    if (all_found_) return std::min(taken, known_);
    extend(needed <= static_cast<Index>(sorted_.size()) ? at(needed - 1) : infinity, find);
  }
}

double PartedModes::gap_after(Index count) const {
  if (count == 0 || count >= static_cast<Index>(sorted_.size())) return infinity;
  const double a = sorted_[static_cast<std::size_t>(count - 1)].lambda,
               b = sorted_[static_cast<std::size_t>(count)].lambda;
  return b > a ? (b - a) / std::max(std::abs(a), std::abs(b)) : 0;
}

Modes PartedModes::modes(Index count) const {
  Index n = 0;
  for (const auto& unknowns : parts) n += static_cast<Index>(unknowns.size());
  Modes all{Vector(count), Matrix::Zero(n, count)};
  for (Index i = 0; i < count; ++i) {
    const Entry& e = sorted_[static_cast<std::size_t>(i)];
    all.lambda[i] = e.lambda;
    all.X(parts[e.part], i) = found[e.part].X.col(e.column);
  }
  return all;
}

}  // namespace limber
