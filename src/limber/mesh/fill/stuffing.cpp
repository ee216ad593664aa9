#include "limber/mesh/fill/stuffing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/fill/stuffing_lattice.hpp"
#include "limber/mesh/fill/stuffing_pinches.hpp"
#include "limber/mesh/quality.hpp"

namespace limber {
namespace {

/// A cut point closer to a lattice point than this share of its edge moves the point. Found by going through all
/// stencils with the moves and cut points that can occur at their extremes: 10.77° to 164.7°, the paper's bounds, are
/// the best that the least dihedral angle can get.
constexpr double alpha_long = 0.285, alpha_short = 0.3985;
double alpha(int direction) { return direction < long_directions ? alpha_long : alpha_short; }
double edge_length(int direction) { return direction < long_directions ? 1 : std::numbers::sqrt3 / 2; }  // [spacing]

/// t in (0, 1) with φ = 0 at x + t (y − x), where φ(x) < 0 < φ(y), by the ITP method (Oliveira and Takahashi 2020): at
/// most one evaluation more than bisection, and few where φ is smooth.
double cut_parameter(const ScalarField& phi, const Vec3& x, const Vec3& y) {
  constexpr double tolerance = 1e-15;
  double a = 0, b = 1, fa = phi(x), fb = phi(y);
  int left = 50;  // 2⁻⁵⁰ < tolerance
  while (b - a > 2 * tolerance && left >= 0) {
    const double middle = (a + b) / 2, reach = tolerance * std::ldexp(1, left) - (b - a) / 2;
    const double secant = (fb * a - fa * b) / (fb - fa), side = middle > secant ? 1 : -1;
    const double pull = 0.2 * (b - a) * (b - a);
    const double inward = pull <= std::abs(middle - secant) ? secant + side * pull : middle;
    double t = std::abs(inward - middle) <= reach ? inward : middle - side * std::max(reach, 0.);
    if (!(t > a && t < b)) t = middle;
    const double ft = phi(x + t * (y - x));
    --left;
    if (ft == 0) return t;
    if (ft < 0) {
      a = t;
      fa = ft;
    } else {
      b = t;
      fb = ft;
    }
  }
  return (a + b) / 2;
}

class Stuffing {
 public:
  Stuffing(const ScalarField& phi, const StuffingOptions& options)
      : phi_(phi), box_(options.box), lattice_(phi, options), sign_(lattice_.points(), 1) {
    find_signs();
    find_cuts();
    warp();
  }

  TetMesh mesh() const {
    std::vector<std::vector<Tet>> parts(lattice_.blocks());
    for_points([&](std::int64_t p) { add_tets_at(p, parts[p / BccLattice::block_points]); });
    return numbered(parts);
  }

 private:
  /// A corner of an output tetrahedron: a lattice point, or lattice_.points() + a cut.
  using Corner = std::int64_t;
  using Tet = std::array<Corner, 4>;
  struct Cut {
    std::int64_t inner;  // the end inside
    int direction;       // towards the outer end
    double t;            // share of the edge from the inner end
  };

  template <class Body>
  void for_points(const Body& body) const {
    parallel_for(static_cast<Index>(lattice_.blocks()), [&](Index block) {
      const std::int64_t first = block * BccLattice::block_points;
      for (std::int64_t p = first; p < first + BccLattice::block_points; ++p) body(p);
    });
  }

  int sign(std::int64_t point) const { return point < 0 ? 1 : sign_[point]; }

  void find_signs() {
    std::vector<char> strays(lattice_.blocks(), 0);
    for_points([&](std::int64_t p) {
      const Vec3 x = lattice_.position(p);
      const std::size_t block = p / BccLattice::block_points;
      const double value = lattice_.all_inside(block) ? -1 : phi_(x);
      sign_[p] = static_cast<std::int8_t>((value > 0) - (value < 0));
      const bool in_box = (x.array() >= box_.min.array()).all() && (x.array() <= box_.max.array()).all();
      // Written so that NaN counts too.
      if (!(value >= 0 || (value < 0 && in_box))) strays[block] = 1;
    });
    if (std::find(strays.begin(), strays.end(), 1) != strays.end())
      throw InputError("box", "the function is negative, or not a number, outside the box");
  }

  /// mask_: in which directions the sign is the opposite one. The cuts belong to the inner ends of their edges.
  void find_cuts() {
    mask_.assign(lattice_.points(), 0);
    for_points([&](std::int64_t p) {
      if (sign_[p] == 0) return;
      for (int d = 0; d < 14; ++d)
        if (sign(lattice_.neighbour(p, lattice_directions[d])) == -sign_[p]) mask_[p] |= 1u << d;
    });
    first_cut_.assign(lattice_.points(), 0);
    for (std::int64_t p = 0; p < lattice_.points(); ++p) {
      first_cut_[p] = static_cast<int>(cuts_.size());
      for (int d = 0; d < 14; ++d)
        if (sign_[p] < 0 && mask_[p] >> d & 1) cuts_.push_back({p, d, 0});
    }
    parallel_for(static_cast<Index>(cuts_.size()), [&](Index c) {
      Cut& cut = cuts_[c];
      const std::int64_t other = lattice_.neighbour(cut.inner, lattice_directions[cut.direction]);
      cut.t = cut_parameter(phi_, lattice_.position(cut.inner), lattice_.position(other));
    });
  }

