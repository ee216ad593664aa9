#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/shapes/shapes.hpp"

namespace limber {
namespace {

/// Columns of hexahedra over the lines x₀ < x₁ < …, cut into Kuhn's six tetrahedra, mirrored where x is in the first
/// half: so the diagonals lie across the slope of the arch. Grid points are {line, level, row}; levels count up through
/// the arch, the posts and the deck, and a post has levels of its own.
class Bridge {
 public:
  explicit Bridge(const BridgeShape& shape) : s_(shape) {
    place_lines();
    across_ = cells_for(s_.width, s_.resolution);
    in_arch_ = cells_for(s_.arch_thickness, s_.resolution);
    in_deck_ = cells_for(s_.deck_thickness, s_.resolution);
  }

  double tets() const {
    double cells = static_cast<double>(x_.size() - 1) * (in_arch_ + in_deck_);
    for (std::size_t i = 0; i + 1 < x_.size(); ++i)
      if (post_[i]) cells += levels_in_post(i);
    return 6 * cells * across_;
  }

  TetMesh build() {
    for (int i = 0; i + 1 < static_cast<int>(x_.size()); ++i) {
      for (int k = 0; k < in_arch_; ++k) add_cells(i, {arch, k}, {arch, k + 1});
      const int n = post_[i] ? levels_in_post(i) : 0;
      for (int k = 0; k < n; ++k)
        add_cells(i, k == 0 ? Level{arch, in_arch_} : Level{post, k}, k + 1 == n ? Level{deck, 0} : Level{post, k + 1});
      for (int k = 0; k < in_deck_; ++k) add_cells(i, {deck, k}, {deck, k + 1});
    }
    return std::move(mesh_);
  }

 private:
  enum Part { arch, post, deck };
  struct Level {
    Part part;
    int k;
  };

  double arch_top(double x) const {
    const double rise = s_.height - s_.deck_thickness - s_.clearance - s_.arch_thickness;
    const double u = 2 * x / s_.length - 1;
    return s_.arch_thickness + rise * (1 - u * u);
  }
  double deck_bottom() const { return s_.height - s_.deck_thickness; }

  /// Posts at equal distances; their sides are lines, and the spans between are cut evenly.
  void place_lines() {
    x_ = {0};
    const auto add_span = [&](double to, char is_post) {
      const double from = x_.back();
      const int n = cells_for(to - from, s_.resolution);
      for (int i = 1; i <= n; ++i) {
        x_.push_back(i == n ? to : from + (to - from) * i / n);
        post_.push_back(is_post);
      }
    };
    for (int p = 1; p <= s_.posts; ++p) {
      const double middle = s_.length * p / (s_.posts + 1);
      add_span(middle - s_.post_width / 2, 0);
      add_span(middle + s_.post_width / 2, 1);
    }
    add_span(s_.length, 0);
  }

  /// The same for all cells of one post: by the height at its middle.
  int levels_in_post(std::size_t cell) const {
    const double spacing = s_.length / (s_.posts + 1);
    const double middle = spacing * std::round((x_[cell] + x_[cell + 1]) / 2 / spacing);
    return cells_for(deck_bottom() - arch_top(middle), s_.resolution);
  }

  double height(int line, Level level, int levels) const {
    const double top = arch_top(x_[line]);
    if (level.part == arch) return top - s_.arch_thickness + s_.arch_thickness * level.k / in_arch_;
    if (level.part == deck) return deck_bottom() + s_.deck_thickness * level.k / in_deck_;
    return top + (deck_bottom() - top) * level.k / levels;
  }

  int node(int line, Level level, int row, int levels) {
    const auto [at, is_new] =
        numbers_.try_emplace({line, level.part, level.k, row}, static_cast<int>(mesh_.nodes.size()));
    if (is_new)
      mesh_.nodes.push_back(
          {x_[line], height(line, level, levels), s_.width * (static_cast<double>(row) / across_ - 0.5)});
    return at->second;
  }

  void add_cells(int i, Level below, Level above) {
    const bool first_half = x_[i] + x_[i + 1] < s_.length;
    const int levels = post_[i] ? levels_in_post(i) : 0;
    for (int row = 0; row < across_; ++row) {
      // Corner bits: x, y, z; in the first half x runs backwards.
      std::array<int, 8> corner{};
      for (int c = 0; c < 8; ++c)
        corner[c] = node(i + ((c & 1) ^ (first_half ? 1 : 0)), (c & 2) != 0 ? above : below, row + (c >> 2), levels);
      constexpr int kuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
      for (const auto& t : kuhn) {
        std::array<int, 4> tet{corner[t[0]], corner[t[1]], corner[t[2]], corner[t[3]]};
        if (first_half) std::swap(tet[2], tet[3]);
        mesh_.tets.push_back(tet);
      }
    }
  }

  const BridgeShape& s_;
  std::vector<double> x_;   // #lines [m]
  std::vector<char> post_;  // #lines − 1: whether a post stands between this line and the next
  int across_ = 0, in_arch_ = 0, in_deck_ = 0;
  std::map<std::array<int, 4>, int> numbers_;
  TetMesh mesh_;
};

}  // namespace

TetMesh bridge_mesh(const BridgeShape& shape) {
  require_positive("length", shape.length);
  require_positive("width", shape.width);
  require_positive("height", shape.height);
  require_positive("deck_thickness", shape.deck_thickness);
  require_positive("arch_thickness", shape.arch_thickness);
  require_positive("clearance", shape.clearance);
  require_positive("post_width", shape.post_width);
  require_positive("resolution", shape.resolution);
  const double rise = shape.height - shape.deck_thickness - shape.arch_thickness - shape.clearance;
  if (!(rise >= 0))
    throw InputError("height", fmt::format("{} is less than deck, clearance and arch together, {:.6g}", shape.height,
                                           shape.height - rise));
  require_between("height", shape.height, 0, shape.height - rise + 0.3 * shape.length,
                  "the arch may rise by 0.3 of the length at most");
  require_between("posts", shape.posts, 1, 1000);
  require_between("post_width", shape.post_width, 0, 0.6 * shape.length / (shape.posts + 1),
                  "posts may take 0.6 of their distance at most");
  const double thinnest =
      std::min({shape.width, shape.deck_thickness, shape.arch_thickness, shape.clearance, shape.post_width});
  require_between("resolution", shape.resolution, 0, 1.5 * thinnest,
                  "it may be 1.5 times the smallest measure at most");
  // First by its volume, more or less: the exact count takes time and memory in proportion to the length.
  const double volume = shape.length * shape.width * (shape.deck_thickness + shape.arch_thickness);
  require_count(6 * volume / std::pow(shape.resolution, 3), shape.max_tets, shape.resolution);
  Bridge bridge(shape);
  require_count(bridge.tets(), shape.max_tets, shape.resolution);
  return bridge.build();
}

}  // namespace limber
