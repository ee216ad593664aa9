#include "limber/linalg/solvers/grid_level.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/small_matrices.hpp"
#include "limber/linalg/block_row.hpp"
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

}  // namespace

void GridLevel::prepare() {
  for (auto* v : {&b, &x, &d_, &other_}) v->assign(static_cast<std::size_t>(unknowns()), 0.f);
}

template <int B>
SolveReport::Status GridLevel::invert_diagonal_of(std::vector<double>* exact) {
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

template <int B>
void GridLevel::finish_of() {
  constexpr int size = B * aggregate_motions;
  rounded_.resize(ix(A.start[A.rows]) * B * B + read_beyond_blocks);
  for_block_rows(A.rows, [&](int i) {
    for (std::size_t e = ix(A.start[i]) * B * B; e < ix(A.start[i + 1]) * B * B; ++e)
      rounded_[e] = static_cast<float>(A.value[e]);
  });
  if (block == aggregate_motions) {
    value_ = std::vector<double>();
    A.value = nullptr;
  }
  restricting_.resize(prolonging_.size());
  for_block_rows(static_cast<int>(t_slot_.size()), [&](int k) {
    const float* from = prolonging_.data() + ix(t_slot_[ix(k)]) * size;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < aggregate_motions; ++c)
        restricting_[ix(k) * size + ix(r * aggregate_motions + c)] = from[c * B + r];
  });
}

/// then(i, (A from)_i) for every row i.
template <int B, class Value, class Then>
void GridLevel::product(const Value* blocks, const std::vector<float>& from, const Then& then) const {
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

/// Power iterations, from where the last ones ended, as long as they find more: too low a top makes smoothing diverge.
template <int B>
void GridLevel::estimate_top_of() {
  constexpr int least = 3, most = 15;
  constexpr double growth = 1.02;  // in an iteration
  const std::size_t n = static_cast<std::size_t>(unknowns());
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
    product<B>(A.value, largest_,
               [&](int i, const float* y) { multiply_inverse<B>(inverse_, i, y, other_.data() + ix(i) * B); });
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
void GridLevel::smooth_from_zero_of() {
  const double most = safety * top_;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  for_block_rows(A.rows, [&](int i) {
    float* own = d_.data() + ix(i) * B;
    multiply_inverse<B>(inverse_, i, b.data() + ix(i) * B, own);
    for (int k = 0; k < B; ++k) own[k] *= scale;
  });
  product<B>(rounded_.data(), d_, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k) x[ix(i) * B + ix(k)] = (1 + c1) * d_[ix(i) * B + ix(k)] + c2 * z[k];
  });
}

template <int B>
void GridLevel::smooth_of() {
  const double most = safety * top_;
  const float scale = static_cast<float>(1 / (middle * most)), c1 = static_cast<float>(second * momentum),
              c2 = static_cast<float>(2 * second / (half * most));
  product<B>(rounded_.data(), x, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k) {
      d_[ix(i) * B + ix(k)] = scale * z[k];
      other_[ix(i) * B + ix(k)] = x[ix(i) * B + ix(k)] + scale * z[k];
    }
  });
  product<B>(rounded_.data(), other_, [&](int i, const float* y) {
    float rest[B], z[B];
    for (int k = 0; k < B; ++k) rest[k] = b[ix(i) * B + ix(k)] - y[k];
    multiply_inverse<B>(inverse_, i, rest, z);
    for (int k = 0; k < B; ++k)
      x[ix(i) * B + ix(k)] = other_[ix(i) * B + ix(k)] + c1 * d_[ix(i) * B + ix(k)] + c2 * z[k];
  });
}

template <int B>
void GridLevel::restrict_residual_of(GridLevel& coarse) {
  product<B>(rounded_.data(), x, [&](int i, const float* y) {
    const float counted = space.owns(i) ? 1 : 0;  // once, of the nodes that several hold
    for (int k = 0; k < B; ++k) other_[ix(i) * B + ix(k)] = counted * (b[ix(i) * B + ix(k)] - y[k]);
  });
  for_block_rows(coarse.A.rows, [&](int p) {
    const int begin = t_start_[ix(p)], end = t_start_[ix(p) + 1];
    multiply_block_row<aggregate_motions, B>(restricting_.data() + ix(begin) * B * aggregate_motions,
                                             t_row_.data() + begin, end - begin, other_.data(),
                                             coarse.b.data() + ix(p) * aggregate_motions);
  });
  coarse.space.add_up(coarse.b.data(), aggregate_motions);
}

template <int B>
void GridLevel::prolong_of(const GridLevel& coarse) {
  for_block_rows(A.rows, [&](int i) {
    const int begin = P_.start[ix(i)], end = P_.start[ix(i) + 1];
    float y[B];
    multiply_block_row<B, aggregate_motions>(prolonging_.data() + ix(begin) * B * aggregate_motions,
                                             P_.column.data() + begin, end - begin, coarse.x.data(), y);
    for (int k = 0; k < B; ++k) x[ix(i) * B + ix(k)] += y[k];
  });
}

SolveReport::Status GridLevel::prepare_smoother(std::vector<double>* exact) {
  return with_block([&](auto B) {
    const auto inverted = invert_diagonal_of<B>(exact);
    if (inverted == SolveReport::Status::ok) estimate_top_of<B>();
    return inverted;
  });
}
void GridLevel::finish() {
  with_block([&](auto B) { finish_of<B>(); });
}
void GridLevel::unfinish() {
  rounded_ = std::vector<float>();
  restricting_ = std::vector<float>();
}
void GridLevel::smooth_from_zero() {
  with_block([&](auto B) { smooth_from_zero_of<B>(); });
}
void GridLevel::smooth() {
  with_block([&](auto B) { smooth_of<B>(); });
}
void GridLevel::restrict_residual(GridLevel& coarse) {
  with_block([&](auto B) { restrict_residual_of<B>(coarse); });
}
void GridLevel::prolong(const GridLevel& coarse) {
  with_block([&](auto B) { prolong_of<B>(coarse); });
}

}  // namespace limber
