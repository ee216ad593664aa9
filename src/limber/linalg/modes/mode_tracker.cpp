#include "limber/linalg/modes/mode_tracker.hpp"

#include <algorithm>

namespace limber {
namespace {

constexpr double near = .01;  // neighbours that may turn out to be one cluster

}  // namespace

PartedModes::Find ModeTracker::finder(const PartedModes& modes) {
  return [this, &modes](std::size_t p, int count) {
    const ModeProblem& part = modes.problems[p];
    return trackers_[p].from_scratch(part.K, part.M, part.rigid, count);
  };
}

Modes ModeTracker::finish(PartedModes modes, Index count) {
  Modes taken = modes.modes(count);
  for (std::size_t p = 0; p < modes.parts.size(); ++p)
    if (modes.closed[p]) below_.push_back(modes.parts[p]);
  parts_ = std::move(modes.parts);
  found_ = std::move(modes.found);
  return taken;
}

Modes ModeTracker::from_scratch(PartedModes modes, const Modes& start) {
  ++parted_.from_scratch;
  if (trackers_.size() != modes.parts.size()) {
    for (const auto& tracker : trackers_) parted_.iterations += tracker.counts().iterations;
    trackers_ = std::vector<ConnectedTracker>(modes.parts.size());
  }
  for (auto& tracker : trackers_) tracker.set_floor(floor_);
  modes.found.assign(modes.parts.size(), {});
  modes.closed.assign(modes.parts.size(), 0);
  Index count = modes.choose(s_, Extent::whole_clusters, finder(modes));
  if (start.X.cols() > 0 && std::find(modes.closed.begin(), modes.closed.end(), 1) != modes.closed.end()) {
    const std::vector<int> holders = parts_of_columns(modes.parts, start.X);
    for (std::size_t p = 0; p < modes.parts.size(); ++p) {
      if (!modes.closed[p]) continue;
      std::vector<Index> columns;
      for (std::size_t c = 0; c < holders.size(); ++c)
        if (holders[c] == static_cast<int>(p)) columns.push_back(static_cast<Index>(c));
      modes.found[p] = {start.lambda(columns), start.X(modes.parts[p], columns)};
    }
    modes.sort();
    count = modes.choose(s_, Extent::whole_clusters, finder(modes));
  }
  return finish(std::move(modes), count);
}

Modes ModeTracker::from_scratch(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid) {
  require_mode_problem(K, M, s_, rigid, space_);
  below_.clear();
  whole_.set_floor(floor_);
  if (space_.shared()) return whole_.from_scratch(K, M, rigid, s_);
  auto parts = uncoupled_parts(K, M, rigid);
  if (parts.size() == 1) return whole_.from_scratch(K, M, rigid, s_);
  return from_scratch(PartedModes(std::move(parts), K, M, rigid), {});
}

Modes ModeTracker::refine(const SparseMatrix& K, const SparseMatrix& M, const Matrix& rigid, const Modes& start,
                          double tolerance, const std::vector<char>& due) {
  require_mode_problem(K, M, s_, rigid, space_);
  below_.clear();
  whole_.set_floor(floor_);
  if (space_.shared()) return whole_.refine(K, M, rigid, start, tolerance, s_);
  auto parts = uncoupled_parts(K, M, rigid);
  if (parts.size() == 1) return whole_.refine(K, M, rigid, start, tolerance, s_);
  ++parted_.refinements;
  const bool same = parts == parts_;
  PartedModes modes(std::move(parts), K, M, rigid);
  const Index count = start.X.cols();
  if (!same || count < s_) return from_scratch(std::move(modes), start);
  std::vector<char> part_due(modes.parts.size(), due.empty());
  const std::vector<int> holders = parts_of_columns(modes.parts, start.X);
  std::vector<Index> known(modes.parts.size(), 0);
  for (std::size_t c = 0; c < holders.size(); ++c) {  // the lowest of each part are those of `start`
    if (holders[c] < 0) continue;
    const auto p = static_cast<std::size_t>(holders[c]);
    if (known[p] < found_[p].X.cols()) found_[p].X.col(known[p]++) = start.X(modes.parts[p], static_cast<Index>(c));
  }
  for (std::size_t c = 0; c < due.size(); ++c)
    if (due[c] && holders[c] >= 0) part_due[static_cast<std::size_t>(holders[c])] = 1;
  for (auto& tracker : trackers_) tracker.set_floor(floor_);
  const auto refine_to = [&](double error) {
    for_each_part(modes.parts.size(), [&](std::size_t p) {
      const ModeProblem& part = modes.problems[p];
      const auto least = static_cast<int>(found_[p].lambda.size());
      modes.found[p] = found_[p];
      if (least == 0 || modes.closed[p] || !part_due[p]) return;
      try {
        modes.found[p] = trackers_[p].refine(part.K, part.M, part.rigid, found_[p], error, least);
      } catch (const BelowFloor&) {
        modes.closed[p] = 1;
      }
    });
    modes.sort();
  };
  refine_to(tolerance);
  modes.choose(count, Extent::as_asked, finder(modes));
  if (modes.gap_after(count) <= near && tolerance > ConnectedTracker::resolved) {
    found_ = modes.found;
    part_due.assign(modes.parts.size(), 1);
    refine_to(ConnectedTracker::resolved);
  }
  if (modes.choose(count, Extent::whole_clusters, finder(modes)) != count) return from_scratch(std::move(modes), start);
  return finish(std::move(modes), count);
}

void ModeTracker::reset() {
  whole_.reset();
  parts_.clear();
  below_.clear();
  found_.clear();
  for (auto& tracker : trackers_) tracker.reset();
}

ModeTracker::Counts ModeTracker::counts() const {
  Counts all = whole_.counts();
  all.from_scratch += parted_.from_scratch;
  all.refinements += parted_.refinements;
  all.iterations += parted_.iterations;
  for (const auto& tracker : trackers_) all.iterations += tracker.counts().iterations;
  return all;
}

}  // namespace limber
