#include "limber/contact/smooth/smooth_surface.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace limber {

namespace {

constexpr double background_part = 0.1;  // W₀ as a part of W = πr²/4 on an infinite plane
constexpr std::int64_t last_bin = (std::int64_t{1} << 20) - 1;

using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

Vec3 triangle_normal(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a); }

Mat3 cross_matrix(const Vec3& w) {
  Mat3 W;
  W << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return W;
}

/// φ = G(N, W) with N = Σ w p; the derivatives of G.
struct Blend {
  Blend(double N, double W, double r) {
    const double W0 = background_part * std::numbers::pi * r * r / 4, u = std::max(0.0, 1 - W / W0);
    const double beta = W0 * u * u * u, slope = -3 * u * u, bend = 6 * u / W0, S = W + beta;
    f = (N + beta * r) / S;
    by_N = 1 / S;
    by_W = (slope * r - f * (1 + slope)) / S;
    by_NW = -(1 + slope) / (S * S);
    by_WW = (bend * (r - f) - 2 * (1 + slope) * by_W) / S;
  }
  double f, by_N, by_W, by_NW, by_WW;
};

/// s(p/r) and its derivatives: 0 below `behind`, 1 above `level`, of degree 5 between.
struct Facing {
  Facing() = default;
  Facing(double p, double r) {
    constexpr double behind = -.5, level = -.1, width = level - behind;
    const double t = std::clamp((p / r - behind) / width, 0.0, 1.0);
    value = t * t * t * (10 + t * (6 * t - 15));
    first = 30 * t * t * (1 - t) * (1 - t) / (width * r);
    second = 60 * t * (1 - t) * (1 - 2 * t) / (width * width * r * r);
  }
  double value = 0, first = 0, second = 0;
};

/// a (1 − |u|²/r²)³.
double kernel(const Vec3& u, double area, double r) {
  const double t = 1 - u.squaredNorm() / (r * r);
  return area * t * t * t;
}

/// One triangle's w and p = n·(x − c) over the variables (e₁, e₂, u) = (b − a, c − a, x − centroid).
struct Term {
  Term(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c, double area, double r) {
    e1 = b - a;
    e2 = c - a;
    u = x - (a + b + c) / 3;
    const Vec3 m = e1.cross(e2);
    length = m.norm();
    n = m / length;
    p = n.dot(u);
    slide = (u - p * n) / length;  // ∂p/∂m
    const double t = 1 - u.squaredNorm() / (r * r);
    side = Facing(p, r);
    k = kernel(u, area, r);
    w = k * side.value;
    dk = -6 * area * t * t / (r * r) * u;
    ddk = -6 * area * t / (r * r) * (t * Mat3::Identity() - 4 / (r * r) * u * u.transpose());
  }

  Vec9 p_gradient() const {
    Vec9 g;
    g << e2.cross(slide), slide.cross(e1), n;  // g·(de₁ × e₂) = de₁·(e₂ × g)
    return g;
  }

  Mat9 p_hessian() const {
    const Mat3 P = Mat3::Identity() - n * n.transpose();
    const Mat3 mm = (-(slide * n.transpose() + n * slide.transpose()) - p / length * P) / length;
    const Mat3 mu = P / length, D1 = -cross_matrix(e2), D2 = cross_matrix(e1);  // ∂m/∂e₁, ∂m/∂e₂
    Mat9 H = Mat9::Zero();
    H.block<3, 3>(0, 0) = D1.transpose() * mm * D1;
    H.block<3, 3>(3, 3) = D2.transpose() * mm * D2;
    H.block<3, 3>(0, 3) = D1.transpose() * mm * D2 - cross_matrix(slide);
    H.block<3, 3>(0, 6) = D1.transpose() * mu;
    H.block<3, 3>(3, 6) = D2.transpose() * mu;
    H.block<3, 3>(3, 0) = H.block<3, 3>(0, 3).transpose();
    H.block<3, 3>(6, 0) = H.block<3, 3>(0, 6).transpose();
    H.block<3, 3>(6, 3) = H.block<3, 3>(3, 6).transpose();
    return H;
  }

  Vec9 w_gradient(const Vec9& dp) const {
    Vec9 g = k * side.first * dp;
    g.tail<3>() += side.value * dk;
    return g;
  }

  Mat9 w_hessian(const Vec9& dp, const Mat9& ddp) const {
    Mat9 H = k * (side.first * ddp + side.second * dp * dp.transpose());
    H.rightCols<3>() += side.first * dp * dk.transpose();
    H.bottomRows<3>() += side.first * dk * dp.transpose();
    H.bottomRightCorner<3, 3>() += side.value * ddk;
    return H;
  }

