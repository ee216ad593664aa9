#include "limber/linalg/solvers/multigrid.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/linalg/block_row.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/solvers/aggregates.hpp"

namespace limber {
namespace {

constexpr int motions = 6;                     // of an aggregate
constexpr int coarsest_unknowns = 2000;        // for a factor
constexpr int coarsest_unknowns_of_all = 500;  // for one that each process has: what they do not share must be little
constexpr int most_levels = 12;
constexpr int gathered = 6;  // nodes of coarse levels, whose graphs are dense: larger aggregates need more iterations
// Chebyshev of degree 2 on [top/10, top], with top the largest eigenvalue of D⁻¹A.
constexpr double middle = .55, half = .45, momentum = half / middle, second = 1 / (2 / momentum - momentum);
constexpr double safety = 1.1;  // of the estimate of top, which comes from below
constexpr std::size_t rows_in_a_piece = 256;
constexpr double row_cost = 40;  // [ns] of a product

using Motions = Eigen::Matrix<double, motions, motions>;
/// Motions of all nodes, a column for each. No `Matrix` of its own, whose memory would be kept for the next one that is
/// as long: it is needed once.
class NearNull {
 public:
  explicit NearNull(Index rows) : value_(static_cast<std::size_t>(rows * motions), 0.0), rows_(rows) {}
  Eigen::Map<Matrix> matrix() { return {value_.data(), rows_, motions}; }
  Eigen::Map<const Matrix> matrix() const { return {value_.data(), rows_, motions}; }

 private:
  std::vector<double> value_;
  Index rows_;
};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Visit>
void for_rows(int rows, const Visit& visit) {
  in_pieces(
      at(rows), rows_in_a_piece, [&](std::size_t i) { visit(static_cast<int>(i)); }, row_cost);
}

/// Patterns of blocks by rows.
struct Rows {
  std::vector<int> start{0}, column;
  int find(int i, int j) const {
    const auto first = column.begin() + start[at(i)], last = column.begin() + start[at(i) + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? static_cast<int>(found - column.begin()) : -1;
  }
};

/// Row i has the columns that collect(i, add) calls add() with, ascending and once each.
template <class Collect>
std::vector<std::vector<int>> collect_rows(int rows, const Collect& collect) {
  std::vector<std::vector<int>> found(at(rows));
  for_rows(rows, [&](int i) {
    std::vector<int>& mine = found[at(i)];
    collect(i, [&](int j) { mine.push_back(j); });
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    mine.shrink_to_fit();
  });
  return found;
}

Rows packed(const std::vector<std::vector<int>>& rows) {
  Rows r;
  for (const auto& row : rows) {
    r.column.insert(r.column.end(), row.begin(), row.end());
    r.start.push_back(static_cast<int>(r.column.size()));
  }
  return r;
}

/// The like, packed, without a list of its own for each row.
template <class Collect>
Rows gather_rows(int rows, const Collect& collect) {
  const std::size_t pieces = (at(rows) + rows_in_a_piece - 1) / rows_in_a_piece;
  Rows r;
  r.start.assign(at(rows) + 1, 0);
  std::vector<std::vector<int>> found(pieces);
  parallel_for(static_cast<Index>(pieces), [&](Index p) {
    std::vector<int>& mine = found[static_cast<std::size_t>(p)];
    const std::size_t first = static_cast<std::size_t>(p) * rows_in_a_piece;
    for (std::size_t i = first; i < std::min(at(rows), first + rows_in_a_piece); ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(mine.size());
      collect(static_cast<int>(i), [&](int j) { mine.push_back(j); });
      std::sort(mine.begin() + begin, mine.end());
      mine.erase(std::unique(mine.begin() + begin, mine.end()), mine.end());
      r.start[i + 1] = static_cast<int>(mine.size() - static_cast<std::size_t>(begin));
    }
  });
  for (std::size_t i = 1; i < r.start.size(); ++i) r.start[i] += r.start[i - 1];
  r.column.reserve(at(r.start.back()));
  for (const auto& piece : found) r.column.insert(r.column.end(), piece.begin(), piece.end());
  return r;
}

/// Rotations about the origin and translations at a point.
void rigid_motions(const Vec3& x, Eigen::Ref<Eigen::Matrix<double, 3, motions>> B) {
  B.leftCols<3>().setIdentity();
  for (int axis = 0; axis < 3; ++axis) B.col(3 + axis) = Vec3::Unit(axis).cross(x);
}

/// Q R = B by Gram and Schmidt, twice; columns that depend on earlier ones become zero.
void orthonormalize(Eigen::Ref<Matrix> Q, Motions& R) {
  R.setZero();
  for (int c = 0; c < motions; ++c) {
    const double whole = Q.col(c).norm();
    for (int pass = 0; pass < 2; ++pass)
      for (int b = 0; b < c; ++b) {
        const double part = Q.col(b).dot(Q.col(c));
        R(b, c) += part;
        Q.col(c) -= part * Q.col(b);
      }
    const double left = Q.col(c).norm();
    constexpr double independent = 1e-7;
    if (left > independent * whole) {
      R(c, c) = left;
      Q.col(c) /= left;
    } else {
      Q.col(c).setZero();
    }
  }
}

}  // namespace

/// A on this level, and P to the next. Blocks lie column by column. While levels are made A has its values in double
/// precision; for cycles all levels are rounded (`finish`), and what they then need beside takes the place of that.
struct Multigrid::Level {
  int block = 3;
  BlockRows A;  // that of the level below is seen from outside, others are of `rows` and `value`
  Space space;  // of the nodes
  Rows rows;
  std::vector<double> value;
  std::vector<char> dead;               // #n: unknowns that stand for nothing
  std::vector<float> rounded, inverse;  // of A; of its diagonal blocks
  std::vector<float> b, x, d, other, largest;
  double top = 0;

