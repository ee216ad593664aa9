#include "limber/core/space.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/nodes.hpp"

namespace limber {

bool NodeHolders::holds(int node) const {
  if (!shared()) return true;
  const auto first = holder.begin() + start[ix(node)], last = holder.begin() + start[ix(node) + 1];
  return std::find(first, last, processes->rank()) != last;
}

Space::Space(const NodeHolders& holders, const std::vector<int>& nodes, const std::vector<int>& everywhere) {
  if (!holders.shared()) return;
  auto parts = std::make_shared<Parts>();
  parts->processes = holders.processes;
  parts->nodes = static_cast<int>(everywhere.size());
  const int me = holders.processes->rank();
  const auto owner = [&](int node) { return holders.holder[ix(holders.start[ix(node)])]; };

  // Numbers: process by process, ascending nodes in each.
  std::vector<int> count(ix(holders.processes->size()) + 1, 0);
  for (const int node : everywhere) ++count[ix(owner(node)) + 1];
  for (std::size_t p = 1; p < count.size(); ++p) count[p] += count[p - 1];
  Numbering& numbering = parts->numbering;
  numbering.first = count[ix(me)];
  numbering.own = count[ix(me) + 1] - count[ix(me)];
  numbering.nodes = parts->nodes;
  auto mine = nodes.begin();
  for (std::size_t i = 0; i < everywhere.size(); ++i) {
    const int node = everywhere[i], number = count[ix(owner(node))]++;
    if (mine == nodes.end() || *mine != node) continue;
    ++mine;
    numbering.number.push_back(number);
    parts->place.push_back(static_cast<int>(i));
  }

  parts->owned = Vector::Zero(3 * static_cast<Index>(nodes.size()));
  std::vector<std::vector<int>> with(ix(holders.processes->size()));
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int node = nodes[ix(i)];
    if (owner(node) == me) block(parts->owned, i).setOnes();
    const int first = holders.start[ix(node)], last = holders.start[ix(node) + 1];
    if (last - first > 1) parts->shared.push_back(i);
    for (int k = first; k < last; ++k)
      if (holders.holder[ix(k)] != me) with[ix(holders.holder[ix(k)])].push_back(i);
  }
  for (int p = 0; p < static_cast<int>(with.size()); ++p)
    if (!with[ix(p)].empty()) parts->neighbours.push_back({p, std::move(with[ix(p)])});
  parts_ = std::move(parts);
}

double Space::sum(double x) const {
  if (parts_) parts_->processes->sum({&x, 1});
  return x;
}

double Space::min(double x) const {
  if (!parts_) return x;
  // What is not a number here is so for all: MPI's minimum need not be.
  double both[2] = {std::isnan(x) ? 0 : x, std::isnan(x) ? 0. : 1.};
  parts_->processes->min(std::span<double>(both));
  return both[1] == 0 ? std::nan("") : both[0];
}

double Space::dot(const Vector& x, const Vector& y) const {
  if (!parts_) return x.dot(y);
  return sum((parts_->owned.array() * x.array() * y.array()).sum());
}

double Space::norm(const Vector& x) const { return parts_ ? std::sqrt(dot(x, x)) : x.norm(); }

double Space::max_abs(const Vector& x) const {
  if (!parts_) return x.lpNorm<Eigen::Infinity>();
  return max(x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0);
}

Matrix Space::inner(const Matrix& X, const Matrix& Y) const {
  if (!parts_) return X.transpose() * Y;
  Matrix products = X.transpose() * parts_->owned.asDiagonal() * Y;
  parts_->processes->sum({products.data(), static_cast<std::size_t>(products.size())});
  return products;
}

void Space::add_up(Vector& f) const {
  if (!parts_ || parts_->processes->size() == 1) return;
  const auto& neighbours = parts_->neighbours;
  std::vector<Vector> out, in;
  std::vector<Communicator::Letter> letters;
  for (const Neighbour& n : neighbours) {
    Vector& o = out.emplace_back(3 * static_cast<Index>(n.nodes.size()));
    in.emplace_back(o.size());
    for (int k = 0; k < static_cast<int>(n.nodes.size()); ++k) block(o, k) = block(f, n.nodes[ix(k)]);
  }
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    letters.push_back({neighbours[i].process,
                       {out[i].data(), static_cast<std::size_t>(out[i].size())},
                       {in[i].data(), static_cast<std::size_t>(in[i].size())}});
  parts_->processes->exchange(letters);
  // In the order of the processes, so that all who hold a node get the same bits.
  Vector own(3 * static_cast<Index>(parts_->shared.size()));
  for (int k = 0; k < static_cast<int>(parts_->shared.size()); ++k) {
    block(own, k) = block(f, parts_->shared[ix(k)]);
    block(f, parts_->shared[ix(k)]).setZero();
  }
  const auto add_own = [&] {
    for (int k = 0; k < static_cast<int>(parts_->shared.size()); ++k) block(f, parts_->shared[ix(k)]) += block(own, k);
  };
  bool added = false;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (!added && neighbours[i].process > parts_->processes->rank()) {
      add_own();
      added = true;
    }
    for (int k = 0; k < static_cast<int>(neighbours[i].nodes.size()); ++k)
      block(f, neighbours[i].nodes[ix(k)]) += block(in[i], k);
  }
  if (!added) add_own();
}

void Space::add_up(Matrix& F) const {
  if (!parts_) return;
  for (Index c = 0; c < F.cols(); ++c) {
    Vector column = F.col(c);
    add_up(column);
    F.col(c) = column;
  }
}

Vector Space::whole(const Vector& x) const {
  if (!parts_) return x;
  Vector all = Vector::Zero(3 * static_cast<Index>(parts_->nodes));
  for (int i = 0; i < static_cast<int>(parts_->place.size()); ++i)
    if (owns(i)) block(all, parts_->place[ix(i)]) = block(x, i);
  parts_->processes->sum({all.data(), static_cast<std::size_t>(all.size())});
  return all;
}

Vector Space::part(const Vector& whole) const {
  if (!parts_) return whole;
  Vector x(3 * static_cast<Index>(parts_->place.size()));
  for (int i = 0; i < static_cast<int>(parts_->place.size()); ++i) block(x, i) = block(whole, parts_->place[ix(i)]);
  return x;
}

const Space& whole_space() {
  static const Space here;
  return here;
}

}  // namespace limber
