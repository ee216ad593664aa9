#include "limber/linalg/solvers/grid_smoother.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "limber/core/small_matrices.hpp"
#include "limber/linalg/block_row.hpp"
#include "limber/linalg/block_row_pattern.hpp"
#include "limber/linalg/chunks.hpp"

namespace limber {
namespace {

// Chebyshev of degree 2 on [top/10, top].
constexpr double middle = .55, half = .45, momentum = half / middle, second = 1 / (2 / momentum - momentum);
constexpr double safety = 1.1;  // of the estimate of top, which comes from below

/// z = D⁻¹r of node i.
template <int B>
LIMBER_INLINE void multiply_inverse(const std::vector<float>& inverse, int i, const float* r, float* z) {
  const float* D = inverse.data() + ix(i) * B * B;
  for (int k = 0; k < B; ++k) z[k] = 0;
  for (int c = 0; c < B; ++c)
    for (int k = 0; k < B; ++k) z[k] += D[c * B + k] * r[c];
}

/// then(i, (A from)_i) for every row i.
template <int B, class Value, class Then>
void product(const BlockRows& A, const Space& space, const Value* blocks, const std::vector<float>& from,
             const Then& then) {
  const auto multiply = [&](int i, float* y) {
    multiply_block_row<B, B>(blocks + ix(A.start[i]) * B * B, A.column + A.start[i], A.start[i + 1] - A.start[i],
                             from.data(), y);
  };
  if (space.shared()) {
    const std::vector<int>& several = space.held_by_several();
    std::vector<double> sums(several.size() * B);
    for_block_rows(static_cast<int>(several.size()), [&](int k) {
      float y[B];
      multiply(several[ix(k)], y);
      std::copy_n(y, B, sums.data() + ix(k) * B);
    });
    space.add_up_held(sums.data(), B);
    for_block_rows(static_cast<int>(several.size()), [&](int k) {
      float y[B];
      for (int c = 0; c < B; ++c) y[c] = static_cast<float>(sums[ix(k) * B + ix(c)]);
      then(several[ix(k)], y);
    });
  }
  for_block_rows(A.rows, [&](int i) {
    if (space.held_elsewhere(i)) return;
    float y[B];
    multiply(i, y);
    then(i, y);
  });
}

// Of a node whose diagonal block has changed:
constexpr double telling = .25;  // of the trace of a diagonal block: what turns or is stretched changes by less
constexpr double coupled = .05;  // of the trace: from which change on a block beside the diagonal takes its node along

template <int B, class Value>
double trace(const Value* block) {
  double sum = 0;
  for (int k = 0; k < B; ++k) sum += static_cast<double>(block[k * B + k]);
  return sum;
}

int slot(const BlockRows& A, int i, int j) {
  const int *begin = A.column + A.start[i], *end = A.column + A.start[i + 1];
  const int* at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<int>(at - A.column) : -1;
}

}  // namespace

void GridSmoother::prepare(Index unknowns) {
  for (auto* v : {&d_, &other_}) v->assign(static_cast<std::size_t>(unknowns), 0.f);
}

template <int B>
SolveReport::Status GridSmoother::invert_diagonal_of(const BlockRows& A, const Space& space,
                                                     std::vector<double>* exact) {
  inverse_.resize(ix(A.rows) * B * B);
  if (exact) exact->resize(inverse_.size());
  std::vector<double> diagonal(inverse_.size(), 0.0);
  for_block_rows(A.rows, [&](int i) {
    for (int s = A.start[i]; s < A.start[i + 1]; ++s)
      if (A.column[s] == i) std::copy_n(A.value + ix(s) * B * B, B * B, diagonal.data() + ix(i) * B * B);
  });
  space.add_up(diagonal.data(), B * B);
  std::vector<char> failed(ix(A.rows), 0);
  using Block = Eigen::Matrix<double, B, B>;
  for_block_rows(A.rows, [&](int i) {
    // Inverse by Cholesky factors.
    Block L = Eigen::Map<const Block>(diagonal.data() + ix(i) * B * B), X = Block::Identity();
    for (int c = 0; c < B; ++c) {
      for (int k = 0; k < c; ++k)
        for (int r = c; r < B; ++r) L(r, c) -= L(r, k) * L(c, k);
      if (!(L(c, c) > 0)) failed[ix(i)] = 1;
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
    if (exact) std::copy_n(X.data(), B * B, exact->data() + ix(i) * B * B);
    for (int e = 0; e < B * B; ++e) inverse_[ix(i) * B * B + ix(e)] = static_cast<float>(X.data()[e]);
  });
  const bool sound = std::none_of(failed.begin(), failed.end(), [](char f) { return f != 0; });
  return space.all(sound) ? SolveReport::Status::ok : SolveReport::Status::indefinite;
}

/// Power iterations, from where the last ones ended, as long as they find more: too low a top makes smoothing diverge.
template <int B>
void GridSmoother::estimate_top_of(const BlockRows& A, const Space& space) {
  constexpr int least = 3, most = 15;
  constexpr double growth = 1.02;  // in an iteration
  const std::size_t n = static_cast<std::size_t>(B) * ix(A.rows);
  if (largest_.size() != n) {
    largest_.resize(n);
    unsigned state = 1;  // of a plain linear congruence: any start does that is not orthogonal to what is sought
    for (float& v : largest_) v = static_cast<float>((state = 1664525u * state + 1013904223u) >> 8) / (1u << 23) - 1.f;
    for (const int i : space.held_by_several())
      if (!space.owns(i)) std::fill_n(largest_.data() + ix(i) * B, B, 0.f);
    space.add_up(largest_.data(), B);
  }
  const bool first = top_ == 0;
  for (int k = 0; k < most; ++k) {
    const auto put = [&](int i, const float* y) { multiply_inverse<B>(inverse_, i, y, other_.data() + ix(i) * B); };
    if (rounded_.empty())
      product<B>(A, space, A.value, largest_, put);
    else
      product<B>(A, space, rounded_.data(), largest_, put);
    const double norm = std::sqrt(space.sum(sum_chunks(static_cast<Index>(n), [&](Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i)
        if (space.owns(i / B)) sum += double(other_[static_cast<std::size_t>(i)]) * other_[static_cast<std::size_t>(i)];
      return sum;
    })));
    if (!(norm > 0) || !std::isfinite(norm)) break;
    const bool grows = norm > growth * top_;
    top_ = norm;
    for_chunks(static_cast<Index>(n), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        largest_[static_cast<std::size_t>(i)] = other_[static_cast<std::size_t>(i)] / static_cast<float>(norm);
    });
    if (!first && !grows && k + 1 >= least) break;
  }
}

