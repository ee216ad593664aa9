#pragma once
/// Reference derivatives of forces by fourth-order central differences, and dense tangents to compare them with.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "limber/model/force.hpp"

namespace limber::test {

inline Vector random_vector(Index n, double scale, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return Vector::NullaryExpr(n, [&] { return uniform(generator); });
}

inline Vector force_at(const Force& force, const State& u) {
  Vector f = Vector::Zero(u.q.size());
  force.add_force(u, f);
  return f;
}

struct DenseTangent {
  Matrix K, D;
};

/// K and D on the nodes with free_index ≥ 0; `bound` forces know this pattern beforehand.
inline DenseTangent tangent_on(Force& force, const State& u, Definiteness definiteness, Storage storage,
                               const std::vector<int>& free_index) {
  std::vector<std::pair<int, int>> couplings, pairs;
  force.add_couplings(couplings);
  for (const auto& [a, b] : couplings) {
    const int fa = free_index[static_cast<std::size_t>(a)], fb = free_index[static_cast<std::size_t>(b)];
    if (fa >= 0 && fb >= 0) pairs.emplace_back(fa, fb);
  }
  const int nodes = 1 + *std::max_element(free_index.begin(), free_index.end());
  const BlockPattern pattern(nodes, pairs, storage);
  force.bind(pattern, free_index);
  SparseMatrix K = pattern.zero(), D = pattern.zero();
  std::vector<RankOne> low_rank;
  TangentBuilder T(pattern, free_index, definiteness, K.valuePtr(), D.valuePtr(), {}, &low_rank);
  force.add_tangent(u, T);
  DenseTangent all{Matrix(K), Matrix(D)};
  if (storage == Storage::lower)
    all = {Matrix(Matrix(K).selfadjointView<Eigen::Lower>()), Matrix(Matrix(D).selfadjointView<Eigen::Lower>())};
  for (const RankOne& part : low_rank) {
    Vector free(K.rows());
    for (std::size_t i = 0; i < free_index.size(); ++i)
      if (free_index[i] >= 0) free.segment<3>(3 * free_index[i]) = part.u.segment<3>(3 * static_cast<Index>(i));
    all.K += part.c * free * free.transpose();
  }
  return all;
}

inline DenseTangent tangent_at(Force& force, const State& u, Definiteness definiteness = Definiteness::exact) {
  std::vector<int> all(static_cast<std::size_t>(u.q.size() / 3));
  std::iota(all.begin(), all.end(), 0);
  return tangent_on(force, u, definiteness, Storage::full, all);
}

/// −∂g/∂x by differences; g maps a vector to a vector.
template <class G>
Matrix minus_jacobian(const G& g, const Vector& x, double h = 1e-3) {
  Matrix J(g(x).size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    const auto at = [&](double s) {
      Vector y = x;
      y[j] += s * h;
      return Vector(g(y));
    };
    J.col(j) = -(8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  }
  return J;
}

inline void expect_near(const Matrix& A, const Matrix& B, double tolerance, const char* what) {
  EXPECT_LE((A - B).norm(), tolerance * (1 + B.norm())) << what << "\n" << A << "\n\n" << B;
}

inline void expect_force_from_potentials(const Force& force, const State& u, double tolerance = 1e-8) {
  const auto sum = [&](const State& x) {
    const auto p = force.potentials(x);
    EXPECT_TRUE(p.has_value());
    return *p;
  };
  const auto W = [&](const Vector& q) { return Vector::Constant(1, sum({q, u.v, u.t}).stored); };
  const auto R = [&](const Vector& v) { return Vector::Constant(1, sum({u.q, v, u.t}).dissipated); };
  const Vector f = (minus_jacobian(W, u.q) + minus_jacobian(R, u.v)).transpose();
  expect_near(force_at(force, u), f, tolerance, "f = -dW/dq - dR/dv");
}

inline void expect_stiffness(Force& force, const State& u, double tolerance = 1e-8) {
  const auto f = [&](const Vector& q) { return force_at(force, {q, u.v, u.t}); };
  expect_near(tangent_at(force, u).K, minus_jacobian(f, u.q), tolerance, "K = -df/dq");
}

inline void expect_damping(Force& force, const State& u, double tolerance = 1e-8) {
  const auto f = [&](const Vector& v) { return force_at(force, {u.q, v, u.t}); };
  expect_near(tangent_at(force, u).D, minus_jacobian(f, u.v), tolerance, "D = -df/dv");
}

inline void expect_symmetric(const Matrix& A) { EXPECT_LE((A - A.transpose()).norm(), 1e-12 * (1 + A.norm())) << A; }

inline void expect_psd(const Matrix& A) {
  expect_symmetric(A);
  const Vector e = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues();
  EXPECT_GE(e.minCoeff(), -1e-12 * (1 + e.maxCoeff()));
}

/// Lower storage, prescribed nodes left out: the same numbers as the corresponding part of the whole tangent.
inline void expect_restricts(Force& force, const State& u, const std::vector<int>& free_index,
                             double tolerance = 1e-12) {
  const DenseTangent all = tangent_at(force, u);
  for (const Storage storage : {Storage::lower, Storage::full}) {
    if (storage == Storage::lower && !force.traits().symmetric) continue;
    const DenseTangent part = tangent_on(force, u, Definiteness::exact, storage, free_index);
    for (std::size_t a = 0; a < free_index.size(); ++a)
      for (std::size_t b = 0; b < free_index.size(); ++b) {
        if (free_index[a] < 0 || free_index[b] < 0) continue;
        const Index i = 3 * static_cast<Index>(a), j = 3 * static_cast<Index>(b);
        const Index r = 3 * free_index[a], c = 3 * free_index[b];
        EXPECT_LE((part.K.block<3, 3>(r, c) - all.K.block<3, 3>(i, j)).norm(), tolerance * (1 + all.K.norm()));
        EXPECT_LE((part.D.block<3, 3>(r, c) - all.D.block<3, 3>(i, j)).norm(), tolerance * (1 + all.D.norm()));
      }
  }
}

/// No net force and no net torque.
inline void expect_balanced(const Force& force, const State& u) {
  const Vector f = force_at(force, u);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
  for (Index i = 0; i < f.size(); i += 3) {
    const Vec3 x = u.q.segment<3>(i), g = f.segment<3>(i);
    sum += g;
    torque += x.cross(g);
  }
  EXPECT_LE(sum.norm(), 1e-12 * (1 + f.norm()));
  EXPECT_LE(torque.norm(), 1e-12 * (1 + f.norm()) * (1 + u.q.norm()));
}

inline std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace limber::test