  Rows P, AP;
  std::vector<int> t_start, t_row, t_slot;     // Pᵀ by rows; t_slot: the place of a block in P
  std::vector<float> prolonging, restricting;  // the blocks of P and of Pᵀ, as products read them

  Index unknowns() const { return static_cast<Index>(block) * A.rows; }
  int all_nodes() const { return space.shared() ? space.numbering().nodes : A.rows; }

  void prepare() {
    for (auto* v : {&b, &x, &d, &other}) v->assign(static_cast<std::size_t>(unknowns()), 0.f);
  }

  // What follows is compiled for each size of blocks: with<3>, with<6>.
  /// `exact`: room for the inverse of the diagonal blocks in double precision, or null.
  template <int B>
  SolveReport::Status invert_diagonal(std::vector<double>* exact = nullptr);
  template <int B>
  void finish();
  void unfinish() {
    rounded = std::vector<float>();
    restricting = std::vector<float>();
  }
  /// `blocks`: the values of A, in either precision.
  template <int B, class Value, class Then>
  void product(const Value* blocks, const std::vector<float>& from, const Then& then) const;
  template <int B>
  void estimate_top();
  template <int B>
  NearNull make_transfer(const Aggregates& parts, const NearNull& near_null, const std::vector<double>& inverse_exact,
                         Level& coarse);
  void add_up_rows_of_P(int size, std::vector<double>& P_value) const;
  std::vector<int> parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                       const Level& coarse) const;
  template <int B>
  void coarse_values(Level& coarse);
  template <int B>
  void smooth_from_zero();
  template <int B>
  void smooth();
  template <int B>
  void restrict_residual(Level& coarse);
  template <int B>
  void prolong(const Level& coarse);
};

template <int B>
SolveReport::Status Multigrid::Level::invert_diagonal(std::vector<double>* exact) {
  inverse.resize(at(A.rows) * B * B);
  if (exact) exact->resize(inverse.size());
  std::vector<double> diagonal(inverse.size(), 0.0);
  for_rows(A.rows, [&](int i) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      if (A.column[s] == i) std::copy_n(A.value + at(s) * B * B, B * B, diagonal.data() + at(i) * B * B);
  });
  space.add_up(diagonal.data(), B * B);
  std::vector<char> failed(at(A.rows), 0);
  using Block = Eigen::Matrix<double, B, B>;
  for_rows(A.rows, [&](int i) {
    // Inverse by Cholesky factors.
    Block L = Eigen::Map<const Block>(diagonal.data() + at(i) * B * B), X = Block::Identity();
    for (int c = 0; c < B; ++c) {
      for (int k = 0; k < c; ++k)
        for (int r = c; r < B; ++r) L(r, c) -= L(r, k) * L(c, k);
      if (!(L(c, c) > 0)) failed[at(i)] = 1;
      const double root = std::sqrt(L(c, c));
      for (int r = c; r < B; ++r) L(r, c) /= root;
    }
    for (int c = 0; c < B; ++c) {
      for (int r = 0; r < B; ++r) {
        for (int k = 0; k < r; ++k) X(r, c) -= L(r, k) * X(k, c);
        X(r, c) /= L(r, r);
      }
      for (int r = B - 1; r >= 0; --r) {
        for (int k = r + 1; k < B; ++k) X(r, c) -= L(k, r) * X(k, c);
        X(r, c) /= L(r, r);
      }
    }
    if (exact) std::copy_n(X.data(), B * B, exact->data() + at(i) * B * B);
    for (int e = 0; e < B * B; ++e) inverse[at(i) * B * B + at(e)] = static_cast<float>(X.data()[e]);
  });
  const bool sound = std::none_of(failed.begin(), failed.end(), [](char f) { return f != 0; });
  return space.all(sound) ? SolveReport::Status::ok : SolveReport::Status::indefinite;
}

