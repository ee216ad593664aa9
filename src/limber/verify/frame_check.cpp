#include "limber/verify/frame_check.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "limber/verify/distance_of.hpp"
#include "limber/verify/exact.hpp"
#include "limber/verify/gather.hpp"
#include "limber/verify/sweep.hpp"

namespace limber {
namespace {

std::vector<Vec3> places(const std::vector<int>& nodes, const exact::Positions& x) {
  std::vector<Vec3> all;
  for (const int n : nodes) all.push_back(x[n]);
  return all;
}

}  // namespace

FrameChecker::FrameChecker(const TrajectoryHeader& header, std::vector<Part> parts, std::vector<double> radius,
                           Collide collide, const std::vector<BodyPair>& sewn)
    : parts_(std::move(parts)),
      tets_(header.tets),
      body_of_tet_(header.tets.size(), -1),
      radius_(std::move(radius)),
      collide_(collide) {
  for (const auto& [a, b] : sewn) sewn_.insert({std::min(a, b), std::max(a, b)});
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const auto* list : {&parts_[p].surface, &parts_[p].sheet})
      for (const auto& t : *list) {
        triangles_.push_back(t);
        part_of_.push_back(static_cast<int>(p));
      }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const auto& e : parts_[p].edges) {
      edges_.push_back(e);
      part_of_.push_back(static_cast<int>(p));
    }
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (const Part& part = parts_[p]; part.surface.empty() && part.sheet.empty() && part.edges.empty()) {
      points_.push_back(part.samples[0]);
      part_of_.push_back(static_cast<int>(p));
    }
  for (std::size_t b = 0; b < header.bodies.size(); ++b)
    if (header.bodies[b].pieces == 1) {
      std::fill_n(body_of_tet_.begin() + header.bodies[b].first_tet, header.bodies[b].tet_count, static_cast<int>(b));
    } else {
      elements_.emplace_back(header, static_cast<int>(b));
    }
}

std::vector<int> FrameChecker::nodes_of(int item) const {
  const auto i = static_cast<std::size_t>(item);
  if (is_triangle(item)) return {triangles_[i].begin(), triangles_[i].end()};
  if (i >= triangles_.size() + edges_.size()) return {points_[i - triangles_.size() - edges_.size()]};
  const auto& e = edges_[i - triangles_.size()];
  return {e.begin(), e.end()};
}

double FrameChecker::radius(int item) const {
  if (collide_ == Collide::no || radius_.empty()) return 0;
  const Part& part = parts_[static_cast<std::size_t>(part_of_[static_cast<std::size_t>(item)])];
  return radius_[static_cast<std::size_t>(part.body)];
}

std::optional<FrameChecker::Crossing> FrameChecker::cross(int a, int b, const exact::Positions& x) const {
  if (are_sewn(body_of(a), body_of(b))) return std::nullopt;
  if (!is_triangle(a) || !is_triangle(b)) return thin_cross(a, b, x);
  const auto &s = triangles_[static_cast<std::size_t>(a)], &t = triangles_[static_cast<std::size_t>(b)];
  if (!exact::meet_beyond_shared(s, t, x)) return std::nullopt;
  return Crossing{a, b};
}

/// At least one of them is an edge or a point.
std::optional<FrameChecker::Crossing> FrameChecker::thin_cross(int a, int b, const exact::Positions& x) const {
  const bool thin = !is_triangle(a) && !is_triangle(b);
  if (thin && body_of(a) == body_of(b) && collide_ != Collide::with_themselves_too) return std::nullopt;
  const std::vector<int> mine = nodes_of(a), others = nodes_of(b);
  for (const int n : mine)
    if (std::find(others.begin(), others.end(), n) != others.end()) return std::nullopt;
  const Simplex s = places(mine, x), t = places(others, x);
  if (simplices_meet(s, t)) return Crossing{a, b};
  if (body_of(a) == body_of(b) && collide_ != Collide::with_themselves_too) return std::nullopt;
  const double least = radius(a) + radius(b);
  if (least == 0) return std::nullopt;
  double largest = least;
  for (const Vec3& p : s) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  const double depth = least - distance_of(s, t);
  if (!(depth > rounding_of_distances * largest)) return std::nullopt;
  return Crossing{a, b, depth};
}