  Vec3 e1, e2, u, n, slide;
  double length, p, w;
  double k;  // w = k(u) s(p)
  Facing side;
  Vec3 dk;
  Mat3 ddk;
};

/// From (e₁, e₂, u) to the nodes (x, a, b, c); nothing changes when all move alike, hence a.
template <class Derived>
Eigen::Matrix<double, Derived::RowsAtCompileTime, 12> to_nodes(const Eigen::MatrixBase<Derived>& by) {
  Eigen::Matrix<double, Derived::RowsAtCompileTime, 12> out;
  const auto by_u = by.template rightCols<3>();
  out.template leftCols<3>() = by_u;
  out.template middleCols<3>(6) = by.template leftCols<3>() - by_u / 3;
  out.template rightCols<3>() = by.template middleCols<3>(3) - by_u / 3;
  out.template middleCols<3>(3) = -by.template leftCols<3>() - by.template middleCols<3>(3) - by_u / 3;
  return out;
}

}  // namespace

SmoothSurface::SmoothSurface(std::vector<std::array<int, 3>> triangles, const Vector& rest, double radius)
    : triangles_(std::move(triangles)), radius_(radius) {
  assert(radius > 0);
  q_ = rest;
  area_.reserve(triangles_.size());
  for (const auto& [a, b, c] : triangles_)
    area_.push_back(triangle_normal(position(a), position(b), position(c)).norm() / 2);
  update(rest);
}

std::array<std::int64_t, 3> SmoothSurface::bin(const Vec3& x) const {
  std::array<std::int64_t, 3> at;
  for (int k = 0; k < 3; ++k)
    at[k] = static_cast<std::int64_t>(std::clamp(std::floor(x[k] / ((1 + slack) * radius_)),
                                                 static_cast<double>(-last_bin), static_cast<double>(last_bin)));
  return at;
}

namespace {

/// Bins in a row along x have consecutive numbers.
std::uint64_t bin_number(std::int64_t i, std::int64_t j, std::int64_t k) {
  const auto part = [](std::int64_t n) {
    return static_cast<std::uint64_t>(std::clamp(n, -last_bin, last_bin) + last_bin + 1);
  };
  return part(k) << 42 | part(j) << 21 | part(i);
}

}  // namespace

void SmoothSurface::move(const Vector& q) {
  q_ = q;
  centroid_.resize(triangles_.size());
  normal_.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto& [a, b, c] = triangles_[t];
    const Vec3 A = position(a), B = position(b), C = position(c);
    centroid_[t] = (A + B + C) / 3;
    normal_[t] = triangle_normal(A, B, C).normalized();
  }
}

void SmoothSurface::update(const Vector& q) {
  move(q);
  by_bin_.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    const auto at = bin(centroid_[t]);
    by_bin_[t] = {bin_number(at[0], at[1], at[2]), static_cast<int>(t)};
  }
  std::sort(by_bin_.begin(), by_bin_.end());
}

