#include "limber/core/space.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"

namespace limber {

bool NodeHolders::holds(int node) const {
  if (!shared()) return true;
  const auto first = holder.begin() + start[ix(node)], last = holder.begin() + start[ix(node) + 1];
  return std::find(first, last, processes->rank()) != last;
}

int NodeHolders::speaker(int node) const {
  return start[ix(node)] < start[ix(node) + 1] ? holder[ix(start[ix(node)])] : 0;
}

std::vector<int> NodeHolders::united(std::vector<int> scene_numbers) const {
  if (!by_parts()) return scene_numbers;
  std::vector<int> all;
  for (const auto& list : processes->allgather({scene_numbers.begin(), scene_numbers.end()}))
    all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Space::Space(const NodeHolders& holders, const std::vector<int>& nodes, const std::vector<int>& others) {
  if (!holders.shared()) return;
  auto parts = std::make_shared<Parts>();
  parts->processes = holders.processes;
  parts->nodes = holders.nodes - static_cast<int>(others.size());
  const int me = holders.processes->rank();
  parts->owned.assign(nodes.size(), 0);
  std::vector<std::vector<int>> with(nodes.size());
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int node = nodes[ix(i)], number = holders.scene_number(node);
    const auto before = std::lower_bound(others.begin(), others.end(), number) - others.begin();
    parts->place.push_back(number - static_cast<int>(before));
    if (holders.speaker(node) == me) parts->owned[ix(i)] = 1;
    for (int k = holders.start[ix(node)]; k < holders.start[ix(node) + 1]; ++k)
      if (holders.holder[ix(k)] != me) with[ix(i)].push_back(holders.holder[ix(k)]);
  }
  meet(*parts, with);
  parts_ = parts;

  // Numbers: process by process, ascending nodes in each. Who answers for a node tells the others.
  Numbering& numbering = parts->numbering;
  numbering.own = static_cast<int>(std::count(parts->owned.begin(), parts->owned.end(), 1));
  numbering.first = holders.processes->exclusive_sum(numbering.own);
  numbering.nodes = parts->nodes;
  std::vector<double> number(nodes.size(), 0.0);
  for (std::size_t i = 0, next = 0; i < nodes.size(); ++i)
    if (parts->owned[i] != 0) number[i] = numbering.first + static_cast<double>(next++);
  add_up(number.data(), 1);
  numbering.number.assign(number.begin(), number.end());
}

void Space::meet(Parts& parts, const std::vector<std::vector<int>>& others) {
  for (int i = 0; i < static_cast<int>(parts.owned.size()); ++i) {
    if (parts.owned[ix(i)] == 0) continue;
    auto& ranges = parts.owned_ranges;
    const Index first = 3 * static_cast<Index>(i);
    if (ranges.empty() || ranges.back().second != first) ranges.emplace_back(first, first);
    ranges.back().second += 3;
  }
  std::vector<std::vector<int>> with(ix(parts.processes->size()));
  parts.place_of_shared.assign(others.size(), -1);
  for (int i = 0; i < static_cast<int>(others.size()); ++i) {
    if (others[ix(i)].empty()) continue;
    const int k = parts.place_of_shared[ix(i)] = static_cast<int>(parts.shared.size());
    parts.shared.push_back(i);
    for (const int p : others[ix(i)]) with[ix(p)].push_back(k);
  }
  for (int p = 0; p < static_cast<int>(with.size()); ++p)
    if (!with[ix(p)].empty()) parts.neighbours.push_back({p, std::move(with[ix(p)])});
}

namespace {

/// Each process gives each other one a list of numbers.
std::vector<std::vector<int>> give_lists(const Communicator& all, const std::vector<std::vector<int>>& out) {
  std::vector<std::vector<double>> messages;
  for (const auto& list : out) messages.emplace_back(list.begin(), list.end());
  std::vector<std::vector<int>> in;
  for (const auto& list : all.alltoall(messages)) in.emplace_back(list.begin(), list.end());
  return in;
}

/// Who answers for a node. `first`: the first number of each process, and the number of all.
int owner(const std::vector<int>& first, int number) {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), number) - first.begin()) - 1;
}

