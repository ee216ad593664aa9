#include "limber/mesh/tet_patches.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr std::size_t least_tets = 5;                 // of a candidate
constexpr std::size_t least_left = 4, most_left = 8;  // of what is left and hangs together
constexpr std::size_t usual_tets = 6;                 // where there is nothing to go by
constexpr std::array<std::array<int, 3>, 4> face_corners = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

class Patches {
 public:
  Patches(const ElementMesh& mesh, std::span<const int> group)
      : mesh_(mesh), group_(group), across_(mesh.count(), {-1, -1, -1, -1}), patch_(mesh.count(), -1) {
    measure();
    find_neighbours();
  }

  std::vector<int> find() {
    gather_rings();
    gather_neighbourhoods();
    take_candidates();
    take_what_hangs_together();
    cut_what_stands_alone();
    join_the_rest();
    return std::move(patch_);
  }

 private:
  bool takes_part(std::size_t e) const { return group_[e] >= 0; }
  bool left(std::size_t e) const { return takes_part(e) && patch_[e] < 0; }

  void measure() {
    volume_.resize(mesh_.count());
    area_.resize(mesh_.count());
    for (std::size_t e = 0; e < mesh_.count(); ++e) {
      const auto at = [&](int a) -> const Vec3& { return mesh_.nodes[ix(mesh_.element(e)[ix(a)])]; };
      volume_[e] = std::abs((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0))) / 6;
      for (std::size_t f = 0; f < 4; ++f) {
        const auto [a, b, c] = face_corners[f];
        area_[e][f] = (at(b) - at(a)).cross(at(c) - at(a)).norm() / 2;
      }
    }
  }

  void find_neighbours() {
    using Face = std::tuple<std::array<int, 3>, int, int>;  // its nodes; the tetrahedron, its side
    std::vector<Face> faces;
    for (std::size_t e = 0; e < mesh_.count(); ++e)
      for (std::size_t f = 0; f < 4 && takes_part(e); ++f) {
        std::array<int, 3> nodes;
        for (std::size_t k = 0; k < 3; ++k) nodes[k] = mesh_.element(e)[ix(face_corners[f][k])];
        std::sort(nodes.begin(), nodes.end());
        faces.emplace_back(nodes, static_cast<int>(e), static_cast<int>(f));
      }
    std::sort(faces.begin(), faces.end());
    for (std::size_t i = 1; i < faces.size(); ++i) {
      const auto& [nodes, e, f] = faces[i - 1];
      const auto& [same, other, g] = faces[i];
      if (nodes != same || group_[ix(e)] != group_[ix(other)]) continue;
      across_[ix(e)][ix(f)] = other;
      across_[ix(other)][ix(g)] = e;
    }
  }

  void gather_rings() {
    using Side = std::tuple<int, int, int, int>;  // group, the edge's nodes, the tetrahedron
    std::vector<Side> sides;
    for (std::size_t e = 0; e < mesh_.count(); ++e)
      for (std::size_t a = 0; a < 4 && takes_part(e); ++a)
        for (std::size_t b = 0; b < a; ++b) {
          const auto [low, high] = std::minmax(mesh_.element(e)[a], mesh_.element(e)[b]);
          sides.emplace_back(group_[e], low, high, static_cast<int>(e));
        }
    std::sort(sides.begin(), sides.end());
    std::vector<int> ring;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto& [g, low, high, e] = sides[i];
      ring.push_back(e);
      if (i + 1 < sides.size() &&
          std::tuple(g, low, high) ==
              std::tuple(std::get<0>(sides[i + 1]), std::get<1>(sides[i + 1]), std::get<2>(sides[i + 1])))
        continue;
      add_candidate(ring);
      ring.clear();
    }
  }

  void gather_neighbourhoods() {
    for (std::size_t e = 0; e < mesh_.count(); ++e) {
      std::vector<int> around{static_cast<int>(e)};
      for (const int other : across_[e])
        if (other >= 0) around.push_back(other);
      add_candidate(around);
    }
  }

  void add_candidate(const std::vector<int>& tets) {
    if (tets.size() < least_tets) return;
    double V = 0, A = 0;
    for (const int e : tets) {
      V += volume_[ix(e)];
      for (std::size_t f = 0; f < 4; ++f)
        if (std::find(tets.begin(), tets.end(), across_[ix(e)][f]) == tets.end()) A += area_[ix(e)][f];
    }
    compactness_.push_back(V * V / (A * A * A));
    members_.insert(members_.end(), tets.begin(), tets.end());
    first_.push_back(members_.size());
  }

  void take_candidates() {
    // To six digits, so that equal shapes are equal wherever they lie.
    const double unit = 1e-6 * std::accumulate(compactness_.begin(), compactness_.end(), 0.0,
                                               [](double a, double b) { return std::max(a, b); });
    std::vector<std::pair<long long, std::size_t>> order;
    for (std::size_t i = 0; i < compactness_.size(); ++i) order.emplace_back(-std::llround(compactness_[i] / unit), i);
    std::sort(order.begin(), order.end());
    for (const auto& [rank, i] : order) {
      const std::span<const int> tets{members_.data() + first_[i], first_[i + 1] - first_[i]};
      if (std::all_of(tets.begin(), tets.end(), [&](int e) { return left(ix(e)); })) take(tets);
    }
  }

  void take(std::span<const int> tets) {
    for (const int e : tets) patch_[ix(e)] = static_cast<int>(size_.size());
    size_.push_back(tets.size());
  }

  /// Those that are left and hang together with e, e first, at most so many.
  std::vector<int> hanging_together(std::size_t e, std::size_t most) {
    std::vector<int> list{static_cast<int>(e)};
    seen_.resize(mesh_.count(), 0);
    ++search_;
    seen_[e] = search_;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const int other : across_[ix(list[i])])
        if (list.size() < most && other >= 0 && left(ix(other)) && seen_[ix(other)] != search_) {
          seen_[ix(other)] = search_;
          list.push_back(other);
        }
    return list;
  }

  void take_what_hangs_together() {
    for (std::size_t e = 0; e < mesh_.count(); ++e)
      if (left(e)) {
        const auto tets = hanging_together(e, most_left + 1);
        if (tets.size() >= least_left && tets.size() <= most_left) take(tets);
      }
  }

  /// Where there is no patch to go to.
  void cut_what_stands_alone() {
    const auto at_a_patch = [&](int e) {
      return std::any_of(across_[ix(e)].begin(), across_[ix(e)].end(),
                         [&](int other) { return other >= 0 && !left(ix(other)); });
    };
    std::vector<bool> known(mesh_.count(), false);
    for (std::size_t e = 0; e < mesh_.count(); ++e) {
      if (!left(e) || known[e]) continue;
      const auto tets = hanging_together(e, mesh_.count());
      for (const int t : tets) known[ix(t)] = true;
      if (std::any_of(tets.begin(), tets.end(), at_a_patch)) continue;
      for (const int t : tets)
        if (left(ix(t)))
          if (const auto piece = hanging_together(ix(t), usual_tets); piece.size() >= least_left) take(piece);
    }
  }

  /// Each to the smallest patch beside it.
  void join_the_rest() {
    std::vector<int> rest;
    for (std::size_t e = 0; e < mesh_.count(); ++e)
      if (left(e)) rest.push_back(static_cast<int>(e));
    while (!rest.empty()) {
      std::vector<int> next;
      for (const int e : rest)
        if (!join(ix(e))) next.push_back(e);
      if (next.size() == rest.size()) {  // there is none: they are few
        take(hanging_together(ix(rest.front()), usual_tets));
        std::erase_if(next, [&](int e) { return !left(ix(e)); });
      }
      rest = std::move(next);
    }
  }
  bool join(std::size_t e) {
    int best = -1;
    for (const int other : across_[e])
      if (const int p = other < 0 ? -1 : patch_[ix(other)];
          p >= 0 && (best < 0 || std::pair(size_[ix(p)], p) < std::pair(size_[ix(best)], best)))
        best = p;
    if (best < 0) return false;
    patch_[e] = best;
    ++size_[ix(best)];
    return true;
  }

  const ElementMesh& mesh_;
  std::span<const int> group_;
  std::vector<double> volume_;               // #E
  std::vector<std::array<double, 4>> area_;  // #E, of the faces
  std::vector<std::array<int, 4>> across_;   // #E, of the same group; −1: none
  std::vector<double> compactness_;          // of the candidates
  std::vector<std::size_t> first_{0};        // in members_, of each candidate, and the end
  std::vector<int> members_;
  std::vector<int> patch_;         // #E
  std::vector<std::size_t> size_;  // of each patch
  std::vector<int> seen_;          // #E: the last search that came by
  int search_ = 0;
};

}  // namespace

std::vector<int> compact_patches(const ElementMesh& mesh, std::span<const int> group) {
  return Patches(mesh, group).find();
}

}  // namespace limber