template <int B>
void Multigrid::Level::finish() {
  constexpr int size = B * motions;
  rounded.resize(at(A.start[A.rows]) * B * B + read_beyond_blocks);
  for_rows(A.rows, [&](int i) {
    for (std::size_t e = at(A.start[i]) * B * B; e < at(A.start[i + 1]) * B * B; ++e)
      rounded[e] = static_cast<float>(A.value[e]);
  });
  if (block == motions) {
    value = std::vector<double>();
    A.value = nullptr;
  }
  restricting.resize(prolonging.size());
  for_rows(static_cast<int>(t_slot.size()), [&](int k) {
    const float* from = prolonging.data() + at(t_slot[at(k)]) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < motions; ++c) restricting[at(k) * size + at(r * motions + c)] = from[c * B + r];
  });
}

/// then(i, (A from)_i) for every row i.
template <int B, class Value, class Then>
void Multigrid::Level::product(const Value* blocks, const std::vector<float>& from, const Then& then) const {
  const auto multiply = [&](int i, float* y) {
    multiply_block_row<B, B>(blocks + at(A.start[i]) * B * B, A.column + A.start[i], A.start[i + 1] - A.start[i],
                             from.data(), y);
  };
  if (space.shared()) {
    const std::vector<int>& several = space.held_by_several();
    std::vector<double> sums(several.size() * B);
    for_rows(static_cast<int>(several.size()), [&](int k) {
      float y[B];
      multiply(several[at(k)], y);
      std::copy_n(y, B, sums.data() + at(k) * B);
    });
    space.add_up_held(sums.data(), B);
    for_rows(static_cast<int>(several.size()), [&](int k) {
      float y[B];
      for (int c = 0; c < B; ++c) y[c] = static_cast<float>(sums[at(k) * B + at(c)]);
      then(several[at(k)], y);
    });
  }
  for_rows(A.rows, [&](int i) {
    if (space.held_elsewhere(i)) return;
    float y[B];
    multiply(i, y);
    then(i, y);
  });
}

template <int B>
static void multiply_inverse(const std::vector<float>& inverse, int i, const float* r, float* z) {
  const float* D = inverse.data() + at(i) * B * B;
  for (int k = 0; k < B; ++k) z[k] = 0;
  for (int c = 0; c < B; ++c)
    for (int k = 0; k < B; ++k) z[k] += D[c * B + k] * r[c];
}

/// Power iterations, from where the last ones ended, as long as they find more: too low a top makes smoothing diverge.
template <int B>
void Multigrid::Level::estimate_top() {
  constexpr int least = 3, most = 15;
  constexpr double growth = 1.02;  // in an iteration
  const std::size_t n = static_cast<std::size_t>(unknowns());
  if (largest.size() != n) {
    largest.resize(n);
    unsigned state = 1;  // of a plain linear congruence: any start does that is not orthogonal to what is sought
    for (float& v : largest) v = static_cast<float>((state = 1664525u * state + 1013904223u) >> 8) / (1u << 23) - 1.f;
    for (const int i : space.held_by_several())
      if (!space.owns(i)) std::fill_n(largest.data() + at(i) * B, B, 0.f);
    space.add_up(largest.data(), B);
  }
  const bool first = top == 0;
  for (int k = 0; k < most; ++k) {
    product<B>(A.value, largest,
               [&](int i, const float* y) { multiply_inverse<B>(inverse, i, y, other.data() + at(i) * B); });
    const double norm = std::sqrt(space.sum(sum_chunks(static_cast<Index>(n), [&](Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i)
        if (space.owns(i / B)) sum += double(other[static_cast<std::size_t>(i)]) * other[static_cast<std::size_t>(i)];
      return sum;
    })));
    if (!(norm > 0) || !std::isfinite(norm)) break;
    const bool grows = norm > growth * top;
    top = norm;
    for_chunks(static_cast<Index>(n), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        largest[static_cast<std::size_t>(i)] = other[static_cast<std::size_t>(i)] / static_cast<float>(norm);
    });
    if (!first && !grows && k + 1 >= least) break;
  }
}