/// Of each node held here: the other processes that hold it. Who answers for a node hears who holds it, and tells all
/// of them.
std::vector<std::vector<int>> other_holders(const Communicator& processes, const std::vector<int>& first,
                                            const std::vector<int>& held) {
  const int count = processes.size(), me = processes.rank();
  std::vector<std::vector<int>> asked(ix(count)), told(ix(count));
  for (const int number : held) asked[ix(owner(first, number))].push_back(number);
  std::vector<std::vector<int>> holders(ix(first[ix(me) + 1] - first[ix(me)]));
  auto heard = give_lists(processes, asked);
  heard[ix(me)] = asked[ix(me)];
  for (int p = 0; p < count; ++p)
    for (const int number : heard[ix(p)]) holders[ix(number - first[ix(me)])].push_back(p);
  for (int i = 0; i < static_cast<int>(holders.size()); ++i) {
    const auto& list = holders[ix(i)];
    for (const int p : list) {
      told[ix(p)].insert(told[ix(p)].end(), {first[ix(me)] + i, static_cast<int>(list.size())});
      told[ix(p)].insert(told[ix(p)].end(), list.begin(), list.end());
    }
  }
  auto answers = give_lists(processes, told);
  answers[ix(me)] = told[ix(me)];
  std::vector<std::vector<int>> others(held.size());
  for (const auto& answer : answers)
    for (std::size_t i = 0; i < answer.size(); i += 2 + ix(answer[i + 1])) {
      const auto at = std::lower_bound(held.begin(), held.end(), answer[i]) - held.begin();
      for (int k = 0; k < answer[i + 1]; ++k)
        if (const int p = answer[i + 2 + ix(k)]; p != me) others[static_cast<std::size_t>(at)].push_back(p);
    }
  return others;
}

}  // namespace

Space Space::numbered(const Communicator& processes, const std::vector<int>& held, int own) {
  auto parts = std::make_shared<Parts>();
  parts->processes = &processes;
  const int me = processes.rank();
  std::vector<int> first{0};
  for (const auto& list : processes.allgather({static_cast<double>(own)}))
    first.push_back(first.back() + static_cast<int>(list[0]));
  parts->nodes = first.back();
  parts->place = held;
  parts->numbering = {held, first[ix(me)], own, parts->nodes};
  for (const int number : held) parts->owned.push_back(owner(first, number) == me ? 1 : 0);
  meet(*parts, other_holders(processes, first, held));
  Space space;
  space.parts_ = std::move(parts);
  return space;
}

const std::vector<int>& Space::held_by_several() const {
  static const std::vector<int> none;
  return parts_ ? parts_->shared : none;
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
  double here = 0;
  for (const auto& [begin, end] : parts_->owned_ranges)
    here += x.segment(begin, end - begin).dot(y.segment(begin, end - begin));
  return sum(here);
}

double Space::norm(const Vector& x) const { return parts_ ? std::sqrt(dot(x, x)) : x.norm(); }

double Space::max_abs(const Vector& x) const { return max(largest_magnitude(x)); }

Matrix Space::inner(const Matrix& X, const Matrix& Y) const {
  if (!parts_) return X.transpose() * Y;
  Vector owned = Vector::Zero(X.rows());
  for (const auto& [begin, end] : parts_->owned_ranges) owned.segment(begin, end - begin).setOnes();
  Matrix products = X.transpose() * owned.asDiagonal() * Y;
  parts_->processes->sum({products.data(), static_cast<std::size_t>(products.size())});
  return products;
}

/// range(k): where the values of the k-th node that several hold are.
template <class Range>
void Space::add_up_ranges(double* values, const Range& range) const {
  const auto& neighbours = parts_->neighbours;
  std::vector<std::vector<double>> out(neighbours.size()), in(neighbours.size());
  std::vector<Communicator::Message> messages;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    for (const int k : neighbours[n].nodes) {
      const auto [begin, end] = range(k);
      out[n].insert(out[n].end(), values + begin, values + end);
    }
    in[n].resize(out[n].size());
    messages.push_back({neighbours[n].process, out[n], in[n]});
  }
  parts_->processes->exchange(messages);
  // In the order of the processes, so that all who hold a node get the same bits.
  const auto last = range(static_cast<int>(parts_->shared.size()) - 1).second;
  const std::vector<double> own(values, values + last);
  std::fill_n(values, last, 0.0);
  const auto add_own = [&] {
    for (std::size_t i = 0; i < own.size(); ++i) values[i] += own[i];
  };
  bool added = false;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    if (!added && neighbours[n].process > parts_->processes->rank()) {
      add_own();
      added = true;
    }
    const double* from = in[n].data();
    for (const int k : neighbours[n].nodes) {
      const auto [begin, end] = range(k);
      for (auto i = begin; i < end; ++i) values[i] += *from++;
    }
  }
  if (!added) add_own();
}

