#include "limber/scene/construction/contact_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "limber/contact/geometry/crossings.hpp"
#include "limber/contact/geometry/push_apart.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double closest_start = .05;  // of δ

std::string text(const Vec3& x) { return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", x[0], x[1], x[2]); }

}  // namespace

double diagonal_of(const Vector& positions) {
  std::vector<Vec3> nodes;
  for (Index i = 0; i < positions.size(); i += 3) nodes.emplace_back(positions.segment<3>(i));
  const double d = bounding_box(nodes).diagonal();
  return d > 0 ? d : 1;
}

ContactStart::ContactStart(const Scene& scene, const std::vector<ContactBody>& bodies, const Collisions& collisions,
                           const SmoothContacts* smooth, Vector& positions, std::vector<std::string>& notes)
    : scene_(scene),
      bodies_(bodies),
      collisions_(collisions),
      smooth_(smooth),
      c_(collisions.scene()),
      positions_(positions),
      notes_(notes) {}

void ContactStart::clear() {
  if (scene_.contact->start == ContactChoice::Start::push_apart) {
    push_apart();
    if (smooth_) part_smooth();
  }
  refuse_crossings();
  part_close_starts();
  if (smooth_) refuse_between();
}

std::vector<char> ContactStart::may_move() const {
  std::vector<char> all;
  for (std::size_t o = 0; o < c_.objects.size(); ++o) all.push_back(movable(static_cast<int>(o)));
  return all;
}

/// The point that is deepest within the zero of a smooth surface; nullopt: none is.
std::optional<SmoothContact> ContactStart::deepest() const {
  const auto all = smooth_->at(positions_, 0);
  const auto least = std::min_element(all.begin(), all.end(),
                                      [](const SmoothContact& a, const SmoothContact& b) { return a.gap < b.gap; });
  return least == all.end() || least->gap > 0 ? std::nullopt : std::optional(*least);
}

/// Smooth surfaces stand off from their triangles: what starts between the two is moved on along φ's gradient.
void ContactStart::part_smooth() {
  const std::vector<Vec3> before = moved_;
  for (int round = 0; round < 200; ++round) {
    const auto c = deepest();
    if (!c || c->objects[0] == c->objects[1]) break;
    const int mover = movable(c->objects[0]) ? c->objects[0] : c->objects[1];
    if (!movable(mover)) break;
    shift(mover, (c_.delta - c->gap) * (mover == c->objects[0] ? 1 : -1) * c->normal());
  }
  for (std::size_t o = 0; o < moved_.size(); ++o)
    if (moved_[o] != before[o])
      notes_.push_back(fmt::format("contact.start: '{}' was moved by {} m more, off a smooth surface", c_.objects[o],
                                   text(moved_[o] - before[o])));
}

void ContactStart::refuse_between() const {
  if (const auto c = deepest())
    throw InputError(
        "contact.surface",
        fmt::format("node {} of '{}' at {} starts within the smooth surface of '{}', by {:.3g} m, though no "
                    "triangles cross (the smooth surface stands off beside edges and corners); move them "
                    "apart, let \"contact\": {{\"start\": \"push_apart\"}} do it, or use \"triangles\"",
                    c->node(), c_.objects[ix(c->objects[0])],
                    text(smooth_->collisions().positions(positions_, 0).segment<3>(3 * c->node())),
                    c_.objects[ix(c->objects[1])], -c->gap));
}

std::string ContactStart::describe(const Crossing& c) const {
  const std::string &a = c_.objects[ix(c.objects[0])], &b = c_.objects[ix(c.objects[1])];
  if (c.objects[0] == c.objects[1]) return fmt::format("'{}' crosses itself near {}", a, text(c.where));
  if (c.depth == 0) return fmt::format("'{}' and '{}' cross at the start near {}", a, b, text(c.where));
  return fmt::format("'{}' is inside '{}' at the start: {}{}, {:.3g} m deep", a, b,
                     c.node < 0 ? "at " : fmt::format("node {} at ", c.node), text(c.where), c.depth);
}

