#pragma once
/// Many small groups of n nodes, each with its own energy, W = Σ Wᵢ(x): triangles, hinges, corners of rods.
///
/// Groups are processed in chunks; chunks of one colour share no node. Colours run one after another, and chunks of a
/// colour in parallel, so that results have the same bits for any number of threads.

#include <array>
#include <span>
#include <vector>

#include "limber/core/parallel.hpp"
#include "limber/model/force.hpp"

namespace limber {

/// Groups first … last − 1.
struct StencilChunk {
  std::size_t first, last;
};

/// Chunks of consecutive groups by colour. nodes: n per group.
std::vector<std::vector<StencilChunk>> colour_stencils(std::span<const int> nodes, std::size_t n);

template <int n>
class Stencils {
 public:
  using Nodes = std::array<int, n>;
  using Points = Eigen::Matrix<double, 3, n>;         // a position or a force in each column
  using Block = Eigen::Matrix<double, 3 * n, 3 * n>;  // rows and columns: the columns of Points, one after another
  using Gradient = Eigen::Matrix<double, 3 * n, 1>;

  Stencils() = default;
  explicit Stencils(std::vector<Nodes> groups) : groups_(std::move(groups)) {
    if (!groups_.empty()) colours_ = colour_stencils({groups_.front().data(), groups_.size() * n}, n);
  }

  std::size_t size() const { return groups_.size(); }
  const Nodes& operator[](std::size_t i) const { return groups_[i]; }
  Points points(std::size_t i, const Vector& q) const {
    Points x;
    for (int a = 0; a < n; ++a) x.col(a) = q.segment<3>(3 * node(i, a));
    return x;
  }

  void add_couplings(Couplings& pairs) const {
    for (const Nodes& nodes : groups_)
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(nodes[a], nodes[b]);
  }

  /// Σ energy(i, x).
  template <class Energy>
  double sum(const Vector& q, const Energy& energy) const {
    constexpr double cost = 100;  // [ns]
    return ordered_sum(
        static_cast<Index>(size()),
        [&](Index i) {
          const auto k = static_cast<std::size_t>(i);
          return static_cast<double>(energy(k, points(k, q)));
        },
        cost);
  }

  /// Calls visit(i, x) for every group; groups visited in parallel share no node.
  template <class Visit>
  void for_each(const Vector& q, const Visit& visit) const {
    for (const auto& chunks : colours_)
      parallel_for(static_cast<Index>(chunks.size()), [&](Index c) {
        const StencilChunk& chunk = chunks[static_cast<std::size_t>(c)];
        for (std::size_t i = chunk.first; i < chunk.last; ++i) visit(i, points(i, q));
      });
  }

  void add(std::size_t i, const Points& forces, Vector& f) const {
    for (int a = 0; a < n; ++a) f.segment<3>(3 * node(i, a)) += forces.col(a);
  }
  void add(std::size_t i, const Block& K, TangentBuilder& T) const {
    for (int b = 0; b < n; ++b)
      for (int a = 0; a < n; ++a) T.add_stiffness(node(i, a), node(i, b), K.template block<3, 3>(3 * a, 3 * b));
  }

 private:
  int node(std::size_t i, int a) const { return groups_[i][static_cast<std::size_t>(a)]; }

  std::vector<Nodes> groups_;
  std::vector<std::vector<StencilChunk>> colours_;
};

/// K with its negative eigenvalues set to 0, for a K that is zero on translations: computed in 3(n − 1) orthonormal
/// directions orthogonal to translations.
template <int n>
typename Stencils<n>::Block projected(const typename Stencils<n>::Block& K);

}  // namespace limber