std::vector<FrameChecker::Crossing> FrameChecker::crossings(const Vector& q) const {
  const exact::Positions x(q);
  std::vector<SweepBox> boxes(part_of_.size());
  parallel_for(static_cast<Index>(boxes.size()), [&](Index i) {
    const int item = static_cast<int>(i);
    boxes[static_cast<std::size_t>(i)] = box_around(places(nodes_of(item), x), item, radius(item));
  });
  const Sweep sweep(std::move(boxes));
  auto all = gather<Crossing>(sweep.size(), [&](Index first, Index last, std::vector<Crossing>& found) {
    for (Index i = first; i < last; ++i)
      sweep.visit_after(i, [&](int a, int b) {
        if (const auto c = cross(std::min(a, b), std::max(a, b), x)) found.push_back(*c);
      });
  });
  std::sort(all.begin(), all.end());
  return all;
}

void FrameChecker::add_enclosed(const Vector& q, const std::vector<Crossing>& crossings,
                                std::vector<FrameFlaw>& out) const {
  std::set<std::pair<int, int>> crossed;
  for (const Crossing& c : crossings) {
    const int a = part_of_[static_cast<std::size_t>(c.a)], b = part_of_[static_cast<std::size_t>(c.b)];
    crossed.insert({a, b});
    crossed.insert({b, a});
  }
  const exact::Positions x(q);
  const auto count = static_cast<int>(parts_.size());
  for (int outer = 0; outer < count; ++outer) {
    const Part& around_it = parts_[static_cast<std::size_t>(outer)];
    if (around_it.surface.empty()) continue;
    std::vector<int> nodes;
    for (const auto& t : around_it.surface) nodes.insert(nodes.end(), t.begin(), t.end());
    const SweepBox box = box_around(places(nodes, x), 0);
    for (int inner = 0; inner < count; ++inner) {
      if (inner == outer || crossed.count({inner, outer})) continue;
      const Part& part = parts_[static_cast<std::size_t>(inner)];
      if (are_sewn(part.body, around_it.body)) continue;
      for (const int node : part.samples) {
        const Vec3 p = x[node];
        if (!overlap(box, box_around({p}, 0)) || exact::winding_number(p, around_it.surface, x) == 0) continue;
        out.push_back({Flaw::enclosed, {part.body, around_it.body}, {{node}}});
        break;
      }
    }
  }
}

void FrameChecker::add_inverted_tets(const Vector& q, std::vector<FrameFlaw>& out) const {
  const exact::Positions x(q);
  const auto inverted =
      gather<int>(static_cast<Index>(tets_.size()), [&](Index first, Index last, std::vector<int>& found) {
        for (Index i = first; i < last; ++i) {
          const auto& t = tets_[static_cast<std::size_t>(i)];
          if (body_of_tet_[static_cast<std::size_t>(i)] < 0) continue;  // a piece of an element
          if (exact::orientation(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) <= 0) found.push_back(static_cast<int>(i));
        }
      });
  for (const int i : inverted) {
    const auto& t = tets_[static_cast<std::size_t>(i)];
    out.push_back(
        {Flaw::inverted, {body_of_tet_[static_cast<std::size_t>(i)], -1}, {std::vector<int>(t.begin(), t.end())}, i});
  }
}

void FrameChecker::add_inverted_elements(const Vector& q, std::vector<FrameFlaw>& out) const {
  for (const CurvedElements& body : elements_) {
    const auto inverted =
        gather<int>(static_cast<Index>(body.count()), [&](Index first, Index last, std::vector<int>& found) {
          for (Index e = first; e < last; ++e)
            if (!(body.least_det(static_cast<std::size_t>(e), q) > 0)) found.push_back(static_cast<int>(e));
        });
    for (const int e : inverted) {
      const auto nodes = body.element(static_cast<std::size_t>(e));
      out.push_back({Flaw::inverted,
                     {body.body(), -1},
                     {std::vector<int>(nodes.begin(), nodes.end())},
                     body.first_tet(static_cast<std::size_t>(e))});
    }
  }
}

std::vector<FrameFlaw> FrameChecker::check(const Vector& q) const {
  std::vector<FrameFlaw> flaws;
  for (Index i = 0; i < q.size(); ++i)
    if (!std::isfinite(q[i])) return {{Flaw::not_finite, {-1, -1}, {{static_cast<int>(i / 3)}}}};
  const auto met = crossings(q);
  for (const Crossing& c : met) {
    const int a = part_of_[static_cast<std::size_t>(c.a)], b = part_of_[static_cast<std::size_t>(c.b)];
    flaws.push_back({Flaw::crossing,
                     {parts_[static_cast<std::size_t>(a)].body, parts_[static_cast<std::size_t>(b)].body},
                     {nodes_of(c.a), nodes_of(c.b)}});
    flaws.back().depth = c.depth;
  }
  add_enclosed(q, met, flaws);
  add_inverted_tets(q, flaws);
  add_inverted_elements(q, flaws);
  return flaws;
}

}  // namespace limber
