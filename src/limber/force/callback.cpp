#include "limber/force/callback.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {

CallbackForce::CallbackForce(std::string name, ForceCallbacks callbacks, TangentSymmetry symmetry, const State& start)
    : name_(std::move(name)), callbacks_(std::move(callbacks)), symmetry_(symmetry) {
  if (!callbacks_.force) fail("no force function is given");
  if (callbacks_.dissipation && !callbacks_.potential) fail("a dissipation needs a potential (it may be zero)");
  Vector f = Vector::Zero(start.q.size());
  add_force(start, f);
  if (callbacks_.stiffness) declare(evaluate(callbacks_.stiffness, "stiffness", start), "stiffness");
  if (callbacks_.damping) declare(evaluate(callbacks_.damping, "damping", start), "damping");
  std::sort(declared_.begin(), declared_.end());
  declared_.erase(std::unique(declared_.begin(), declared_.end()), declared_.end());
}

void CallbackForce::fail(const std::string& what) const { throw InputError("force '" + name_ + "'", what); }

SparseMatrix CallbackForce::evaluate(const ForceCallbacks::Entries& entries, const char* what, const State& u) const {
  const SparseMatrix A = entries(u.q, u.v, u.t);
  if (A.rows() != u.q.size() || A.cols() != u.q.size())
    fail(fmt::format("{} is {} × {}, but {} × {} is needed", what, A.rows(), A.cols(), u.q.size(), u.q.size()));
  return in_order(A);
}

void CallbackForce::declare(const SparseMatrix& A, const char* what) {
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator e(A, j); e; ++e) {
      declared_.emplace_back(j / 3, e.row() / 3);
      declared_.emplace_back(e.row() / 3, j / 3);  // patterns are symmetric
    }
  if (symmetry_ == TangentSymmetry::general) return;
  const SparseMatrix skew = A - SparseMatrix(A.transpose());
  if (skew.norm() > 1e-8 * A.norm())
    fail(fmt::format(
        "{} is said to be symmetric, but |A − Aᵀ| = {:.3g} with |A| = {:.3g}; give the whole matrix, or say "
        "that it is not symmetric",
        what, skew.norm(), A.norm()));
}

ForceTraits CallbackForce::traits() const {
  return {.symmetric = symmetry_ == TangentSymmetry::symmetric,
          .velocity_dependent = callbacks_.damping || !callbacks_.potential,
          .has_potential = static_cast<bool>(callbacks_.potential),
          .time_dependent = true};
}

void CallbackForce::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  pairs.insert(pairs.end(), declared_.begin(), declared_.end());
}

void CallbackForce::add_force(const State& u, Vector& f) const {
  const Vector own = callbacks_.force(u.q, u.v, u.t);
  if (own.size() != f.size()) fail(fmt::format("it returned {} numbers, but {} are needed", own.size(), f.size()));
  f += own;
}

void CallbackForce::add_entries(const SparseMatrix& A, const char* what, double* values,
                                const TangentBuilder& T) const {
  const auto free = T.free_index();
  for (int j = 0; j < A.outerSize(); ++j) {
    const int b = j / 3, fb = free[static_cast<std::size_t>(b)];
    for (SparseMatrix::InnerIterator e(A, j); e; ++e) {
      const int i = static_cast<int>(e.row()), a = i / 3, fa = free[static_cast<std::size_t>(a)];
      if (e.value() == 0) continue;
      if (!std::binary_search(declared_.begin(), declared_.end(), std::pair(b, a)))
        fail(
            fmt::format("{} has an entry at ({}, {}), nodes {} and {}, which it did not have at the start; store zeros "
                        "there at the start to declare it",
                        what, i, j, a, b));
      if (fa < 0 || fb < 0 || (T.pattern().storage() == Storage::lower && fa < fb)) continue;
      values[T.pattern().slot(fa, fb).at(i % 3, j % 3)] += e.value();
    }
  }
}

void CallbackForce::add_tangent(const State& u, TangentBuilder& T) const {
  if (callbacks_.stiffness)
    add_entries(evaluate(callbacks_.stiffness, "stiffness", u), "stiffness", T.stiffness_values(), T);
  if (callbacks_.damping) add_entries(evaluate(callbacks_.damping, "damping", u), "damping", T.damping_values(), T);
}

std::optional<Potentials> CallbackForce::potentials(const State& u) const {
  if (!callbacks_.potential) return std::nullopt;
  return Potentials{callbacks_.potential(u.q, u.v, u.t),
                    callbacks_.dissipation ? callbacks_.dissipation(u.q, u.v, u.t) : 0.0};
}

/// Damping relative to something that moves: what it does to the nodes, and 2R, which it takes up.
double CallbackForce::driving_work(const Travel& step, const State& u) const {
  const double by_time = Force::driving_work(step, u);
  if (!traits().velocity_dependent) return by_time;
  return by_time + (step.b.t - step.a.t) * (2 * potentials(u)->dissipated - damping_power(u));
}

double CallbackForce::damping_power(const State& u) const {
  if (!callbacks_.damping) return 0;
  return u.v.dot(evaluate(callbacks_.damping, "damping", u) * u.v);
}

}  // namespace limber