std::vector<int> SmoothSurface::near(const Vec3& x, const Filter& counts) const {
  std::vector<int> found;
  const auto at = bin(x);
  for (std::int64_t k = at[2] - 1; k <= at[2] + 1; ++k)
    for (std::int64_t j = at[1] - 1; j <= at[1] + 1; ++j) {
      if (std::abs(j) > last_bin || std::abs(k) > last_bin) continue;
      const std::uint64_t last = bin_number(at[0] + 1, j, k);
      auto entry = std::lower_bound(by_bin_.begin(), by_bin_.end(), std::pair{bin_number(at[0] - 1, j, k), -1});
      for (; entry != by_bin_.end() && entry->first <= last; ++entry)
        if (const int t = entry->second; within(x, t, (1 + slack) * radius_) && (!counts || counts(t)))
          found.push_back(t);
    }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<double> SmoothSurface::value(const Vec3& x, std::span<const int> among) const {
  double N = 0, W = 0;
  bool any = false;
  for (const int i : among) {
    if (!within(x, i, radius_)) continue;
    any = true;
    const std::size_t t = static_cast<std::size_t>(i);
    const Vec3 u = x - centroid_[t];
    const double p = normal_[t].dot(u), w = kernel(u, area_[t], radius_) * Facing(p, radius_).value;
    N += w * p;
    W += w;
  }
  if (!any) return std::nullopt;
  return Blend(N, W, radius_).f;
}

bool SmoothSurface::evaluate(int node, std::span<const int> among, LocalGap& gap) const {
  const Vec3 x = position(node);
  static thread_local std::vector<Term> terms;
  static thread_local std::vector<int> found;
  terms.clear();
  found.clear();
  gap.nodes.clear();
  double N = 0, W = 0;
  bool any = false;
  for (const int t : among) {
    if (!within(x, t, radius_)) continue;
    any = true;
    const auto& [a, b, c] = triangles_[static_cast<std::size_t>(t)];
    terms.emplace_back(x, position(a), position(b), position(c), area_[static_cast<std::size_t>(t)], radius_);
    if (terms.back().side.value == 0) {  // x is behind of it: nothing depends on it
      terms.pop_back();
      continue;
    }
    found.push_back(t);
    N += terms.back().w * terms.back().p;
    W += terms.back().w;
    gap.nodes.insert(gap.nodes.end(), {a, b, c});
  }
  if (!any) return false;
  std::sort(gap.nodes.begin(), gap.nodes.end());
  gap.nodes.erase(std::unique(gap.nodes.begin(), gap.nodes.end()), gap.nodes.end());
  std::erase(gap.nodes, node);
  gap.nodes.insert(gap.nodes.begin(), node);
  const auto local = [&](int i) {
    return i == node ? Index{0} : std::lower_bound(gap.nodes.begin() + 1, gap.nodes.end(), i) - gap.nodes.begin();
  };

  const Blend G(N, W, radius_);
  const Index size = 3 * static_cast<Index>(gap.nodes.size());
  Vector by_N = Vector::Zero(size), by_W = Vector::Zero(size);  // ∇N, ∇W
  gap.hessian.setZero(size, size);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& term = terms[k];
    const auto& [a, b, c] = triangles_[static_cast<std::size_t>(found[k])];
    const std::array<Index, 4> at{0, local(a), local(b), local(c)};
    const Vec9 dp = term.p_gradient(), dw = term.w_gradient(dp), dN = term.w * dp + term.p * dw;
    const auto node_N = to_nodes(dN.transpose()), node_W = to_nodes(dw.transpose());
    for (int i = 0; i < 4; ++i) {
      by_N.segment<3>(3 * at[i]) += node_N.segment<3>(3 * i);
      by_W.segment<3>(3 * at[i]) += node_W.segment<3>(3 * i);
    }
    // G_N ∇²(w p) + G_W ∇²w
    const Mat9 ddp = term.p_hessian();
    const Mat9 H = G.by_N * (term.w * ddp + dw * dp.transpose() + dp * dw.transpose()) +
                   (G.by_N * term.p + G.by_W) * term.w_hessian(dp, ddp);
    const Mat12 nodes = to_nodes(to_nodes(H).transpose());
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) gap.hessian.block<3, 3>(3 * at[i], 3 * at[j]) += nodes.block<3, 3>(3 * i, 3 * j);
  }
  gap.d = G.f;
  gap.gradient = G.by_N * by_N + G.by_W * by_W;
  const Vector side = G.by_NW * by_N + G.by_WW / 2 * by_W;
  gap.hessian.noalias() += side * by_W.transpose();
  gap.hessian.noalias() += by_W * side.transpose();
  return true;
}

std::optional<LocalGap> SmoothSurface::local_gap(int node, const Filter& counts) const {
  LocalGap gap;
  if (!evaluate(node, near(position(node), counts), gap)) return std::nullopt;
  return gap;
}

std::vector<int> SmoothSurface::nodes_around(int node, std::span<const int> among) const {
  std::vector<int> nodes{node};
  for (const int t : among)
    if (const auto& [a, b, c] = triangles_[static_cast<std::size_t>(t)];
        within(position(node), t, (1 + soon) * radius_))
      nodes.insert(nodes.end(), {a, b, c});
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Matrix compose(const LocalGap& gap, double first, double second) {
  return first * gap.hessian + second * gap.gradient * gap.gradient.transpose();
}

Matrix compose_projected(const LocalGap& gap, double first, double second) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(compose(gap, first, second));
  const Matrix& V = eigen.eigenvectors();
  return V * eigen.eigenvalues().cwiseMax(0).asDiagonal() * V.transpose();
}

double mean_edge(const std::vector<std::array<int, 3>>& triangles, const Vector& q) {
  double sum = 0;
  const auto x = [&](int i) { return q.segment<3>(3 * static_cast<Index>(i)); };
  for (const auto& [a, b, c] : triangles) sum += (x(b) - x(a)).norm() + (x(c) - x(b)).norm() + (x(a) - x(c)).norm();
  return triangles.empty() ? 0 : sum / (3 * static_cast<double>(triangles.size()));
}

}  // namespace limber
