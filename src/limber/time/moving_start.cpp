#include "limber/time/moving_start.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/extremes.hpp"

namespace limber {
namespace {

constexpr int most_pieces = 40;          // each adds a contact to the previous ones
constexpr double shortest_piece = 1e-3;  // relative to the remaining way
constexpr double worthwhile = .02;       // relative to the remaining way: shorter pieces make no progress
constexpr int most_sweeps = 30;

/// Replaces v by the nearest velocity, in the norm of the diagonal mass, for which within the time `left` no gap falls
/// below half of δ, or decreases if it is already smaller (Gauss-Seidel on the impulses).
void keep_open(const GapConstraints& gaps, const Vector& mass, double left, Vector& v) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> G = gaps.G;
  Vector impulse = Vector::Zero(G.rows()), inverse(G.rows()), least(G.rows());
  for (Index i = 0; i < G.rows(); ++i) {
    double sum = 0;
    for (decltype(G)::InnerIterator it(G, i); it; ++it) sum += it.value() * it.value() / mass[it.col()];
    inverse[i] = 1 / sum;
    least[i] = -std::max(0.0, gaps.gap[i] - gaps.contact / 2) / left - gaps.rate[i];
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool settled = true;
    for (Index i = 0; i < G.rows(); ++i) {
      // local: all processes hold the nodes that may touch
      const double change = std::max(-impulse[i], (least[i] - G.row(i).dot(v)) * inverse[i]);
      if (change == 0) continue;
      settled = settled && std::abs(change) <= 1e-3 * impulse[i];
      impulse[i] += change;
      for (decltype(G)::InnerIterator it(G, i); it; ++it) v[it.col()] += change * it.value() / mass[it.col()];
    }
    if (settled) break;
  }
}

/// Moves `at` with v and the prescribed motion toward `until`, as far as the way is free; returns false if it is
/// blocked.
bool go_along(System& system, const Vector& v, double until, MovingStart& at) {
  const double left = until - at.t;
  for (double s = 1; s > shortest_piece;) {
    const double then = s == 1 ? until : at.t + s * left;
    const Vector travel = s * left * v;
    const double free = system.max_step(at.q, travel, at.t, then);
    if (free >= 1) {
      at = {at.q + travel, then};
      return true;
    }
    s *= std::min(.95 * free, .9);
  }
  return false;
}

bool moves_far(const System& system, const GapConstraints& gaps, const State& from, double until) {
  constexpr double far = 10;  // δ
  double speed = system.space().max_abs(from.v);
  if (gaps.rate.size() > 0) speed = max_or_nan(speed, largest_magnitude(gaps.rate));
  return gaps.contact > 0 && speed * (until - from.t) > far * gaps.contact;
}

}  // namespace

std::optional<MovingStart> move_along(System& system, const State& from, double until) {
  Vector mass = system.mass().diagonal();
  system.space().add_up(mass);
  MovingStart at{from.q, from.t};
  for (int piece = 0; piece < most_pieces && at.t != until; ++piece) {
    const double left = until - at.t;
    Vector v = from.v;
    const GapConstraints gaps = system.gaps({at.q, from.v, at.t}, at.t, 0);
    if (piece == 0 && !moves_far(system, gaps, from, until)) return std::nullopt;
    if (gaps.G.rows() > 0) keep_open(gaps, mass, left, v);
    if (!go_along(system, v, until, at) || until - at.t > (1 - worthwhile) * left) break;
  }
  return at;
}

}  // namespace limber