template <int B>
void GridSmoother::smooth_from_zero_of(const BlockRows& A, const Space& space, const float* b, float* x) {
  const double most = safety * top_;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  for_block_rows(A.rows, [&](int i) {
    float* own = d_.data() + ix(i) * B;
    multiply_inverse<B>(inverse_, i, b + ix(i) * B, own);
    for (int k = 0; k < B; ++k) own[k] *= scale;
  });
  product<B>(A, space, rounded_.data(), d_, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k) x[ix(i) * B + ix(k)] = (1 + c1) * d_[ix(i) * B + ix(k)] + c2 * z[k];
  });
}

template <int B>
void GridSmoother::smooth_of(const BlockRows& A, const Space& space, const float* b, std::vector<float>& x) {
  const double most = safety * top_;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  product<B>(A, space, rounded_.data(), x, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k) {
      d_[ix(i) * B + ix(k)] = scale * z[k];
      other_[ix(i) * B + ix(k)] = x[ix(i) * B + ix(k)] + scale * z[k];
    }
  });
  product<B>(A, space, rounded_.data(), other_, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k)
      x[ix(i) * B + ix(k)] = other_[ix(i) * B + ix(k)] + c1 * d_[ix(i) * B + ix(k)] + c2 * z[k];
  });
}

template <int B>
void GridSmoother::residual_of(const BlockRows& A, const Space& space, const float* b, const std::vector<float>& x) {
  product<B>(A, space, rounded_.data(), x, [&](int i, const float* y) {
    const float counted = space.owns(i) ? 1 : 0;  // once, of the nodes that several hold
    for (int k = 0; k < B; ++k) other_[ix(i) * B + ix(k)] = counted * (b[ix(i) * B + ix(k)] - y[k]);
  });
}