/// P from the aggregates, and the space of the next level; returns what of the near-null vectors it sees.
template <int B>
NearNull Multigrid::Level::make_transfer(const Aggregates& parts, const NearNull& near_null,
                                         const std::vector<double>& inverse_exact, Level& coarse) {
  constexpr int size = B * motions;
  const auto gathered_here = [&](int i) { return parts.alien.empty() || !parts.alien[at(i)]; };
  const auto own = [&](int i) { return at(parts.of[at(i)] - parts.first); };
  std::vector<int> first(at(parts.own) + 1, 0), node(at(A.rows));
  for (int i = 0; i < A.rows; ++i)
    if (gathered_here(i)) ++first[own(i) + 1];
  for (int p = 0; p < parts.own; ++p) first[at(p) + 1] += first[at(p)];
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int i = 0; i < A.rows; ++i)
    if (gathered_here(i)) node[at(next[own(i)]++)] = i;

  auto found = collect_rows(A.rows, [&](int i, const auto& add) {
    add(parts.of[at(i)]);
    for (int s = A.start[i]; s < A.start[i + 1]; ++s) add(parts.of[at(A.column[s])]);
  });
  // Of the aggregates that all processes number, those held here.
  std::vector<int> place(at(parts.own));
  std::vector<int> column = parts.of;
  if (space.shared()) {
    std::vector<std::vector<int>> several;
    for (const int i : space.held_by_several()) several.push_back(found[at(i)]);
    space.unite(several);
    for (std::size_t k = 0; k < several.size(); ++k) found[at(space.held_by_several()[k])] = several[k];
    std::vector<int> held;
    for (const auto& row : found) held.insert(held.end(), row.begin(), row.end());
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
    const auto here = [&](int number) {
      return static_cast<int>(std::lower_bound(held.begin(), held.end(), number) - held.begin());
    };
    for (auto& row : found)
      for (int& number : row) number = here(number);
    for (int& number : column) number = here(number);
    for (int p = 0; p < parts.own; ++p) place[at(p)] = here(parts.first + p);
    coarse.space = Space::numbered(space.processes(), held, parts.own);
    coarse.A.rows = static_cast<int>(held.size());
  } else {
    for (int p = 0; p < parts.own; ++p) place[at(p)] = p;
    coarse.A.rows = parts.own;
  }
  P = packed(found);
  found = std::vector<std::vector<int>>();

  std::vector<double> P0(at(A.rows) * size, 0.0);
  NearNull coarse_null(static_cast<Index>(coarse.A.rows) * motions);
  parallel_for(parts.own, [&](Index p) {
    const int begin = first[static_cast<std::size_t>(p)], end = first[static_cast<std::size_t>(p) + 1];
    Matrix Q(static_cast<Index>(B) * (end - begin), motions);
    for (int k = begin; k < end; ++k)
      Q.middleRows<B>(static_cast<Index>(B) * (k - begin)) =
          near_null.matrix().middleRows<B>(static_cast<Index>(B) * node[at(k)]);
    Motions R;
    orthonormalize(Q, R);
    coarse_null.matrix().middleRows<motions>(static_cast<Index>(motions) * place[static_cast<std::size_t>(p)]) = R;
    for (int k = begin; k < end; ++k)
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < motions; ++c)
          P0[(at(node[at(k)]) * B + at(r)) * motions + at(c)] = Q(static_cast<Index>(B) * (k - begin) + r, c);
  });
  space.add_up(P0.data(), size);
  for (Index c = 0; c < motions; ++c) coarse.space.add_up(coarse_null.matrix().col(c).data(), motions);

  std::vector<double> P_value(P.column.size() * size, 0.0);
  for_rows(A.rows, [&](int i) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s) {
      const int j = A.column[s];
      const double *a = A.value + at(s) * B * B, *p = P0.data() + at(j) * size;
      double* to = P_value.data() + at(P.find(i, column[at(j)])) * size;
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < motions; ++k) to[r * motions + k] += a[c * B + r] * p[c * motions + k];
    }
  });
  add_up_rows_of_P(size, P_value);
  const double omega = 4. / 3 / top;
  for_rows(A.rows, [&](int i) {
    const double* D = inverse_exact.data() + at(i) * B * B;
    for (int s = P.start[at(i)]; s < P.start[at(i) + 1]; ++s) {
      double* to = P_value.data() + at(s) * size;
      double scaled[size] = {};
      for (int c = 0; c < B; ++c)
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < motions; ++k) scaled[r * motions + k] -= omega * D[c * B + r] * to[c * motions + k];
      const double* smooth = P0.data() + at(i) * size;
      const bool mine = P.column[at(s)] == column[at(i)];
      for (int e = 0; e < size; ++e) to[e] = scaled[e] + (mine ? smooth[e] : 0);
    }
  });
  t_start.assign(at(coarse.A.rows) + 1, 0);
  for (const int p : P.column) ++t_start[at(p) + 1];
  for (int p = 0; p < coarse.A.rows; ++p) t_start[at(p) + 1] += t_start[at(p)];
  std::vector<int> free(t_start.begin(), t_start.end() - 1);
  t_row.resize(P.column.size());
  t_slot.resize(P.column.size());
  for (int i = 0; i < A.rows; ++i)
    for (int s = P.start[at(i)]; s < P.start[at(i) + 1]; ++s) {
      const std::size_t to = at(free[at(P.column[at(s)])]++);
      t_row[to] = i;
      t_slot[to] = s;
    }
  prolonging.resize(P_value.size() + read_beyond_blocks);
  for_rows(static_cast<int>(P.column.size()), [&](int k) {
    const double* own = P_value.data() + at(k) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < motions; ++c)
        prolonging[at(k) * size + at(c * B + r)] = static_cast<float>(own[r * motions + c]);
  });
  AP = gather_rows(A.rows, [&](int i, const auto& add) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      for (int t = P.start[at(A.column[s])]; t < P.start[at(A.column[s]) + 1]; ++t) add(P.column[at(t)]);
  });
  return coarse_null;
}

