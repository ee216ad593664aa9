#include "limber/model/ties.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double flat = 1e-9;         // ratio of thickness to diameter below which nodes span no volume
constexpr double most_weight = 1.01;  // above this, another corner is better

/// Calls visit(a, b, slot) for each block of a pattern.
template <class Visit>
void each_block(const BlockPattern& pattern, const Visit& visit) {
  const SparseMatrix A = pattern.zero();
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  for (int b = 0; b < pattern.nodes(); ++b) {
    const int stride = start[3 * b + 1] - start[3 * b];
    for (int p = start[3 * b]; p < start[3 * b + 1]; p += 3) visit(row[p] / 3, b, BlockPattern::Slot{p, stride});
  }
}

/// The node with the largest measure(x), and that measure.
template <class Measure>
std::pair<int, double> farthest(const std::vector<int>& nodes, const std::vector<Vec3>& x, const Measure& measure) {
  std::pair<int, double> best{-1, -1};
  for (const int i : nodes)
    if (const double m = measure(x[ix(i)]); m > best.second) best = {i, m};
  return best;
}

/// Corners of a tetrahedron not much thinner than the nodes' hull: each as far as possible from the others.
std::array<int, 4> spanning(const std::vector<int>& nodes, const std::vector<Vec3>& x, const std::string& where) {
  const auto refuse = [&] {
    throw InputError(where, "its " + std::to_string(nodes.size()) + " nodes span no volume: a rigid part needs four " +
                                "that do not lie in one plane");
  };
  if (nodes.size() < 4) refuse();
  std::array<int, 4> c{};
  c[0] = farthest(nodes, x, [&](const Vec3& p) { return (p - x[ix(nodes[0])]).norm(); }).first;
  double diameter = 0, far = 0;
  std::tie(c[1], diameter) = farthest(nodes, x, [&](const Vec3& p) { return (p - x[ix(c[0])]).norm(); });
  const Vec3 axis = (x[ix(c[1])] - x[ix(c[0])]).normalized();
  std::tie(c[2], far) = farthest(nodes, x, [&](const Vec3& p) { return (p - x[ix(c[0])]).cross(axis).norm(); });
  if (!(far > flat * diameter)) refuse();
  const Vec3 normal = axis.cross(x[ix(c[2])] - x[ix(c[0])]).normalized();
  std::tie(c[3], far) = farthest(nodes, x, [&](const Vec3& p) { return std::abs((p - x[ix(c[0])]).dot(normal)); });
  if (!(far > flat * diameter)) refuse();
  return c;
}

Mat3 edges_of(const std::array<int, 4>& c, const std::vector<Vec3>& x) {
  Mat3 E;
  for (std::size_t k = 1; k < 4; ++k) E.col(static_cast<Index>(k) - 1) = x[ix(c[k])] - x[ix(c[0])];
  return E;
}

}  // namespace