std::optional<BlockChanges> GridSmoother::changes(const BlockRows& now, int most) const {
  constexpr int B = 3, size = B * B;
  std::vector<char> differs(ix(now.rows), 0);
  for_block_rows(now.rows, [&](int i) {
    const int s = slot(now, i, i);
    if (s < 0) return;
    const double was = trace<B>(rounded_.data() + ix(s) * size), is = trace<B>(now.value + ix(s) * size);
    if (!(std::abs(is - was) <= telling * std::min(std::abs(is), std::abs(was)))) differs[ix(i)] = 1;
  });
  std::vector<int> nodes;
  for (int i = 0; i < now.rows; ++i)
    if (differs[ix(i)]) nodes.push_back(i);
  if (static_cast<int>(nodes.size()) > most) return std::nullopt;
  // Neighbours join where leaving them out would leave half a contact behind.
  const std::size_t first = nodes.size();
  for (std::size_t k = 0; k < first; ++k) {
    const int i = nodes[k];
    for (int s = now.start[i]; s < now.start[i + 1]; ++s) {
      const int j = now.column[s];
      if (differs[ix(j)]) continue;
      const int d = slot(now, j, j);
      double most_here = 0;
      for (std::size_t e = ix(s) * size; e < ix(s + 1) * size; ++e)
        most_here = std::max(most_here, std::abs(now.value[e] - static_cast<double>(rounded_[e])));
      if (d < 0 || !(most_here > coupled * trace<B>(now.value + ix(d) * size))) continue;
      differs[ix(j)] = 1;
      nodes.push_back(j);
    }
  }
  if (static_cast<int>(nodes.size()) > most) return std::nullopt;
  std::sort(nodes.begin(), nodes.end());
  BlockChanges found;
  for (const int i : nodes)
    for (int s = now.start[i]; s < now.start[i + 1]; ++s) {
      if (!differs[ix(now.column[s])]) continue;
      found.row.push_back(i);
      found.column.push_back(now.column[s]);
      for (std::size_t e = ix(s) * size; e < ix(s + 1) * size; ++e)
        found.value.push_back(now.value[e] - static_cast<double>(rounded_[e]));
    }
  return found;
}

template <int B>
void GridSmoother::take_of(const BlockRows& A, const BlockChanges& changed) {
  constexpr int size = B * B;
  using Block = Eigen::Matrix<double, B, B>;
  using Rounded = Eigen::Matrix<float, B, B>;
  for (std::size_t k = 0; k < changed.row.size(); ++k) {
    const int i = changed.row[k];
    Eigen::Map<Rounded> block(rounded_.data() + ix(slot(A, i, changed.column[k])) * size);
    block = (block.template cast<double>() + Eigen::Map<const Block>(changed.value.data() + k * size))
                .template cast<float>();
    if (changed.column[k] == i)
      Eigen::Map<Rounded>(inverse_.data() + ix(i) * size) =
          block.template cast<double>().llt().solve(Block::Identity()).template cast<float>();
  }
}

SolveReport::Status GridSmoother::set(const BlockRows& A, const Space& space, std::vector<double>* exact) {
  return with_block(A.block, [&](auto B) {
    const auto inverted = invert_diagonal_of<B>(A, space, exact);
    if (inverted == SolveReport::Status::ok) estimate_top_of<B>(A, space);
    return inverted;
  });
}
void GridSmoother::round(const BlockRows& A) {
  const std::size_t size = ix(A.block) * ix(A.block);
  rounded_.resize(ix(A.start[A.rows]) * size + read_beyond_blocks);
  for_block_rows(A.rows, [&](int i) {
    for (std::size_t e = ix(A.start[i]) * size; e < ix(A.start[i + 1]) * size; ++e)
      rounded_[e] = static_cast<float>(A.value[e]);
  });
}
void GridSmoother::smooth_from_zero(const BlockRows& A, const Space& space, const std::vector<float>& b,
                                    std::vector<float>& x) {
  with_block(A.block, [&](auto B) { smooth_from_zero_of<B>(A, space, b.data(), x.data()); });
}
void GridSmoother::smooth(const BlockRows& A, const Space& space, const std::vector<float>& b, std::vector<float>& x) {
  with_block(A.block, [&](auto B) { smooth_of<B>(A, space, b.data(), x); });
}
const std::vector<float>& GridSmoother::residual(const BlockRows& A, const Space& space, const std::vector<float>& b,
                                                 const std::vector<float>& x) {
  with_block(A.block, [&](auto B) { residual_of<B>(A, space, b.data(), x); });
  return other_;
}
void GridSmoother::take(const BlockRows& A, const Space& space, const BlockChanges& changed) {
  with_block(A.block, [&](auto B) {
    take_of<B>(A, changed);
    estimate_top_of<B>(A, space);
  });
}

}  // namespace limber