/// What processes have of the rows of nodes that several hold.
void Multigrid::Level::add_up_rows_of_P(int size, std::vector<double>& P_value) const {
  if (!space.shared()) return;
  std::vector<int> start{0};
  std::vector<double> values;
  const auto of = [&](int row) { return P_value.data() + at(row) * at(size); };
  for (const int i : space.held_by_several()) {
    values.insert(values.end(), of(P.start[at(i)]), of(P.start[at(i) + 1]));
    start.push_back(static_cast<int>(values.size()));
  }
  space.add_up_held(values.data(), start);
  const double* from = values.data();
  for (const int i : space.held_by_several()) {
    double *to = of(P.start[at(i)]), *end = of(P.start[at(i) + 1]);
    std::copy_n(from, end - to, to);
    from += end - to;
  }
}

/// Of the coarse nodes held here.
std::vector<int> Multigrid::Level::parts_of_aggregates(const Aggregates& parts, const std::vector<int>& part,
                                                       const Level& coarse) const {
  // Who made an aggregate knows its part, and numbers it first among those that it answers for.
  std::vector<double> from_one(at(coarse.A.rows), 0.0);
  const int before =
      space.shared()
          ? static_cast<int>(std::lower_bound(coarse.space.places().begin(), coarse.space.places().end(), parts.first) -
                             coarse.space.places().begin())
          : 0;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (parts.alien.empty() || !parts.alien[i]) from_one[at(before + parts.of[i] - parts.first)] = part[i] + 1;
  coarse.space.add_up(from_one.data(), 1);
  std::vector<int> found;
  for (const double p : from_one) found.push_back(static_cast<int>(p) - 1);
  return found;
}

