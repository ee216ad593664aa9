#include "limber/linalg/solvers/grid_level.hpp"

#include <algorithm>

namespace limber {

void GridLevel::prepare() {
  for (auto* v : {&b, &x}) v->assign(static_cast<std::size_t>(unknowns()), 0.f);
  smoother_.prepare(unknowns());
}

SolveReport::Status GridLevel::make_coarse(const Aggregates& parts, NearNull& near_null, GridLevel& coarse) {
  {
    std::vector<double> inverse;
    if (const auto made = smoother_.set(own.A, own.space, &inverse); made != SolveReport::Status::ok) return made;
    near_null = transfer_.make(own, parts, near_null, inverse, smoother_.top(), coarse.own);
  }
  const int nodes = coarse.own.A.rows;
  coarse.block = aggregate_motions;
  product_ = GridProduct(own.A, transfer_);
  coarse.rows_ = product_.pattern(transfer_, nodes);
  coarse.own.A = {aggregate_motions, nodes, coarse.rows_.start.data(), coarse.rows_.column.data(), nullptr};
  coarse.dead_.resize(ix(nodes) * aggregate_motions);
  for (int p = 0; p < nodes; ++p)
    for (int k = 0; k < aggregate_motions; ++k)
      coarse.dead_[ix(p) * aggregate_motions + ix(k)] =
          near_null.matrix()(static_cast<Index>(p) * aggregate_motions + k, k) == 0 ? 1 : 0;
  return SolveReport::Status::ok;
}

std::vector<int> GridLevel::parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                                const GridLevel& coarse) const {
  // Who made an aggregate knows its part, and numbers it first among those that it answers for.
  std::vector<double> from_one(ix(coarse.own.A.rows), 0.0);
  const int before = own.space.shared()
                         ? static_cast<int>(std::lower_bound(coarse.own.space.places().begin(),
                                                             coarse.own.space.places().end(), parts.first) -
                                            coarse.own.space.places().begin())
                         : 0;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (parts.alien.empty() || !parts.alien[i]) from_one[ix(before + parts.of[i] - parts.first)] = part[i] + 1;
  coarse.own.space.add_up(from_one.data(), 1);
  std::vector<int> found;
  for (const double p : from_one) found.push_back(static_cast<int>(p) - 1);
  return found;
}

void GridLevel::coarse_values(GridLevel& coarse) const {
  constexpr int square = aggregate_motions * aggregate_motions;
  product_.values(transfer_, own.A, coarse.rows_, coarse.value_);
  coarse.own.A.value = coarse.value_.data();
  for_block_rows(coarse.own.A.rows, [&](int p) {
    const int at = coarse.rows_.find(p, p);
    if (at < 0) return;
    double* diagonal = coarse.value_.data() + ix(at) * square;
    for (int k = 0; k < aggregate_motions; ++k)
      if (coarse.dead_[ix(p) * aggregate_motions + ix(k)])
        diagonal[k * aggregate_motions + k] = coarse.own.space.owns(p) ? 1 : 0;
  });
}

void GridLevel::finish() {
  smoother_.round(own.A);
  if (block == aggregate_motions) {
    value_ = std::vector<double>();
    own.A.value = nullptr;
  }
  transfer_.transpose(block);
}

void GridLevel::unfinish() {
  smoother_.drop();
  transfer_.drop();
}

BlockChanges GridLevel::take(const BlockChanges& changed, const GridLevel& coarse) {
  smoother_.take(own.A, own.space, changed);
  BlockChanges next = GridProduct::changes(transfer_, changed, block);
  for (std::size_t k = 0; k < next.row.size(); ++k) {  // unknowns that are not in use stay as they are
    double* value = next.value.data() + k * aggregate_motions * aggregate_motions;
    for (std::size_t c = 0; c < aggregate_motions; ++c)
      for (std::size_t r = 0; r < aggregate_motions; ++r)
        if (coarse.dead_[ix(next.row[k]) * aggregate_motions + r] ||
            coarse.dead_[ix(next.column[k]) * aggregate_motions + c])
          value[c * aggregate_motions + r] = 0;
  }
  return next;
}

void GridLevel::take(const BlockChanges& changed) {
  const std::size_t size = ix(block) * ix(block);
  for (std::size_t k = 0; k < changed.row.size(); ++k) {
    double* to = value_.data() + ix(rows_.find(changed.row[k], changed.column[k])) * size;
    for (std::size_t e = 0; e < size; ++e) to[e] += changed.value[k * size + e];
  }
}

void GridLevel::restrict_residual(GridLevel& coarse) {
  transfer_.restrict(block, smoother_.residual(own.A, own.space, b, x), coarse.own, coarse.b);
}

}  // namespace limber
