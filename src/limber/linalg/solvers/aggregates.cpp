#include "limber/linalg/solvers/aggregates.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr int none = -1;

template <class Visit>
void for_neighbours(const BlockRows& A, const std::vector<int>& part, int i, const Visit& visit) {
  for (int s = A.start[i]; s < A.start[i + 1]; ++s)
    if (const int j = A.column[s]; j != i && (part.empty() || part[j] == part[i])) visit(j);
}

/// The aggregate that most neighbours of i are in, the first of equals.
int most_common(const BlockRows& A, const std::vector<int>& part, const std::vector<int>& of, int i,
                std::vector<int>& count) {
  int best = none;
  for_neighbours(A, part, i, [&](int j) {
    if (of[j] != none) ++count[of[j]];
  });
  for_neighbours(A, part, i, [&](int j) {
    if (of[j] != none && (best == none || count[of[j]] > count[best])) best = of[j];
  });
  for_neighbours(A, part, i, [&](int j) {
    if (of[j] != none) count[of[j]] = 0;
  });
  return best;
}

}  // namespace

Aggregates gather(const BlockRows& A, const std::vector<int>& part) {
  Aggregates a{std::vector<int>(static_cast<std::size_t>(A.rows), none)};
  // Nodes all of whose neighbours are free, with them: first those with many neighbours, so that aggregates are large.
  const int usual = A.rows > 0 ? A.start[A.rows] / A.rows : 0;
  for (const int least : {usual, 0})
    for (int i = 0; i < A.rows; ++i) {
      bool alone = a.of[i] == none && A.start[i + 1] - A.start[i] >= least;
      for_neighbours(A, part, i, [&](int j) { alone = alone && a.of[j] == none; });
      if (!alone) continue;
      a.of[i] = a.count;
      for_neighbours(A, part, i, [&](int j) { a.of[j] = a.count; });
      ++a.count;
    }
  // What is left between these joins one of them.
  const std::vector<int> first = a.of;
  std::vector<int> count(static_cast<std::size_t>(a.count), 0);
  for (int i = 0; i < A.rows; ++i)
    if (first[i] == none) a.of[i] = most_common(A, part, first, i, count);
  return a;
}

Aggregates gather_strongest(const BlockRows& A, const std::vector<int>& part, int most) {
  const int square = A.block * A.block;
  const auto size = [&](int s) {
    const double* a = A.value + static_cast<std::size_t>(s) * static_cast<std::size_t>(square);
    double sum = 0;
    for (int e = 0; e < square; ++e) sum += a[e] * a[e];
    return sum;
  };
  Aggregates a{std::vector<int>(static_cast<std::size_t>(A.rows), none)};
  std::vector<std::pair<double, int>> near;
  std::vector<int> members;  // per aggregate
  for (int i = 0; i < A.rows; ++i) {
    if (a.of[i] != none) continue;
    near.clear();
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      if (const int j = A.column[s]; j != i && (part.empty() || part[j] == part[i])) near.emplace_back(-size(s), j);
    std::sort(near.begin(), near.end());
    if (static_cast<int>(near.size()) > most - 1) near.resize(static_cast<std::size_t>(most - 1));
    const auto free = std::count_if(near.begin(), near.end(), [&](const auto& n) { return a.of[n.second] == none; });
    // Where most of the near ones are taken, the node joins the nearest of them that has room.
    if (2 * free < static_cast<std::ptrdiff_t>(near.size())) {
      for (const auto& [_, j] : near)
        if (a.of[j] != none && members[static_cast<std::size_t>(a.of[j])] < 3 * most / 2) {
          a.of[i] = a.of[j];
          ++members[static_cast<std::size_t>(a.of[j])];
          break;
        }
      if (a.of[i] != none) continue;
    }
    a.of[i] = a.count;
    members.push_back(1);
    for (const auto& [_, j] : near)
      if (a.of[j] == none) a.of[j] = a.count, ++members.back();
    ++a.count;
  }
  return a;
}

Aggregates gather_shared(const BlockRows& A, const std::vector<int>& part, const Space& space, const Gather& gather) {
  Aggregates a;
  if (!space.shared()) {
    a = gather(A, part);
    a.own = a.count;
    return a;
  }
  // The process with the longest row, the first of equals, and what it has is one number.
  const Communicator& all = space.processes();
  std::vector<std::vector<int>> keys;
  for (const int i : space.held_by_several())
    keys.push_back({(A.start[i + 1] - A.start[i] + 1) * all.size() - 1 - all.rank()});
  space.unite(keys);
  const auto n = static_cast<std::size_t>(A.rows);
  std::vector<char> alien(n, 0);
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (all.size() - 1 - keys[k].back() % all.size() != all.rank())
      alien[static_cast<std::size_t>(space.held_by_several()[k])] = 1;
  std::vector<int> own_part(n);  // nobody else is in that of an alien
  for (std::size_t i = 0; i < n; ++i) own_part[i] = alien[i] ? -2 - static_cast<int>(i) : part.empty() ? 0 : part[i];
  const Aggregates found = gather(A, own_part);
  std::vector<int> number(static_cast<std::size_t>(found.count), none);
  for (std::size_t i = 0; i < n; ++i)
    if (!alien[i]) number[static_cast<std::size_t>(found.of[i])] = 0;
  for (int& k : number)
    if (k != none) k = a.own++;
  a.first = all.exclusive_sum(a.own);
  a.count = static_cast<int>(space.sum(a.own));
  std::vector<double> from_one(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    if (!alien[i]) from_one[i] = a.first + number[static_cast<std::size_t>(found.of[i])] + 1;
  space.add_up(from_one.data(), 1);
  for (const double k : from_one) a.of.push_back(static_cast<int>(k) - 1);
  a.alien = std::move(alien);
  return a;
}

}  // namespace limber