/// PᵀAP. Only blocks on and below the diagonal are computed. Rows of AP are made and used slab by slab: all of them
/// would take more memory than A.
template <int B>
void Multigrid::Level::coarse_values(Level& coarse) {
  constexpr int size = B * motions, square = motions * motions;
  constexpr int slab_blocks = (1 << 20) / size;
  coarse.value.assign(coarse.rows.column.size() * square + read_beyond_blocks, 0.0);
  coarse.A.value = coarse.value.data();
  std::vector<int> next(t_start.begin(), t_start.end() - 1);  // of each coarse row, what is not used yet
  std::vector<double> AP_value;
  for (int first = 0, last = 0; first < A.rows; first = last) {
    while (last < A.rows && (last == first || AP.start[at(last) + 1] - AP.start[at(first)] <= slab_blocks)) ++last;
    const int offset = AP.start[at(first)];
    AP_value.assign(at(AP.start[at(last)] - offset) * size, 0.0);
    for_rows(last - first, [&](int row) {
      const int i = first + row, begin = AP.start[at(i)];
      for (int s = A.start[i]; s < A.start[i + 1]; ++s) {
        const int j = A.column[s];
        const double* a = A.value + at(s) * B * B;
        int slot = begin;
        for (int t = P.start[at(j)]; t < P.start[at(j) + 1]; ++t) {
          while (AP.column[at(slot)] != P.column[at(t)]) ++slot;
          const float* p = prolonging.data() + at(t) * size;
          double* to = AP_value.data() + at(slot - offset) * size;
          for (int c = 0; c < B; ++c) {
            double row_of_P[motions];
            for (int k = 0; k < motions; ++k) row_of_P[k] = p[k * B + c];
            for (int r = 0; r < B; ++r)
              for (int k = 0; k < motions; ++k) to[r * motions + k] += a[c * B + r] * row_of_P[k];
          }
        }
      }
    });
    if (P.start[at(first)] == P.start[at(last)]) continue;  // nothing that moves
    const auto [low, high] =
        std::minmax_element(P.column.data() + P.start[at(first)], P.column.data() + P.start[at(last)]);
    const int from = *low;
    parallel_for(*high + 1 - from, [&](Index index) {
      const int p = from + static_cast<int>(index), begin = coarse.rows.start[at(p)];
      int& t = next[at(p)];
      for (; t < t_start[at(p) + 1] && t_row[at(t)] < last; ++t) {
        const int i = t_row[at(t)];
        const float* block_of_P = prolonging.data() + at(t_slot[at(t)]) * size;
        double left[size];
        for (int r = 0; r < B; ++r)
          for (int k = 0; k < motions; ++k) left[r * motions + k] = block_of_P[k * B + r];
        int slot = begin;
        for (int s = AP.start[at(i)]; s < AP.start[at(i) + 1] && AP.column[at(s)] <= p; ++s) {
          while (coarse.rows.column[at(slot)] != AP.column[at(s)]) ++slot;
          const double* right = AP_value.data() + at(s - offset) * size;
          double* to = coarse.value.data() + at(slot) * square;
          for (int r = 0; r < B; ++r)
            for (int c = 0; c < motions; ++c)
              for (int k = 0; k < motions; ++k) to[c * motions + k] += right[r * motions + c] * left[r * motions + k];
        }
      }
    });
  }
  parallel_for(coarse.A.rows, [&](Index index) {
    const int p = static_cast<int>(index);
    for (int s = coarse.rows.start[at(p)]; s < coarse.rows.start[at(p) + 1]; ++s) {
      const int q = coarse.rows.column[at(s)];
      double* to = coarse.value.data() + at(s) * square;
      if (q > p) {
        const double* from = coarse.value.data() + at(coarse.rows.find(q, p)) * square;
        for (int c = 0; c < motions; ++c)
          for (int k = 0; k < motions; ++k) to[c * motions + k] = from[k * motions + c];
      } else if (q == p) {
        for (int k = 0; k < motions; ++k)
          if (coarse.dead[at(p) * motions + at(k)]) to[k * motions + k] = coarse.space.owns(p) ? 1 : 0;
      }
    }
  });
}

template <int B>
void Multigrid::Level::smooth_from_zero() {
  const double most = safety * top;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  for_rows(A.rows, [&](int i) {
    float* own = d.data() + at(i) * B;
    multiply_inverse<B>(inverse, i, b.data() + at(i) * B, own);
    for (int k = 0; k < B; ++k) own[k] *= scale;
  });
  product<B>(rounded.data(), d, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[at(i) * B + at(k)] - y[k];
    multiply_inverse<B>(inverse, i, rest, z);
    for (int k = 0; k < B; ++k) x[at(i) * B + at(k)] = (1 + c1) * d[at(i) * B + at(k)] + c2 * z[k];
  });
}

template <int B>
void Multigrid::Level::smooth() {
  const double most = safety * top;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  product<B>(rounded.data(), x, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[at(i) * B + at(k)] - y[k];
    multiply_inverse<B>(inverse, i, rest, z);
    for (int k = 0; k < B; ++k) {
      d[at(i) * B + at(k)] = scale * z[k];
      other[at(i) * B + at(k)] = x[at(i) * B + at(k)] + scale * z[k];
    }
  });
  product<B>(rounded.data(), other, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[at(i) * B + at(k)] - y[k];
    multiply_inverse<B>(inverse, i, rest, z);
    for (int k = 0; k < B; ++k) x[at(i) * B + at(k)] = other[at(i) * B + at(k)] + c1 * d[at(i) * B + at(k)] + c2 * z[k];
  });
}

template <int B>
void Multigrid::Level::restrict_residual(Level& coarse) {
  product<B>(rounded.data(), x, [&](int i, const float* y) {
    const float counted = space.owns(i) ? 1 : 0;  // once, of the nodes that several hold
    for (int k = 0; k < B; ++k) other[at(i) * B + at(k)] = counted * (b[at(i) * B + at(k)] - y[k]);
  });
  for_rows(coarse.A.rows, [&](int p) {
    const int begin = t_start[at(p)], end = t_start[at(p) + 1];
    multiply_block_row<motions, B>(restricting.data() + at(begin) * B * motions, t_row.data() + begin, end - begin,
                                   other.data(), coarse.b.data() + at(p) * motions);
  });
  coarse.space.add_up(coarse.b.data(), motions);
}

