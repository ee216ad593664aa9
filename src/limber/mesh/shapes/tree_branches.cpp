#include "limber/mesh/shapes/tree_branches.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

constexpr double fillet = 0.8;  // [radius of the thinner branch]

/// splitmix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// In (−1, 1).
  double symmetric() { return 2 * (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53 - 1; }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

Vec3 turned(const Vec3& v, double angle, const Vec3& axis) { return Eigen::AngleAxisd(angle, axis) * v; }

Vec3 across(const Vec3& direction) {
  return direction.cross(std::abs(direction[1]) < 0.9 ? Vec3::UnitY() : Vec3::UnitX()).normalized();
}

class Growth {
 public:
  explicit Growth(const TreeShape& shape) : s_(shape), random_(shape.seed) {}

  std::vector<TreePiece> grow() {
    // From below the ground, so that the cut at y = 0 is a full disk.
    const Vec3 root(0, -s_.trunk_radius, 0);
    add_branch({root, Vec3::UnitY(), s_.trunk_length + s_.trunk_radius, s_.trunk_radius, 0, 0}, new_branch());
    return std::move(pieces_);
  }

 private:
  struct Start {
    Vec3 at, direction;
    double length, radius;
    int level;
    double azimuth;  // of its first side branch [rad]
  };

  int new_branch() { return branches_++; }
  double vary(double x) { return x * (1 + s_.variation * random_.symmetric() * 0.5); }

  void add_branch(const Start& start, int branch) {
    constexpr int segments = 8;
    std::array<Vec3, segments + 1> at;
    std::array<Vec3, segments + 1> direction;
    std::array<double, segments + 1> radius{};
    // Twigs end blunt, so that their tips do not ask for a finer mesh than they do.
    const double taper = start.level == s_.levels ? std::max(0.9, s_.radius_ratio) : s_.radius_ratio;
    at[0] = start.at;
    direction[0] = start.direction;
    for (int i = 0; i <= segments; ++i) {
      const double t = static_cast<double>(i) / segments;
      radius[i] = start.radius * (1 + (taper - 1) * t);
      if (start.level == 0) radius[i] *= 1 + 0.7 * std::pow(1 - t, 6);
      if (i == 0) continue;
      direction[i] = next_direction(direction[i - 1], start.level, segments);
      at[i] = at[i - 1] + start.length / segments * direction[i];
      pieces_.push_back({RoundCone(at[i - 1], at[i], radius[i - 1], radius[i]), branch});
    }
    if (start.level == s_.levels) return;

    const auto place = [&](double t) {
      const double u = t * segments;
      const int i = std::min(segments - 1, static_cast<int>(u));
      return std::tuple<Vec3, Vec3, double>(at[i] + (u - i) * (at[i + 1] - at[i]), direction[i + 1],
                                            radius[i] + (u - i) * (radius[i + 1] - radius[i]));
    };
    double azimuth = start.azimuth;
    for (int b = 0; b < s_.branches; ++b) {
      const bool leader = b + 1 == s_.branches;
      // Side branches leave the upper half.
      const double t = leader ? 1 : 0.5 + 0.45 * (b + 0.5) / std::max(1, s_.branches - 1);
      const auto [from, along, thickness] = place(t);
      azimuth += s_.twist + 0.5 * s_.variation * random_.symmetric();
      const double tilt = leader ? 0.3 * vary(s_.spread) : vary(s_.spread);
      const Vec3 axis = turned(across(along), azimuth, along);
      const double length = vary(s_.length_ratio) * start.length * (leader ? 1 : 0.9);
      const double r = std::min(s_.radius_ratio * start.radius, (leader ? 1 : 0.92) * thickness);
      add_branch({from, turned(along, tilt, axis), length, r, start.level + 1, azimuth},
                 leader ? branch : new_branch());
    }
  }

  /// A little down or up, and a little anywhere. The trunk stays upright.
  Vec3 next_direction(const Vec3& d, int level, int segments) {
    const double wobble = (level == 0 ? 0.1 : 0.35) * s_.variation;
    Vec3 next = d + wobble / 2 * Vec3(random_.symmetric(), random_.symmetric(), random_.symmetric());
    if (level > 0) {
      const double level_share = std::hypot(d[0], d[2]);  // a vertical branch does not bend
      next -= s_.gravity_bend / segments * level_share * Vec3::UnitY();
    }
    return next.normalized();
  }

  const TreeShape& s_;
  Random random_;
  int branches_ = 0;
  std::vector<TreePiece> pieces_;
};

}  // namespace

