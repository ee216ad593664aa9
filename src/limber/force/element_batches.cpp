#include "limber/force/element_batches.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr int block_elements = 64;

/// The lowest 21 bits of x, two zeros between each.
std::uint64_t spread(std::uint64_t x) {
  std::uint64_t y = 0;
  for (int bit = 0; bit < 21; ++bit) y |= ((x >> bit) & 1u) << (3 * bit);
  return y;
}

/// Place of each element's centre on Morton's curve through the mesh's bounding cube.
std::vector<std::uint64_t> curve_places(const ElementMesh& mesh) {
  Vec3 low = mesh.nodes.at(0), high = low;
  for (const Vec3& x : mesh.nodes) low = low.cwiseMin(x), high = high.cwiseMax(x);
  const double scale = 2097151.0 / std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::uint64_t> places;
  places.reserve(mesh.count());
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    Vec3 c = Vec3::Zero();
    for (const int i : mesh.element(e)) c += mesh.nodes[ix(i)];
    const Vec3 x = scale * (c / node_count(mesh.kind) - low);
    std::uint64_t place = 0;
    for (int k = 0; k < 3; ++k) place |= spread(static_cast<std::uint64_t>(x[k])) << k;
    places.push_back(place);
  }
  return places;
}

}  // namespace

ElementBatches::ElementBatches(const ElementMesh& mesh, int first_node, const std::vector<int>& kernel_of_element,
                               const std::vector<double>& part)
    : count_(mesh.count()), part_(part), n_(node_count(mesh.kind)), rule_(energy_rule(mesh.kind, sides(mesh))) {
  eigen_assert(kernel_of_element.size() == mesh.count());
  for (Index q = 0; q < rule_.weights.size(); ++q)
    gradients_.push_back(shape_gradients(mesh.kind, rule_.points.row(q)));
  make_blocks(mesh, kernel_of_element);
  colour_blocks(mesh);
  take_nodes(mesh, first_node);
  pack([](int node) { return node; });
}

void ElementBatches::make_blocks(const ElementMesh& mesh, const std::vector<int>& kernel_of_element) {
  const auto places = curve_places(mesh);
  std::vector<int> list(mesh.count());
  std::iota(list.begin(), list.end(), 0);
  std::sort(list.begin(), list.end(), [&](int a, int b) {
    return std::tuple(kernel_of_element[ix(a)], places[ix(a)], a) <
           std::tuple(kernel_of_element[ix(b)], places[ix(b)], b);
  });
  order_.reserve(list.size() + lane_count);
  for (std::size_t i = 0; i < list.size();) {
    const int kernel = kernel_of_element[ix(list[i])];
    ElementBlock block{static_cast<int>(order_.size()), 0, kernel};
    for (; i < list.size() && block.count < block_elements && kernel_of_element[ix(list[i])] == kernel;
         ++i, ++block.count)
      order_.push_back(list[i]);
    while (order_.size() % lane_count != 0) order_.push_back(order_.back());
    blocks_.list.push_back(block);
  }
}

void ElementBatches::colour_blocks(const ElementMesh& mesh) {
  std::vector<std::vector<int>> colours_at(mesh.nodes.size());
  std::vector<std::vector<ElementBlock>> by_colour;
  std::vector<int> taken_by;  // the last block that found the colour taken
  for (std::size_t b = 0; b < blocks_.list.size(); ++b) {
    const auto& block = blocks_.list[b];
    const auto nodes_of = [&](int e) { return mesh.element(ix(order_[ix(block.first + e)])); };
    for (int e = 0; e < block.count; ++e)
      for (const int n : nodes_of(e))
        for (const int c : colours_at[ix(n)]) taken_by[ix(c)] = static_cast<int>(b);
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](int t) { return t != static_cast<int>(b); });
    const auto colour = static_cast<std::size_t>(free - taken_by.begin());
    if (colour == taken_by.size()) taken_by.push_back(-1), by_colour.emplace_back();
    by_colour[colour].push_back(block);
    for (int e = 0; e < block.count; ++e)
      for (const int n : nodes_of(e))
        if (auto& list = colours_at[ix(n)]; list.empty() || list.back() != static_cast<int>(colour))
          list.push_back(static_cast<int>(colour));
  }
  blocks_.list.clear();
  blocks_.colour_start = {0};
  for (const auto& group : by_colour) {
    blocks_.list.insert(blocks_.list.end(), group.begin(), group.end());
    blocks_.colour_start.push_back(static_cast<int>(blocks_.list.size()));
  }
}