  int cut_index(std::int64_t inner, int direction) const {
    return first_cut_[inner] + std::popcount(mask_[inner] & ((1u << direction) - 1));
  }
  int cut_between(std::int64_t p, int direction) const {
    return sign_[p] < 0 ? cut_index(p, direction)
                        : cut_index(lattice_.neighbour(p, lattice_directions[direction]), direction ^ 1);
  }

  /// The cut nearest to p among those that are too near; −1 if there is none. Cuts next to a moved point are gone.
  int violating_cut(std::int64_t p) const {
    int nearest = -1;
    double least = 1;
    for (int d = 0; d < 14; ++d) {
      if (!(mask_[p] >> d & 1) || sign(lattice_.neighbour(p, lattice_directions[d])) == 0) continue;
      const int c = cut_between(p, d);
      const double share = sign_[p] < 0 ? cuts_[c].t : 1 - cuts_[c].t;
      const double distance = share * edge_length(d);
      if (share < alpha(d) && distance < least) {
        nearest = c;
        least = distance;
      }
    }
    return nearest;
  }

  void warp() {
    moved_to_.assign(lattice_.points(), -1);
    std::vector<char> candidate(lattice_.points(), 0);
    for_points([&](std::int64_t p) { candidate[p] = mask_[p] != 0 && violating_cut(p) >= 0; });
    // One after the other, as a move takes away cuts that may have moved the next.
    for (std::int64_t p = 0; p < lattice_.points(); ++p) {
      if (!candidate[p]) continue;
      const int c = violating_cut(p);
      if (c < 0) continue;
      moved_to_[p] = c;
      sign_[p] = 0;
    }
  }

  /// The four tetrahedra around each of the edges from the odd point p to the next odd points.
  void add_tets_at(std::int64_t p, std::vector<Tet>& tets) const {
    if (p % BccLattice::block_points < BccLattice::block_points / 2) return;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      LatticeSteps along{};
      along[a] = 2;
      std::array<std::int64_t, 4> ring{};
      for (int m = 0; m < 4; ++m) {
        LatticeSteps s{};
        s[a] = 1;
        s[b] = m == 0 || m == 3 ? 1 : -1;
        s[c] = m < 2 ? 1 : -1;
        ring[m] = lattice_.neighbour(p, s);
      }
      const std::int64_t q = lattice_.neighbour(p, along);
      for (int m = 0; m < 4; ++m) add_inner_part({p, q, ring[m], ring[(m + 1) % 4]}, tets);
    }
  }

  /// The stencils. Sorted by sign, with the orientation kept track of, few cases are left.
  void add_inner_part(std::array<std::int64_t, 4> v, std::vector<Tet>& tets) const {
    std::array<int, 3> count{};
    for (const std::int64_t p : v) ++count[sign(p) + 1];
    const auto [inner, on, outer] = count;
    if (inner == 0) return;
    if (outer == 0) return tets.push_back(v);

    bool odd = false;
    for (int i = 1; i < 4; ++i)
      for (int j = i; j > 0 && sign(v[j]) < sign(v[j - 1]); --j) {
        std::swap(v[j], v[j - 1]);
        odd = !odd;
      }
    const std::size_t first = tets.size();
    if (inner == 1) {
      Tet t{v[0], v[1], v[2], v[3]};
      for (int i = 1 + on; i < 4; ++i) t[i] = cut_corner(v[0], v[i]);
      tets.push_back(t);
    } else if (inner == 3) {
      add_prism({v[0], v[1], v[2], cut_corner(v[0], v[3]), cut_corner(v[1], v[3]), cut_corner(v[2], v[3])}, tets);
    } else if (on == 0) {
      add_prism(
          {v[0], cut_corner(v[0], v[2]), cut_corner(v[0], v[3]), v[1], cut_corner(v[1], v[2]), cut_corner(v[1], v[3])},
          tets);
    } else {
      const Corner c0 = cut_corner(v[0], v[3]), c1 = cut_corner(v[1], v[3]);
      if (std::min(rank(v[0]), rank(c1)) < std::min(rank(v[1]), rank(c0))) {
        tets.push_back({v[0], v[1], v[2], c1});
        tets.push_back({v[0], c1, v[2], c0});
      } else {
        tets.push_back({v[0], v[1], v[2], c0});
        tets.push_back({v[1], c1, v[2], c0});
      }
    }
    for (std::size_t t = first; odd && t < tets.size(); ++t) std::swap(tets[t][2], tets[t][3]);
  }

  Corner cut_corner(std::int64_t inner, std::int64_t outer) const {
    for (int d = 0; d < 14; ++d)
      if (mask_[inner] >> d & 1 && lattice_.neighbour(inner, lattice_directions[d]) == outer)
        return lattice_.points() + cut_index(inner, d);
    return -1;
  }