std::vector<TreePiece> grow_tree(const TreeShape& shape) {
  double count = 1, of_level = 1;
  for (int l = 0; l < shape.levels && count <= most_branches; ++l) count += of_level *= shape.branches;
  if (count > most_branches)
    throw InputError("levels", fmt::format("{} levels of {} branches each are more than {} in all", shape.levels,
                                           shape.branches, most_branches));
  return Growth(shape).grow();
}

TreeField::TreeField(std::vector<TreePiece> pieces) : pieces_(std::move(pieces)) {
  nodes_.reserve(2 * pieces_.size());
  build(0, static_cast<int>(pieces_.size()));
  // Fillets lie outside the balls.
  const Vec3 room = Vec3::Constant(fillet / 4 * nodes_[0].thickest);
  nodes_[0].box = {nodes_[0].box.min - room, nodes_[0].box.max + room};
}

int TreeField::build(int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  Node node{{Vec3::Constant(1e300), Vec3::Constant(-1e300)}, 0, begin, end};
  for (int p = begin; p < end; ++p) {
    const RoundCone& c = pieces_[p].cone;
    const Vec3 to = c.a + c.length * c.u;
    const double r = c.radius, q = c.radius_at(c.length);
    node.box.min = node.box.min.cwiseMin(c.a - Vec3::Constant(r)).cwiseMin(to - Vec3::Constant(q));
    node.box.max = node.box.max.cwiseMax(c.a + Vec3::Constant(r)).cwiseMax(to + Vec3::Constant(q));
    node.thickest = std::max({node.thickest, r, q});
  }
  nodes_.push_back(node);
  if (end - begin > 3) {
    Index axis = 0;
    (node.box.max - node.box.min).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    std::nth_element(pieces_.begin() + begin, pieces_.begin() + middle, pieces_.begin() + end,
                     [axis](const TreePiece& a, const TreePiece& b) {
                       return a.cone.a[axis] + a.cone.length / 2 * a.cone.u[axis] <
                              b.cone.a[axis] + b.cone.length / 2 * b.cone.u[axis];
                     });
    const int left = build(begin, middle), right = build(middle, end);
    nodes_[index].left = left;
    nodes_[index].right = right;
  }
  return index;
}

/// A lower bound of the distances to a node's pieces.
double TreeField::below(int node, const Vec3& x) const {
  const Node& n = nodes_[node];
  const Vec3 away = (n.box.min - x).cwiseMax(x - n.box.max).cwiseMax(0);
  const double d = away.norm();
  return d > 0 ? d : -n.thickest;
}

void TreeField::search(int node, const Vec3& x, std::array<Nearest, 2>& best) const {
  const Node& n = nodes_[node];
  if (n.left < 0) {
    for (int p = n.begin; p < n.end; ++p) {
      const RoundCone& c = pieces_[p].cone;
      const double tau = c.nearest(x), r = c.radius_at(tau);
      const Nearest found{(x - c.a - tau * c.u).norm() - r, r, pieces_[p].branch};
      if (found.branch == best[0].branch) {
        if (found.d < best[0].d) best[0] = found;
      } else if (found.d < best[0].d) {
        best[1] = best[0];
        best[0] = found;
      } else if (found.d < best[1].d) {
        best[1] = found;
      }
    }
    return;
  }
  // A second branch farther than the widest fillet makes no difference.
  const auto matters = [&](double d) { return d < best[1].d && d < best[0].d + fillet * nodes_[0].thickest; };
  int first = n.left, second = n.right;
  double near = below(first, x), far = below(second, x);
  if (far < near) {
    std::swap(first, second);
    std::swap(near, far);
  }
  if (matters(near)) search(first, x, best);
  if (matters(far)) search(second, x, best);
}

double TreeField::operator()(const Vec3& x) const {
  std::array<Nearest, 2> best;
  search(0, x, best);
  if (best[1].branch < 0) return best[0].d;
  return smooth_union(best[0].d, best[1].d, fillet * std::min(best[0].radius, best[1].radius));
}

}  // namespace limber
