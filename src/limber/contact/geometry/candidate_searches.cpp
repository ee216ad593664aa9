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

CandidateSearches::CandidateSearches(const ContactScene& scene)
    : scene_(scene), patches_(scene.surface, scene.may_collide, scene.rest) {
  const auto& edges = scene_.surface.edges;
  for (const auto& e : edges) edge_ += (point(scene_.rest, e[0]) - point(scene_.rest, e[1])).norm();
  if (!edges.empty()) edge_ /= static_cast<double>(edges.size());
  longest_reach_ = std::max(scene_.delta, std::min(20 * scene_.delta, .25 * edge_));
}

std::shared_ptr<CandidateSearches::Work> CandidateSearches::overlapping(const Vector& x0, const Vector& x1,
                                                                        double reach) const {
  auto work = work_.borrow([&] { return std::make_unique<Work>(scene_); });
  work->broad_phase.find(x0, x1, reach, work->boxes);
  return work;
}

CandidateSearches::Pairs CandidateSearches::closer(const Candidates& boxes, const Vector& x, double within) const {
  Pairs close;
  const std::array<const std::vector<std::array<int, 2>>*, 4> lists{&boxes.point_triangle, &boxes.edge_edge,
                                                                    &boxes.point_edge, &boxes.point_point};
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const std::vector<std::array<int, 2>>& pairs = *lists[k];
    close[k] = collect<Candidate>(pairs.size(), [&](std::size_t i, std::vector<Candidate>& list) {
      const PairNodes n = nodes_of(scene_.surface, kind, pairs[i]);
      const double gap = std::sqrt(distance2(kind, n, x)) - thickness(scene_.surface, kind, n);
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

bool CandidateSearches::covers(Kept& kept, const Vector& at, double within) const {
  const Search& s = *kept.search;
  if (s.x().size() != at.size()) return false;
  if (kept.seen->gap - patches_.largest_way(kept.seen->x, at) >= within) return true;
  const double gap = patches_.kept_gap(s.at, at, within, within + watched * (s.reach - within));
  if (!(gap >= within)) return false;
  kept.seen = std::make_shared<const Kept::Seen>(Kept::Seen{at, gap});
  return true;
}

CandidateSearches::Found CandidateSearches::recall(const Vector& x, const Vector& y, double within) const {
  std::vector<Kept> all = kept_.copy();
  double way = std::numeric_limits<double>::infinity();  // since those that do not cover it
  const Kept* found = nullptr;
  bool seen = false;  // something, anew
  for (Kept& kept : all) {
    const double own = patches_.largest_way(kept.search->x(), y);
    if (own >= way) continue;
    way = own;
    const auto before = kept.seen;
    const bool both = covers(kept, x, within) && (&x == &y || covers(kept, y, within));
    seen |= kept.seen != before;
    if (!both) continue;
    found = &kept;
    break;
  }
  if (!found && !seen) return nullptr;
  // Other threads may have changed the list.
  kept_.with([&](std::vector<Kept>& list) {
    for (Kept& kept : list) {
      const auto own = std::find_if(all.begin(), all.end(), [&](const Kept& k) { return k.search == kept.search; });
      if (own != all.end()) kept.seen = own->seen;
    }
    if (!found) return;
    const auto at = std::find_if(list.begin(), list.end(), [&](const Kept& k) { return k.search == found->search; });
    if (at != list.end()) std::rotate(list.begin(), at, at + 1);
  });
  return found ? found->search : nullptr;
}

CandidateSearches::Found CandidateSearches::made(const Vector& x, double reach, double least) const {
  auto s = std::make_shared<Search>();
  s->reach = reach;
  s->pairs = closer(overlapping(x, x, reach)->boxes, x, reach * (1 + 1e-6));
  if (!is_short(*s) && reach > least) {
    std::vector<float> gaps;
    for (const auto& list : s->pairs)
      for (const Candidate& c : list) gaps.push_back(c.gap);
    const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(scene_.surface.points.size());
    std::nth_element(gaps.begin(), last, gaps.end());
    s->reach = std::max(least, static_cast<double>(*last));
    for (auto& list : s->pairs) std::erase_if(list, [&](const Candidate& c) { return c.gap >= s->reach; });
  }
  // Gaps of a long list that is old say little: each has to be looked at.
  s->at = patches_.layout(x, s->reach, is_short(*s));
  return s;
}

CandidateSearches::Found CandidateSearches::last() const {
  return kept_.with([](const std::vector<Kept>& list) { return list.empty() ? nullptr : list[0].search; });
}

bool CandidateSearches::finds_little() const {
  const Found last = this->last();
  return !last || is_short(*last);
}

CandidateSearches::Found CandidateSearches::search(const Vector& x, double about, double within) const {
  // As far as things move: too little makes searches frequent, too much makes lists long, unless hardly anything is
  // near.
  const double least = within + std::max(2 * scene_.delta, std::min(about, 2 * longest_reach_));
  const double reach = finds_little() ? std::max(least, short_reach * edge_) : least;
  const Found found = made(x, reach, least);
  const auto seen = std::make_shared<const Kept::Seen>(Kept::Seen{x, found->reach});
  const std::size_t most = std::clamp<std::size_t>(
      most_kept / std::max<std::size_t>(1, static_cast<std::size_t>(x.size())), 2, most_searches);
  kept_.with([&](std::vector<Kept>& list) {
    list.insert(list.begin(), {found, seen});
    std::size_t count = 0;
    std::erase_if(list, [&](const Kept& k) { return ++count > (is_short(*k.search) ? most : 2); });
  });
  return found;
}

CandidateSearches::Found CandidateSearches::need(const Vector& x, double within) const {
  if (Found known = recall(x, x, within)) return known;
  const Found last = this->last();
  return search(x, last ? patches_.spread(last->at, x, within) : 0, within);
}

}  // namespace limber