template <int B>
void Multigrid::Level::prolong(const Level& coarse) {
  for_rows(A.rows, [&](int i) {
    const int begin = P.start[at(i)], end = P.start[at(i) + 1];
    float y[B];
    multiply_block_row<B, motions>(prolonging.data() + at(begin) * B * motions, P.column.data() + begin, end - begin,
                                   coarse.x.data(), y);
    for (int k = 0; k < B; ++k) x[at(i) * B + at(k)] += y[k];
  });
}

namespace {

/// f with the size of a level's blocks as a constant.
template <class F>
auto with_block(int block, const F& f) {
  return block == 3 ? f(std::integral_constant<int, 3>()) : f(std::integral_constant<int, motions>());
}

/// Of each node, the number of its part; empty: not known.
std::vector<int> part_of_nodes(const UnknownNodes& nodes, int count) {
  std::vector<int> part;
  if (!nodes.parts) return part;
  part.assign(at(count), -1);
  for (std::size_t p = 0; p < nodes.parts->size(); ++p)
    for (const int i : (*nodes.parts)[p])
      if (i < count) part[at(i)] = static_cast<int>(p);
  return part;
}

}  // namespace

Multigrid::Multigrid() = default;
Multigrid::~Multigrid() = default;

void Multigrid::forget() {
  levels_.clear();
  coarsest_.reset();
}

SolveReport::Status Multigrid::set_up(const RowMatrix& A, const UnknownNodes& nodes) {
  using Status = SolveReport::Status;
  forget();
  levels_.push_back(std::make_unique<Level>());
  levels_[0]->A = A.block_rows();
  levels_[0]->space = A.space();
  const Space& space = A.space();
  const Index n = A.size();
  NearNull near_null(n);
  const Vector* positions = space.all(nodes.positions && nodes.positions->size() == n) ? nodes.positions : nullptr;
  Vec3 centre = Vec3::Zero();
  if (positions)
    for (Index i = 0; i < n; i += 3)
      if (space.owns(i / 3)) centre += positions->segment<3>(i) * (3. / static_cast<double>(space.whole_size(n)));
  for (double& c : centre) c = space.sum(c);
  for (Index i = 0; i < n; i += 3) {
    if (positions)
      rigid_motions(positions->segment<3>(i) - centre, near_null.matrix().middleRows<3>(i));
    else
      near_null.matrix().block<3, 3>(i, 0).setIdentity();
  }
  std::vector<int> part = part_of_nodes(nodes, levels_[0]->A.rows);
  while (true) {
    Level& fine = *levels_.back();
    fine.prepare();
    const int small = fine.space.shared() ? coarsest_unknowns_of_all : coarsest_unknowns;
    if (fine.block * fine.all_nodes() <= small || levels_.size() == most_levels) break;
    const Aggregates parts = gather_shared(fine.A, part, fine.space, [&](const BlockRows& B, const auto& of_part) {
      return fine.block == motions ? gather_strongest(B, of_part, gathered) : gather(B, of_part);
    });
    if (3 * parts.count > 2 * fine.all_nodes() && fine.block == motions) break;
    auto coarse = std::make_unique<Level>();
    coarse->block = motions;
    const Status status = with_block(fine.block, [&](auto block) {
      constexpr int B = decltype(block)::value;
      std::vector<double> inverse_exact;
      const Status taken = fine.invert_diagonal<B>(&inverse_exact);
      if (taken != Status::ok) return taken;
      fine.estimate_top<B>();
      near_null = fine.make_transfer<B>(parts, near_null, inverse_exact, *coarse);
      return Status::ok;
    });
    if (status != Status::ok) return status;
    const int coarse_nodes = coarse->A.rows;
    coarse->rows = gather_rows(coarse_nodes, [&](int p, const auto& add) {
      for (int t = fine.t_start[at(p)]; t < fine.t_start[at(p) + 1]; ++t) {
        const int i = fine.t_row[at(t)];
        for (int s = fine.AP.start[at(i)]; s < fine.AP.start[at(i) + 1]; ++s) add(fine.AP.column[at(s)]);
      }
    });
    coarse->A = {motions, coarse_nodes, coarse->rows.start.data(), coarse->rows.column.data(), nullptr};
    if (!part.empty()) {
      part = fine.parts_of_aggregates(parts, part, *coarse);
    }
    coarse->dead.resize(at(coarse_nodes) * motions);
    for (int p = 0; p < coarse_nodes; ++p)
      for (int k = 0; k < motions; ++k)
        coarse->dead[at(p) * motions + at(k)] = near_null.matrix()(static_cast<Index>(p) * motions + k, k) == 0 ? 1 : 0;
    with_block(fine.block, [&](auto block) { fine.coarse_values<decltype(block)::value>(*coarse); });
    levels_.push_back(std::move(coarse));
  }
  return factor_coarsest();
}