AffinePart affine_part(const std::vector<int>& nodes, const std::vector<Vec3>& positions, const std::string& where) {
  AffinePart part{spanning(nodes, positions, where), {}};
  auto& c = part.corners;
  const auto weights = [&](const Mat3& inverse, int i) {
    const Vec3 w = inverse * (positions[ix(i)] - positions[ix(c[0])]);
    return std::array<double, 4>{1 - w.sum(), w[0], w[1], w[2]};
  };
  // Replacing the corner by a node of weight w enlarges the tetrahedron by |w|, so the loop terminates.
  for (bool changed = true; changed;) {
    changed = false;
    for (const int i : nodes) {
      const auto w = weights(edges_of(c, positions).inverse(), i);
      const auto k = static_cast<std::size_t>(
          std::max_element(w.begin(), w.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
          w.begin());
      if (!(std::abs(w[k]) > most_weight)) continue;
      c[k] = i;
      changed = true;
    }
  }
  if (edges_of(c, positions).determinant() < 0) std::swap(c[2], c[3]);
  const Mat3 inverse = edges_of(c, positions).inverse();
  for (const int i : nodes)
    if (std::find(c.begin(), c.end(), i) == c.end()) {
      const auto w = weights(inverse, i);
      part.ties.push_back({i, {{c[0], w[0]}, {c[1], w[1]}, {c[2], w[2]}, {c[3], w[3]}}});
    }
  return part;
}

Ties::Ties(const std::vector<Tie>& ties, std::span<const int> free_index) : any_(!ties.empty()) {
  const int free = static_cast<int>(std::count_if(free_index.begin(), free_index.end(), [](int f) { return f >= 0; }));
  unknowns_ = any_ ? 0 : free;
  if (!any_) return;
  std::vector<const Tie*> tie(ix(free), nullptr);
  for (const Tie& t : ties) {
    eigen_assert(free_index[ix(t.node)] >= 0 && "a tied node is prescribed");
    tie[ix(free_index[ix(t.node)])] = &t;
  }
  std::vector<int> unknown(ix(free), -1);
  for (int f = 0; f < free; ++f)
    if (!tie[ix(f)]) unknown[ix(f)] = unknowns_++;
  for (int f = 0; f < free; ++f) {
    if (const Tie* t = tie[ix(f)])
      for (const auto& [node, weight] : t->terms) {
        eigen_assert(free_index[ix(node)] >= 0 && unknown[ix(free_index[ix(node)])] >= 0);
        terms_.push_back({unknown[ix(free_index[ix(node)])], weight});
      }
    else
      terms_.push_back({unknown[ix(f)], 1});
    start_.push_back(terms_.size());
  }
}

Vector Ties::spread(const Vector& z) const {
  const int free = static_cast<int>(start_.size()) - 1;
  Vector x = Vector::Zero(3 * static_cast<Index>(free));
  for (int f = 0; f < free; ++f)
    for (const auto& [unknown, weight] : terms(f)) block(x, f) += weight * block(z, unknown);
  return x;
}

Vector Ties::gather(const Vector& f) const {
  Vector z = Vector::Zero(3 * static_cast<Index>(unknowns_));
  for (int i = 0; i + 1 < static_cast<int>(start_.size()); ++i)
    for (const auto& [unknown, weight] : terms(i)) block(z, unknown) += weight * block(f, i);
  return z;
}

TiedPattern::TiedPattern(const Ties& ties, const BlockPattern& nodes) {
  using Term = Ties::Term;
  const auto terms = [&](int f) { return ties.terms(f); };
  std::vector<std::pair<int, int>> pairs;
  each_block(nodes, [&](int a, int b, const auto&) {
    for (const Term& i : terms(a))
      for (const Term& j : terms(b))
        if (i.unknown != j.unknown) pairs.emplace_back(i.unknown, j.unknown);
  });
  pattern_ = BlockPattern(ties.unknowns(), pairs, nodes.storage());
  const bool lower = nodes.storage() == Storage::lower;
  each_block(nodes, [&](int a, int b, const BlockPattern::Slot& from) {
    for (const Term& i : terms(a))
      for (const Term& j : terms(b)) {
        const double weight = i.weight * j.weight;
        if (!lower || i.unknown >= j.unknown) pieces_.push_back({from, pattern_.slot(i.unknown, j.unknown), weight});
        // With lower storage, block (a, b) also represents its transpose, except on the diagonal.
        if (lower && a != b && j.unknown >= i.unknown)
          transposed_.push_back({from, pattern_.slot(j.unknown, i.unknown), weight});
      }
  });
}

void TiedPattern::add_reduced(const double* A, double* B) const {
  // Forces between few nodes leave most blocks at zero.
  const auto is_zero = [&](const BlockPattern::Slot& from) {
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r)
        if (A[from.at(r, c)] != 0) return false;
    return true;
  };
  for (const auto& [from, to, weight] : pieces_) {
    if (is_zero(from)) continue;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) B[to.at(r, c)] += weight * A[from.at(r, c)];
  }
  for (const auto& [from, to, weight] : transposed_) {
    if (is_zero(from)) continue;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) B[to.at(r, c)] += weight * A[from.at(c, r)];
  }
}

SparseMatrix Ties::reduced(const SparseMatrix& A) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < A.cols(); ++column)
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      for (const Term& i : terms(row / 3))
        for (const Term& j : terms(column / 3))
          entries.emplace_back(3 * i.unknown + row % 3, 3 * j.unknown + column % 3, i.weight * j.weight * it.value());
    }
  SparseMatrix B(3 * unknowns_, 3 * unknowns_);
  B.setFromTriplets(entries.begin(), entries.end());
  return B;
}

}  // namespace limber