/// What of the mesh is needed to pack: nodes in its order, and where they are.
void ElementBatches::take_nodes(const ElementMesh& mesh, int first_node) {
  nodes_.resize(order_.size() * ix(n_));
  corner_.resize(nodes_.size());
  std::vector<char> held(mesh.nodes.size(), 0);
  for (std::size_t place = 0; place < order_.size(); ++place)
    for (int a = 0; a < n_; ++a) {
      const int node = mesh.element(ix(order_[place]))[ix(a)];
      nodes_[node_at(place, a)] = 3 * (first_node + node);
      corner_[place * ix(n_) + ix(a)] = static_cast<std::uint8_t>(a);
      held[ix(node)] = 1;
    }
  const auto count = static_cast<std::size_t>(std::count(held.begin(), held.end(), 1));
  known_.held.reserve(count);
  known_.rest.reserve(count);
  for (int i = 0; i < static_cast<int>(held.size()); ++i)
    if (held[ix(i)]) known_.held.push_back(first_node + i), known_.rest.push_back(mesh.nodes[ix(i)]);
}

const Vec3& ElementBatches::rest_of(int node) const {
  return known_.rest[static_cast<std::size_t>(std::lower_bound(known_.held.begin(), known_.held.end(), node) -
                                              known_.held.begin())];
}

void ElementBatches::corners_at(std::size_t place, std::vector<int>& corners) const {
  for (int a = 0; a < n_; ++a) corners[corner_[place * ix(n_) + ix(a)]] = nodes_[node_at(place, a)] / 3;
}

void ElementBatches::pack_shape(std::size_t place, const std::vector<int>& corners, const std::vector<int>& arranged) {
  Matrix X(n_, 3);
  for (int a = 0; a < n_; ++a) X.row(a) = rest_of(corners[ix(a)]).transpose();
  const std::size_t batch = place / lane_count, lane = place % lane_count, size = ix(shape_size()) * lane_count;
  for (int q = 0; q < points(); ++q) {
    const Mat3 map = X.transpose() * gradients_[ix(q)];  // ∂X/∂ξ
    const double det = map.determinant();
    eigen_assert(det != 0);
    const Matrix g = gradients_[ix(q)] * map.inverse();
    double* shape = shape_.data() + (batch * ix(points()) + ix(q)) * size + lane;
    for (int a = 1; a < n_; ++a)
      for (int j = 0; j < 3; ++j) shape[ix(3 * (a - 1) + j) * lane_count] = g(arranged[ix(a)], j);
    const double part = part_.empty() ? 1 : part_[ix(order_[place])];
    shape[ix(3 * (n_ - 1)) * lane_count] = part * rule_.weights[q] * std::abs(det);
  }
}

template <class Rank>
void ElementBatches::pack(const Rank& rank) {
  const bool anew = shape_.empty();
  shape_.resize(order_.size() * ix(points()) * ix(shape_size()));
  std::vector<int> corners(ix(n_)), arranged(ix(n_));
  for (std::size_t place = 0; place < order_.size(); ++place) {
    corners_at(place, corners);
    std::iota(arranged.begin(), arranged.end(), 0);
    const auto key = [&](int a) { return std::pair(rank(corners[ix(a)]), corners[ix(a)]); };
    std::sort(arranged.begin(), arranged.end(), [&](int a, int b) { return key(a) < key(b); });
    const auto corner = corner_.begin() + static_cast<std::ptrdiff_t>(place * ix(n_));
    if (!anew && std::equal(arranged.begin(), arranged.end(), corner)) continue;
    pack_shape(place, corners, arranged);
    for (int a = 0; a < n_; ++a) nodes_[node_at(place, a)] = 3 * corners[ix(arranged[ix(a)])];
    std::copy(arranged.begin(), arranged.end(), corner);
  }
}

void ElementBatches::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  pack([&](int node) { return free_index[ix(node)]; });
  const bool full = pattern.storage() == Storage::full;
  binding_.stride.assign(3 * free_index.size(), 0);
  for (const int node : known_.held)
    if (const int f = free_index[ix(node)]; f >= 0) binding_.stride[ix(3 * node)] = pattern.slot(f, f).stride;
  binding_.slots.clear();
  binding_.mirrors.clear();
  binding_.slots.reserve(order_.size() * ix(block_count(n_)));
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const auto slot = [&](int row, int column) {
      const int r = free_index[ix(nodes_[node_at(place, row)] / 3)],
                c = free_index[ix(nodes_[node_at(place, column)] / 3)];
      if (r < 0 || c < 0) return -1;
      const int first = pattern.slot(r, c).first;
      eigen_assert(first >= 0);
      return first;
    };
    for (int column = 0; column < n_; ++column)
      for (int row = column; row < n_; ++row) binding_.slots.push_back(slot(row, column));
    if (!full) continue;
    for (int column = 0; column < n_; ++column)
      for (int row = column + 1; row < n_; ++row) binding_.mirrors.push_back(slot(column, row));
  }
}

}  // namespace limber