SolveReport::Status Multigrid::refresh(const RowMatrix& A) {
  using Status = SolveReport::Status;
  levels_[0]->A = A.block_rows();
  for (const auto& level : levels_) level->unfinish();
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k) {
    Level& fine = *levels_[k];
    const Status status = with_block(fine.block, [&](auto block) {
      constexpr int B = decltype(block)::value;
      const Status taken = fine.invert_diagonal<B>();
      if (taken != Status::ok) return taken;
      fine.estimate_top<B>();
      fine.coarse_values<B>(*levels_[k + 1]);
      return Status::ok;
    });
    if (status != Status::ok) return status;
  }
  return factor_coarsest();
}

SolveReport::Status Multigrid::factor_coarsest() {
  const Level& last = *levels_.back();
  const int B = last.block;
  const Index n = static_cast<Index>(B) * last.all_nodes();
  std::vector<Entry> entries;
  for (int i = 0; i < last.A.rows; ++i)
    for (int s = last.A.start[i]; s < last.A.start[i + 1]; ++s)
      if (last.A.column[s] <= i)
        for (int c = 0; c < B; ++c)
          for (int r = 0; r < B; ++r)
            if (const int row = B * i + r, column = B * last.A.column[s] + c; row >= column)
              entries.emplace_back(row, column, last.A.value[(at(s) * at(B) + at(c)) * at(B) + at(r)]);
  if (last.space.shared()) {
    const auto place = [&](int i) { return B * last.space.places()[at(i / B)] + i % B; };
    for (Entry& e : entries) e = lower_entry(place(e.row()), place(e.col()), e.value());
    A_coarsest_ = gather_entries(last.space.processes(), n, entries);
  } else {
    A_coarsest_.resize(n, n);
    A_coarsest_.setFromTriplets(entries.begin(), entries.end());
  }
  if (!coarsest_) {
    coarsest_ = make_best_factor(A_coarsest_, Symmetry::symmetric);
    coarsest_->analyze(A_coarsest_);
  }
  b_coarsest_.resize(n);
  x_coarsest_.resize(n);
  for (std::size_t k = levels_.size() - 1; k-- > 0;)
    with_block(levels_[k]->block, [&](auto block) { levels_[k]->finish<decltype(block)::value>(); });
  return coarsest_->factorize(A_coarsest_);
}

void Multigrid::cycle(std::size_t k) {
  Level& level = *levels_[k];
  if (k + 1 == levels_.size()) {
    const bool shared = level.space.shared();
    if (shared)
      b_coarsest_ = level.space.whole(level.b.data(), level.block);
    else
      std::copy(level.b.begin(), level.b.end(), b_coarsest_.begin());
    coarsest_->solve(b_coarsest_, x_coarsest_);
    const Vector x = shared ? level.space.part(x_coarsest_, level.block) : x_coarsest_;
    std::transform(x.begin(), x.end(), level.x.begin(), [](double value) { return static_cast<float>(value); });
    return;
  }
  with_block(level.block, [&](auto block) {
    constexpr int B = decltype(block)::value;
    level.smooth_from_zero<B>();
    level.restrict_residual<B>(*levels_[k + 1]);
    cycle(k + 1);
    level.prolong<B>(*levels_[k + 1]);
    level.smooth<B>();
  });
}

double Multigrid::apply(const Vector& r, Vector& z) {
  Level& fine = *levels_[0];
  const Space& space = fine.space;
  const double scale = space.shared() ? space.norm(r) : chunked_norm(r);
  z.resize(r.size());
  if (!(scale > 0) || !std::isfinite(scale)) {
    z.setZero();
    return 0;
  }
  for_chunks(r.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) fine.b[static_cast<std::size_t>(i)] = static_cast<float>(r[i] / scale);
  });
  cycle(0);
  const double here = sum_chunks(r.size(), [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      z[i] = scale * fine.x[static_cast<std::size_t>(i)];
      sum += r[i] * z[i];
    }
    return sum;
  });
  return space.shared() ? space.dot(r, z) : here;
}

double Multigrid::complexity() const {
  double all = 0, fine = 0;
  for (const auto& level : levels_) {
    const double entries = static_cast<double>(level->A.start[level->A.rows]) * level->block * level->block;
    if (fine == 0) fine = entries;
    all += entries;
  }
  return levels_[0]->space.sum(all) / levels_[0]->space.sum(fine);
}

}  // namespace limber
