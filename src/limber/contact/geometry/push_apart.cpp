#include "limber/contact/geometry/push_apart.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "limber/contact/geometry/crossings.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

/// What a body overlaps.
struct Overlap {
  int other = 0;
  double depth = 0;         // [m], with `out`
  Vec3 out = Vec3::Zero();  // unit direction in which the body leaves it soonest; zero: not known
};

class Separation {
 public:
  Separation(const Collisions& collisions, Vector& q, double close)
      : collisions_(collisions),
        close_(close),
        scene_(collisions.scene()),
        q_(q),
        placed_(scene_.objects.size(), 0),
        moved_(scene_.objects.size(), Vec3::Zero()) {}

  std::vector<Vec3> run(const std::vector<char>& movable) {
    const auto found = all_overlaps();
    for (std::size_t o = 0; o < placed_.size(); ++o) placed_[o] = !movable[o] || !found.count(static_cast<int>(o));
    for (std::size_t o = 0; o < placed_.size(); ++o) {
      if (placed_[o]) continue;
      place(static_cast<int>(o));
      placed_[o] = 1;
    }
    return moved_;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  std::map<int, std::vector<Overlap>> all_overlaps() const {
    std::map<int, std::vector<Overlap>> found;
    const auto add = [&](const std::array<int, 2>& objects, double depth, const Vec3& out) {
      found[objects[0]].push_back({objects[1], depth, out});
      found[objects[1]].push_back({objects[0], depth, -out});
    };
    std::map<std::array<int, 2>, Collision> touching;  // the closest of each pair
    for (const Collision& c : collisions_.near(q_, 0, std::max(close_, 1e-2 * collisions_.delta()))) {
      if (c.gap > close_ || c.objects[0] == c.objects[1]) continue;
      const auto [it, fresh] =
          touching.emplace(std::array{std::min(c.objects[0], c.objects[1]), std::max(c.objects[0], c.objects[1])}, c);
      if (!fresh && c.gap < it->second.gap) it->second = c;
    }
    for (const Crossing& c : find_crossings(collisions_, q_, 0)) {
      if (c.objects[0] == c.objects[1]) continue;
      add(c.objects, c.depth, c.out);
      touching.erase({std::min(c.objects[0], c.objects[1]), std::max(c.objects[0], c.objects[1])});
    }
    for (const auto& [pair, c] : touching) add(c.objects, -c.gap, c.normal());
    return found;
  }

  std::vector<Overlap> overlaps_with_placed(int body) const {
    if (far_from_placed(body)) return {};
    const auto all = all_overlaps();
    const auto own = all.find(body);
    if (own == all.end()) return {};
    std::vector<Overlap> some;
    for (const Overlap& o : own->second)
      if (placed_[ix(o.other)]) some.push_back(o);
    return some;
  }

  bool far_from_placed(int body) const {
    const std::vector<Box3> all = boxes();
    const Box3& mine = all[ix(body)];
    for (std::size_t o = 0; o < placed_.size(); ++o)
      if (placed_[o] && scene_.may_collide[ix(body)][o] && (mine.min.array() <= all[o].max.array() + close_).all() &&
          (all[o].min.array() <= mine.max.array() + close_).all())
        return false;
    return true;
  }

  /// Of all objects, with thickness; of a half-space, everything.
  std::vector<Box3> boxes() const {
    std::vector<Box3> all(placed_.size(), Box3{Vec3::Constant(infinity), Vec3::Constant(-infinity)});
    const Vector x = collisions_.positions(q_, 0);
    for (const int n : scene_.surface.points) {
      const Vec3 p = x.segment<3>(3 * static_cast<Index>(n)), r = Vec3::Constant(scene_.surface.radius[ix(n)]);
      Box3& box = all[ix(scene_.surface.object[ix(n)])];
      box = {box.min.cwiseMin(p - r), box.max.cwiseMax(p + r)};
    }
    for (const ImplicitObstacle& o : scene_.implicit)
      all[ix(o.object)] = o.shape.pose(0).bounds().value_or(Box3{Vec3::Constant(-infinity), Vec3::Constant(infinity)});
    return all;
  }

  void shift(int body, const Vec3& by) {
    for (int i = 0; i < scene_.body_nodes; ++i)
      if (scene_.surface.object[ix(i)] == body) q_.segment<3>(3 * static_cast<Index>(i)) += by;
  }

  /// How far along d a body in the box a has to go to leave `o`, in the box b [m]; ∞ if that does not lead out.
  double way_out(const Box3& a, const Box3& b, const Vec3& d, const Overlap& o) const {
    const double delta = collisions_.delta(), slope = o.out.dot(d);
    if (slope > .99) return (o.depth + delta) / slope;
    if (b.max[0] == infinity) return slope > 1e-3 ? (o.depth + delta) / slope : infinity;
    double least = infinity;
    for (int k = 0; k < 3; ++k)
      if (std::abs(d[k]) > 1e-3)
        least = std::min(least, d[k] > 0 ? (b.max[k] - a.min[k] + delta) / d[k] : (b.min[k] - a.max[k] - delta) / d[k]);
    return std::max(least, delta / 2);
  }

  /// The shortest way found along d that ends free, if it is shorter than `limit` [m]. Leaves the body where it was.
  std::optional<double> slide(int body, const Vec3& d, double limit) {
    const Vector before = q_;
    double s = 0;
    std::optional<double> free;
    for (std::size_t k = 0; k < 3 * placed_.size() + 20 && s < limit; ++k) {
      const auto met = overlaps_with_placed(body);
      if (met.empty()) {
        free = s;
        break;
      }
      const std::vector<Box3> box = boxes();
      double more = 0;
      for (const Overlap& o : met) more = std::max(more, way_out(box[ix(body)], box[ix(o.other)], d, o));
      s += more;
      if (s == infinity) break;
      q_ = before;
      shift(body, s * d);
    }
    q_ = before;
    return free;
  }

  void place(int body) {
    const auto met = overlaps_with_placed(body);
    if (met.empty()) return;
    std::vector<Vec3> directions;
    Vec3 together = Vec3::Zero();  // out of a corner
    for (const Overlap& o : met)
      if (!o.out.isZero(0)) {
        directions.push_back(o.out.normalized());
        together += (o.depth + collisions_.delta()) * directions.back();
      }
    if (directions.size() > 1 && !together.isZero(0)) directions.push_back(together.normalized());
    for (int k = 0; k < 3; ++k)
      for (const double sign : {1., -1.}) directions.push_back(sign * Vec3::Unit(k));
    double best = infinity;
    Vec3 by = Vec3::Zero();
    for (const Vec3& d : directions)
      if (const auto s = slide(body, d, best)) {
        best = *s;
        by = *s * d;
      }
    shift(body, by);
    moved_[ix(body)] = by;
  }

  const Collisions& collisions_;
  double close_;
  const ContactScene& scene_;
  Vector& q_;
  std::vector<char> placed_;
  std::vector<Vec3> moved_;
};

}  // namespace

std::vector<Vec3> push_apart(const Collisions& collisions, const std::vector<char>& movable, Vector& q, double close) {
  return Separation(collisions, q, close).run(movable);
}

}  // namespace limber