void Space::add_up_held(double* values, int width) const {
  if (!parts_ || parts_->shared.empty()) return;
  add_up_ranges(values, [width](int k) {
    const Index begin = static_cast<Index>(width) * k;
    return std::pair<Index, Index>(begin, begin + width);
  });
}

void Space::add_up_held(double* values, const std::vector<int>& start) const {
  if (!parts_ || parts_->shared.empty()) return;
  add_up_ranges(values, [&](int k) { return std::pair<Index, Index>(start[ix(k)], start[ix(k) + 1]); });
}

template <class Number>
void Space::add_up(Number* f, int width) const {
  if (!parts_ || parts_->shared.empty()) return;
  std::vector<double> values;
  values.reserve(parts_->shared.size() * ix(width));
  const auto of = [&](int node) { return f + static_cast<Index>(width) * node; };
  for (const int node : parts_->shared) values.insert(values.end(), of(node), of(node) + width);
  add_up_held(values.data(), width);
  const double* from = values.data();
  for (const int node : parts_->shared)
    for (int c = 0; c < width; ++c) of(node)[c] = static_cast<Number>(*from++);
}
template void Space::add_up(double*, int) const;
template void Space::add_up(float*, int) const;

void Space::add_up(Matrix& F) const {
  if (!parts_) return;
  for (Index c = 0; c < F.cols(); ++c) add_up(F.col(c).data(), 3);
}

void Space::unite(std::vector<std::vector<int>>& rows) const {
  if (!parts_) return;
  std::vector<std::vector<double>> out(ix(parts_->processes->size()));
  for (const Neighbour& n : parts_->neighbours)
    for (const int k : n.nodes) {
      const auto& row = rows[ix(k)];
      out[ix(n.process)].push_back(static_cast<double>(row.size()));
      out[ix(n.process)].insert(out[ix(n.process)].end(), row.begin(), row.end());
    }
  const auto in = parts_->processes->alltoall(out);
  for (const Neighbour& n : parts_->neighbours) {
    auto from = in[ix(n.process)].begin();
    for (const int k : n.nodes)
      for (int left = static_cast<int>(*from++); left > 0; --left) rows[ix(k)].push_back(static_cast<int>(*from++));
  }
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
}

template <class Number>
Vector Space::allgather(const Number* x, int width) const {
  Vector all = Vector::Zero(static_cast<Index>(width) * parts_->nodes);
  for (int i = 0; i < static_cast<int>(parts_->place.size()); ++i)
    if (owns(i))
      for (int c = 0; c < width; ++c)
        all[static_cast<Index>(width) * parts_->place[ix(i)] + c] = x[static_cast<Index>(width) * i + c];
  parts_->processes->sum({all.data(), static_cast<std::size_t>(all.size())});
  return all;
}
template Vector Space::allgather(const double*, int) const;
template Vector Space::allgather(const float*, int) const;

Vector Space::restrict(const Vector& whole, int width) const {
  Vector x(width * static_cast<Index>(parts_->place.size()));
  for (int i = 0; i < static_cast<int>(parts_->place.size()); ++i)
    x.segment(static_cast<Index>(width) * i, width) =
        whole.segment(static_cast<Index>(width) * parts_->place[ix(i)], width);
  return x;
}

Vector Space::gather_to_root(const Vector& x) const {
  if (!parts_) return x;
  std::vector<double> mine;
  for (int i = 0; i < static_cast<int>(parts_->place.size()); ++i)
    if (owns(i))
      mine.insert(mine.end(), {static_cast<double>(parts_->place[ix(i)]), x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  auto lists = parts_->processes->gather_to_root(std::move(mine));
  if (parts_->processes->rank() > 0) return {};
  Vector all(3 * static_cast<Index>(parts_->nodes));
  for (auto& list : lists) {
    for (std::size_t k = 0; k < list.size(); k += 4)
      block(all, static_cast<int>(list[k])) = Vec3(list[k + 1], list[k + 2], list[k + 3]);
    list = {};
  }
  return all;
}

Vector Space::scatter_from_root(const Vector& whole) const {
  if (!parts_) return whole;
  auto lists = parts_->processes->gather_to_root({parts_->place.begin(), parts_->place.end()});
  for (auto& list : lists) {  // of places: they become what is there
    std::vector<double> values;
    for (const double place : list) {
      const Vec3 x = block(whole, static_cast<int>(place));
      values.insert(values.end(), x.begin(), x.end());
    }
    list = std::move(values);
  }
  const auto here = parts_->processes->scatter_from_root(std::move(lists));
  return Vector::Map(here.data(), static_cast<Index>(here.size()));
}

const Space& serial_space() {
  static const Space here;
  return here;
}

}  // namespace limber