void ContactStart::refuse_crossings() const {
  const auto found = find_crossings(collisions_, positions_, 0);
  if (!found.empty()) {
    const auto itself = [](const Crossing& c) { return c.objects[0] == c.objects[1]; };
    // What no motion of whole bodies can mend comes first.
    const auto worst = std::max_element(found.begin(), found.end(), [&](const Crossing& a, const Crossing& b) {
      return std::pair(itself(a), a.depth) < std::pair(itself(b), b.depth);
    });
    const int object = worst->objects[0];
    const std::string where = object < static_cast<int>(bodies_.size())
                                  ? bodies_[ix(object)].choice->where
                                  : scene_.obstacles[ix(object) - bodies_.size()].where;
    throw InputError(where, fmt::format("{}{}; {}", describe(*worst),
                                        found.size() > 1 ? fmt::format(" (and {} more pairs)", found.size() - 1) : "",
                                        way_out(worst->objects)));
  }
  if (const auto c = collisions_.nearest(positions_, 0); c && !(c->gap > 0))
    throw InputError("contact", fmt::format("'{}' and '{}' {} at the start (gap {:.3g} m); {}",
                                            c_.objects[ix(c->objects[0])], c_.objects[ix(c->objects[1])],
                                            c->gap < -1e-12 * diagonal_of(positions_) ? "overlap" : "touch", c->gap,
                                            way_out(c->objects)));
}

/// What the user can do about two objects, or one, that cross.
std::string ContactStart::way_out(const std::array<int, 2>& objects) const {
  if (objects[0] == objects[1])
    return "push_apart moves whole bodies and cannot help: mend the mesh, its placement or its thickness, or let the "
           "body pass through itself by \"contact\": {\"self\": false}";
  if (scene_.contact->start == ContactChoice::Start::push_apart)
    return "push_apart found no way to part them (bodies with pinned or scripted nodes stay): move them apart";
  return "move them apart, or let \"contact\": {\"start\": \"push_apart\"} do it";
}

bool ContactStart::movable(int object) const {
  return object < static_cast<int>(bodies_.size()) && bodies_[ix(object)].movable;
}

void ContactStart::shift(int object, const Vec3& by) {
  for (int i = 0; i < c_.body_nodes; ++i)
    if (c_.surface.object[ix(i)] == object) positions_.segment<3>(3 * static_cast<Index>(i)) += by;
  moved_[ix(object)] += by;
}

void ContactStart::push_apart() {
  moved_ = limber::push_apart(collisions_, may_move(), positions_);
  for (std::size_t o = 0; o < moved_.size(); ++o)
    if (!moved_[o].isZero(0))
      notes_.push_back(
          fmt::format("contact.start: '{}' was moved by {} m to start free of others", c_.objects[o], text(moved_[o])));
}

/// Gaps that are tiny beside δ would begin with forces far beyond any load: such bodies are moved apart, and where
/// they cannot be, this is said.
void ContactStart::part_close_starts() {
  const double close = closest_start * c_.delta;
  const auto too_close = [&] {
    std::optional<Collision> closest;
    for (const Collision& c : collisions_.at(positions_, 0))
      if (c.objects[0] != c.objects[1] && c.gap < close && (!closest || c.gap < closest->gap)) closest = c;
    return closest;
  };
  const auto names = [&](const Collision& c) {
    return fmt::format("'{}' and '{}' start with a gap of {:.2g} m, less than delta/{:.0f}",
                       c_.objects[ix(c.objects[0])], c_.objects[ix(c.objects[1])], c.gap, 1 / closest_start);
  };
  const auto before = too_close();
  if (!before) return;
  const std::vector<Vec3> by = limber::push_apart(collisions_, may_move(), positions_, close);
  std::string moved;
  for (std::size_t o = 0; o < by.size(); ++o)
    if (!by[o].isZero(0)) moved += fmt::format("{}'{}' by {} m", moved.empty() ? "" : ", ", c_.objects[o], text(by[o]));
  if (!moved.empty()) {
    notes_.push_back(fmt::format("contact: {}; moved apart: {}", names(*before), moved));
    refuse_crossings();
  }
  if (const auto left = too_close())
    notes_.push_back(
        fmt::format("contact: {}, and cannot be moved; expect a rough start, or take a smaller "
                    "contact.delta",
                    names(*left)));
}

}  // namespace limber
