#include "limber/contact/geometry/candidate_searches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/contact/geometry/pair_pieces.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

using Kind = CollisionKind;

constexpr double short_reach = .6;          // of an edge: reach of searches that find hardly anything
constexpr double watched = .1;              // of what a search reaches beyond the gap that is asked for
constexpr std::size_t most_searches = 16;   // that are short; two others
constexpr std::size_t most_kept = 1 << 22;  // numbers in positions of all of these

}  // namespace

CandidateSearches::CandidateSearches(const ContactSurface& surface, const MayCollide& may, const Vector& rest,
                                     double delta)
    : broad_phase_(surface, may), patches_(surface, may, rest), delta_(delta) {
  for (const auto& e : surface.edges) edge_ += (point(rest, e[0]) - point(rest, e[1])).norm();
  if (!surface.edges.empty()) edge_ /= static_cast<double>(surface.edges.size());
  longest_reach_ = std::max(delta, std::min(20 * delta, .25 * edge_));
}

CandidateSearches::Pairs CandidateSearches::closer(const Vector& x, double within) const {
  Pairs close;
  const std::array<const std::vector<std::array<int, 2>>*, 4> lists{&boxes_.point_triangle, &boxes_.edge_edge,
                                                                    &boxes_.point_edge, &boxes_.point_point};
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const std::vector<std::array<int, 2>>& pairs = *lists[k];
    close[k] = collect<Candidate>(pairs.size(), [&](std::size_t i, std::vector<Candidate>& list) {
      const PairNodes n = nodes_of(surface(), kind, pairs[i]);
      const double gap = std::sqrt(distance2(kind, n, x)) - thickness(surface(), kind, n);
      if (gap < within) list.push_back({n, static_cast<float>(gap - 1e-6 * std::abs(gap))});
    });
  }
  return close;
}

std::size_t CandidateSearches::Search::count() const {
  std::size_t sum = 0;
  for (const auto& list : pairs) sum += list.size();
  return sum;
}

bool CandidateSearches::recall(const Vector& x, const Vector& y, double within) {
  const auto covers = [&](Search& s, const Vector& at) {
    if (s.x().size() != at.size()) return false;
    if (s.kept - patches_.largest_way(s.seen, at) >= within) return true;
    const double kept = patches_.kept_gap(s.at, at, within, within + watched * (s.reach - within));
    if (!(kept >= within)) return false;
    s.seen = at;
    s.kept = kept;
    return true;
  };
  double way = std::numeric_limits<double>::infinity();  // since those that do not cover it
  for (auto s = searches_.begin(); s != searches_.end(); ++s) {
    const double own = patches_.largest_way(s->x(), y);
    if (own >= way) continue;
    way = own;
    if (!covers(*s, x) || (&x != &y && !covers(*s, y))) continue;
    std::rotate(searches_.begin(), s, s + 1);
    return true;
  }
  return false;
}

CandidateSearches::Search CandidateSearches::made(const Vector& x, double reach, double least) {
  broad_phase_.find(x, x, reach, boxes_);
  Search s;
  s.reach = reach;
  s.pairs = closer(x, reach * (1 + 1e-6));
  s.seen = x;
  if (!is_short(s) && reach > least) {
    std::vector<float> gaps;
    for (const auto& list : s.pairs)
      for (const Candidate& c : list) gaps.push_back(c.gap);
    const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(surface().points.size());
    std::nth_element(gaps.begin(), last, gaps.end());
    s.reach = std::max(least, static_cast<double>(*last));
    for (auto& list : s.pairs) std::erase_if(list, [&](const Candidate& c) { return c.gap >= s.reach; });
  }
  s.kept = s.reach;
  // Gaps of a long list that is old say little: each has to be looked at.
  s.at = patches_.layout(x, s.reach, is_short(s));
  return s;
}

void CandidateSearches::search(const Vector& x, double about, double within) {
  // As far as things move: too little makes searches frequent, too much makes lists long, unless hardly anything is
  // near.
  const double least = within + std::max(2 * delta_, std::min(about, 2 * longest_reach_));
  const bool wide = searches_.empty() || is_short(searches_[0]);
  const double reach = wide ? std::max(least, short_reach * edge_) : least;
  searches_.insert(searches_.begin(), made(x, reach, least));
  const std::size_t most = std::clamp<std::size_t>(
      most_kept / std::max<std::size_t>(1, static_cast<std::size_t>(x.size())), 2, most_searches);
  std::size_t kept = 0;
  std::erase_if(searches_, [&](const Search& s) { return ++kept > (is_short(s) ? most : 2); });
}

const CandidateSearches::Search& CandidateSearches::need(const Vector& x, double within) {
  if (!recall(x, x, within)) search(x, searches_.empty() ? 0 : patches_.spread(searches_[0].at, x, within), within);
  return searches_[0];
}

}  // namespace limber
