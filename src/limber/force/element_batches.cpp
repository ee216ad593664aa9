#include "limber/force/element_batches.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "limber/core/lanes.hpp"

namespace limber {
namespace {

constexpr int block_elements = 64;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The lowest 21 bits of x, two zeros between each.
std::uint64_t spread(std::uint64_t x) {
  std::uint64_t y = 0;
  for (int bit = 0; bit < 21; ++bit) y |= ((x >> bit) & 1u) << (3 * bit);
  return y;
}

/// Place of each tetrahedron's centre on Morton's curve through the mesh's bounding cube.
std::vector<std::uint64_t> curve_places(const TetMesh& mesh) {
  Vec3 low = mesh.nodes.at(0), high = low;
  for (const Vec3& x : mesh.nodes) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double scale = 2097151.0 / std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::uint64_t> places;
  places.reserve(mesh.tets.size());
  for (const auto& t : mesh.tets) {
    const Vec3 c = 0.25 * (mesh.nodes[at(t[0])] + mesh.nodes[at(t[1])] + mesh.nodes[at(t[2])] + mesh.nodes[at(t[3])]);
    const Vec3 x = scale * (c - low);
    std::uint64_t place = 0;
    for (int k = 0; k < 3; ++k) place |= spread(static_cast<std::uint64_t>(x[k])) << k;
    places.push_back(place);
  }
  return places;
}

}  // namespace

ElementBatches::ElementBatches(const TetMesh& mesh, int first_node, const std::vector<int>& material_of_tet)
    : mesh_(mesh), first_node_(first_node) {
  eigen_assert(material_of_tet.size() == mesh.tets.size());
  make_blocks(material_of_tet);
  colour_blocks();
  pack([](int node) { return node; });
}

std::array<int, 4> ElementBatches::tet(std::size_t t) const {
  auto nodes = mesh_.tets[t];
  for (int& n : nodes) n += first_node_;
  return nodes;
}

const double* ElementBatches::shape(int batch) const { return shape_.data() + at(batch) * shape_size * lane_count; }

const int* ElementBatches::nodes(int batch) const { return nodes_.data() + at(batch) * 4 * lane_count; }

void ElementBatches::make_blocks(const std::vector<int>& material_of_tet) {
  const auto places = curve_places(mesh_);
  std::vector<int> tets(mesh_.tets.size());
  std::iota(tets.begin(), tets.end(), 0);
  std::sort(tets.begin(), tets.end(), [&](int a, int b) {
    return std::tuple(material_of_tet[at(a)], places[at(a)], a) < std::tuple(material_of_tet[at(b)], places[at(b)], b);
  });
  for (std::size_t i = 0; i < tets.size();) {
    const int material = material_of_tet[at(tets[i])];
    ElementBlock block{static_cast<int>(order_.size()), 0, material};
    for (; i < tets.size() && block.count < block_elements && material_of_tet[at(tets[i])] == material;
         ++i, ++block.count)
      order_.push_back(tets[i]);
    while (order_.size() % lane_count != 0) order_.push_back(-1);
    blocks_.push_back(block);
  }
}

void ElementBatches::colour_blocks() {
  std::vector<std::vector<int>> colours_at(mesh_.nodes.size());
  std::vector<std::vector<ElementBlock>> by_colour;
  std::vector<int> taken_by;  // the last block that found the colour taken
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto& block = blocks_[b];
    const auto nodes_of = [&](int e) { return mesh_.tets[at(order_[at(block.first + e)])]; };
    for (int e = 0; e < block.count; ++e)
      for (const int n : nodes_of(e))
        for (const int c : colours_at[at(n)]) taken_by[at(c)] = static_cast<int>(b);
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](int t) { return t != static_cast<int>(b); });
    const auto colour = static_cast<std::size_t>(free - taken_by.begin());
    if (colour == taken_by.size()) taken_by.push_back(-1), by_colour.emplace_back();
    by_colour[colour].push_back(block);
    for (int e = 0; e < block.count; ++e)
      for (const int n : nodes_of(e))
        if (auto& list = colours_at[at(n)]; list.empty() || list.back() != static_cast<int>(colour))
          list.push_back(static_cast<int>(colour));
  }
  blocks_.clear();
  colour_start_ = {0};
  for (const auto& group : by_colour) {
    blocks_.insert(blocks_.end(), group.begin(), group.end());
    colour_start_.push_back(static_cast<int>(blocks_.size()));
  }
}

template <class Rank>
void ElementBatches::pack(const Rank& rank) {
  packed_.assign(order_.size(), {});
  nodes_.assign(order_.size() * 4, 0);
  shape_.assign(order_.size() * shape_size, 0);
  int last = 0;  // places that fill up a batch repeat the element before them
  for (std::size_t place = 0; place < order_.size(); ++place) {
    if (order_[place] >= 0) last = order_[place];
    auto nodes = tet(at(last));
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
    const auto X = [&](int a) { return mesh_.nodes[at(nodes[at(a)] - first_node_)]; };
    Mat3 edges;
    edges << X(1) - X(0), X(2) - X(0), X(3) - X(0);
    const double six_volumes = edges.determinant();
    eigen_assert(six_volumes != 0);
    const Mat3 gradients = edges.inverse();  // row a: gradient of node a + 1
    const std::size_t batch = place / lane_count, lane = place % lane_count;
    double* shape = shape_.data() + batch * shape_size * lane_count + lane;
    for (int a = 0; a < 3; ++a)
      for (int j = 0; j < 3; ++j) shape[at(3 * a + j) * lane_count] = gradients(a, j);
    shape[9 * lane_count] = std::abs(six_volumes) / 6;
    for (int a = 0; a < 4; ++a) nodes_[batch * 4 * lane_count + at(a) * lane_count + lane] = 3 * nodes[at(a)];
    packed_[place] = nodes;
  }
}

void ElementBatches::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  pack([&](int node) { return free_index[at(node)]; });
  const bool full = pattern.storage() == Storage::full;
  slots_.assign(order_.size(), {});
  mirrors_.assign(full ? order_.size() : 0, {});
  for (std::size_t place = 0; place < order_.size(); ++place) {
    std::array<int, 4> free;
    for (std::size_t a = 0; a < 4; ++a) free[a] = free_index[at(packed_[place][a])];
    const auto slot = [&](std::size_t row, std::size_t column) {
      if (free[row] < 0 || free[column] < 0) return BlockPattern::Slot{};
      const auto s = pattern.slot(free[row], free[column]);
      eigen_assert(s.first >= 0);
      return s;
    };
    ElementSlots& s = slots_[place];
    std::size_t next = 0, mirror = 0;
    for (std::size_t column = 0; column < 4; ++column) {
      s.stride[column] = slot(column, column).stride;
      for (std::size_t row = column; row < 4; ++row) {
        s.first[next++] = slot(row, column).first;
        if (full && row > column) mirrors_[place][mirror++] = slot(column, row).first;
      }
    }
  }
}

}  // namespace limber