  /// A quadrilateral's diagonal starts at its corner of least rank: at the cut point of a long edge, else at the point
  /// of even parity. It depends on the quadrilateral alone, so that neighbours agree.
  enum Rank { long_cut, even_point, odd_point, short_cut };
  std::pair<Rank, Corner> rank(Corner c) const {
    if (c < lattice_.points()) return {BccLattice::parity(c) == 0 ? even_point : odd_point, c};
    return {cuts_[c - lattice_.points()].direction < long_directions ? long_cut : short_cut, c};
  }

  double min_dihedral(const std::array<Tet, 2>& pair) const {
    double least = 180;
    for (const auto& [a, b, c, d] : pair)
      least = std::min(least, tet_shape(position(a), position(b), position(c), position(d)).min_dihedral);
    return least;
  }

  /// Corners 0, 1, 2 below 3, 4, 5, as three tetrahedra.
  void add_prism(std::array<Corner, 6> p, std::vector<Tet>& tets) const {
    const auto less = [&](Corner a, Corner b) { return rank(a) < rank(b); };
    auto least = std::min_element(p.begin(), p.end(), less) - p.begin();
    if (least >= 3) {
      p = {p[3], p[5], p[4], p[0], p[2], p[1]};
      least = (6 - least) % 3;
    }
    std::rotate(p.begin(), p.begin() + least, p.begin() + 3);
    std::rotate(p.begin() + 3, p.begin() + 3 + least, p.end());
    const std::array<Tet, 2> one{{{p[0], p[1], p[2], p[5]}, {p[0], p[1], p[5], p[4]}}};
    const std::array<Tet, 2> other{{{p[0], p[1], p[2], p[4]}, {p[0], p[4], p[2], p[5]}}};
    // Four cuts of short edges are a quadrilateral of the surface, which no neighbour shares: the better angles decide.
    const bool on_surface = std::min({rank(p[1]), rank(p[2]), rank(p[4]), rank(p[5])}).first == short_cut;
    const bool first = on_surface ? min_dihedral(one) > min_dihedral(other)
                                  : std::min(rank(p[1]), rank(p[5])) < std::min(rank(p[2]), rank(p[4]));
    for (const Tet& t : first ? one : other) tets.push_back(t);
    tets.push_back({p[0], p[4], p[5], p[3]});
  }

  Vec3 cut_position(const Cut& cut) const {
    const Vec3 x = lattice_.position(cut.inner);
    const Vec3 y = lattice_.position(lattice_.neighbour(cut.inner, lattice_directions[cut.direction]));
    return x + cut.t * (y - x);
  }

  Vec3 position(Corner c) const {
    if (c >= lattice_.points()) return cut_position(cuts_[c - lattice_.points()]);
    return moved_to_[c] < 0 ? lattice_.position(c) : cut_position(cuts_[moved_to_[c]]);
  }

  /// Nodes block by block: each lattice point, then the cuts that belong to it.
  TetMesh numbered(const std::vector<std::vector<Tet>>& parts) const {
    std::vector<int> number(lattice_.points() + cuts_.size(), -1);
    std::size_t tets = 0;
    for (const auto& part : parts) {
      tets += part.size();
      for (const Tet& t : part)
        for (const Corner c : t) number[c] = 0;
    }
    TetMesh mesh;
    const auto add_node = [&](Corner c) {
      if (number[c] < 0) return;
      number[c] = static_cast<int>(mesh.nodes.size());
      mesh.nodes.push_back(position(c));
    };
    for (std::int64_t p = 0; p < lattice_.points(); ++p) {
      add_node(p);
      const int end = p + 1 < lattice_.points() ? first_cut_[p + 1] : static_cast<int>(cuts_.size());
      for (int c = first_cut_[p]; c < end; ++c) add_node(lattice_.points() + c);
    }
    mesh.tets.reserve(tets);
    for (const auto& part : parts)
      for (const Tet& t : part) mesh.tets.push_back({number[t[0]], number[t[1]], number[t[2]], number[t[3]]});
    return mesh;
  }

  const ScalarField& phi_;
  Box3 box_;
  BccLattice lattice_;
  std::vector<std::int8_t> sign_;    // #points, of φ; 0 where moved onto the surface
  std::vector<std::uint16_t> mask_;  // #points
  std::vector<int> first_cut_;       // #points
  std::vector<int> moved_to_;        // #points, a cut or −1
  std::vector<Cut> cuts_;
};

}  // namespace

Stuffed stuff(const ScalarField& phi, const StuffingOptions& options) {
  Stuffed result{Stuffing(phi, options).mesh(), 0};
  if (options.pinches == Pinches::remove) remove_pinches(result.mesh);
  const auto component = tet_components(result.mesh);
  std::vector<std::size_t> sizes;
  for (const int c : component) {
    sizes.resize(std::max<std::size_t>(sizes.size(), c + 1));
    ++sizes[c];
  }
  result.components = sizes.size();
  if (options.keep == Keep::largest && sizes.size() > 1) {
    const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    std::vector<char> dropped(component.size());
    for (std::size_t t = 0; t < dropped.size(); ++t) dropped[t] = component[t] != largest;
    drop_tets(result.mesh, dropped);
  }
  return result;
}

}  // namespace limber
