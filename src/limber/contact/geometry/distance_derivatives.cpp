#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/contact/geometry/distance.hpp"

namespace limber {
namespace {

using Vec4 = Eigen::Vector4d;

/// The nearest pair in orthonormal directions: n, then k directions along which the nearest points can move, then the
/// 2 − k in which they cannot. With arc length along the former as parameters EᵀE = I, and by the envelope theorem
///   ∇²d = wwᵀ ⊗ Σ ttᵀ/d − Σⱼ [(w⊗qⱼ)(dwⱼ⊗n)ᵀ + transpose] − d Σⱼ (dwⱼ⊗n)(dwⱼ⊗n)ᵀ.
struct Frame {
  Vec3 axis[2];         // q for j < k, t for j ≥ k
  Vec4 w, dw[2];        // dw[j] = ∂w/∂(arc length along q[j])
  double inverse[3]{};  // upper triangle of R⁻¹ (00, 01, 11) in E = QR: natural parameters from arc lengths
};

Vec4 vector(const std::array<double, 4>& x) { return Eigen::Map<const Vec4>(x.data()); }

Frame frame(const Nearest& at) {
  Frame f;
  f.w = vector(at.w);
  if (at.k == 0) {
    Index smallest;
    at.n.cwiseAbs().minCoeff(&smallest);
    f.axis[0] = at.n.cross(Vec3::Unit(smallest)).normalized();
    f.axis[1] = at.n.cross(f.axis[0]);
    return f;
  }
  const double length = at.E.col(0).norm();
  f.axis[0] = at.E.col(0) / length;
  f.inverse[0] = 1 / length;
  f.dw[0] = vector(at.dw[0]) / length;
  if (at.k == 1) {
    f.axis[1] = at.n.cross(f.axis[0]);
    return f;
  }
  const double along = f.axis[0].dot(at.E.col(1));
  Vec3 q = at.E.col(1) - along * f.axis[0];
  q -= q.dot(f.axis[0]) * f.axis[0];
  const double height = q.norm();
  f.axis[1] = q / height;
  f.inverse[1] = -along / (length * height);
  f.inverse[2] = 1 / height;
  f.dw[1] = (vector(at.dw[1]) - along * f.dw[0]) / height;
  return f;
}

/// The Hessian of ψ(d) as Σ over nodes a, b of  A_ab nnᵀ + w_b n y_aᵀ + w_a y_b nᵀ + w_a w_b Z.
struct Blocks {
  Eigen::Matrix4d A;
  Eigen::Matrix<double, 3, 4> y;
  Mat3 Z;
};

Mat12 assemble(const Nearest& at, const Vec4& w, const Blocks& s, int nodes) {
  Mat12 H;
  if (nodes < 4) H.setZero();
  const Mat3 nn = at.n * at.n.transpose();
  for (int b = 0; b < nodes; ++b) {
    for (int a = b; a < nodes; ++a) {
      const Vec3 left = w[a] * s.y.col(b), right = w[b] * s.y.col(a);
      const Mat3 block = s.A(a, b) * nn + at.n * right.transpose() + left * at.n.transpose() + (w[a] * w[b]) * s.Z;
      H.block<3, 3>(3 * a, 3 * b) = block;
      if (a != b) H.block<3, 3>(3 * b, 3 * a) = block.transpose();
    }
  }
  return H;
}

/// One Jacobi rotation of the symmetric D (both triangles kept), gathered in the columns of V.
template <int p, int q, int N>
[[gnu::always_inline]] inline void rotate(double (&D)[N][N], double (&V)[N][N]) {
  const double off = D[p][q], gap = D[q][q] - D[p][p];
  if (off == 0) return;
  const double t = 2 * off / (gap + std::copysign(std::sqrt(gap * gap + 4 * off * off), gap));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  D[p][p] -= t * off;
  D[q][q] += t * off;
  D[p][q] = D[q][p] = 0;
  for (int i = 0; i < N; ++i) {
    if (i != p && i != q) {
      const double x = D[p][i], y = D[q][i];
      D[p][i] = D[i][p] = c * x - s * y;
      D[q][i] = D[i][q] = s * x + c * y;
    }
    const double x = V[p][i], y = V[q][i];
    V[p][i] = c * x - s * y;
    V[q][i] = s * x + c * y;
  }
}

/// All pairs once. Neighbours in the order are disjoint, so that their square roots and quotients overlap.
inline void sweep(double (&D)[3][3], double (&V)[3][3]) { rotate<0, 1>(D, V), rotate<0, 2>(D, V), rotate<1, 2>(D, V); }
inline void sweep(double (&D)[5][5], double (&V)[5][5]) {
  rotate<0, 1>(D, V), rotate<2, 3>(D, V), rotate<0, 4>(D, V), rotate<1, 2>(D, V), rotate<3, 4>(D, V);
  rotate<0, 2>(D, V), rotate<1, 3>(D, V), rotate<2, 4>(D, V), rotate<0, 3>(D, V), rotate<1, 4>(D, V);
}

/// A ← its positive semidefinite part, by Jacobi rotations.
template <int N>
void project(Eigen::Matrix<double, N, N>& A) {
  double D[N][N], V[N][N];  // V[j]: the j-th eigenvector
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i) D[j][i] = A(i, j), V[j][i] = i == j ? 1 : 0;
  for (int sweeps = 0; sweeps < 20; ++sweeps) {
    double off = 0, all = 0;
    for (int j = 0; j < N; ++j) {
      all += D[j][j] * D[j][j];
      for (int i = j + 1; i < N; ++i) off += D[j][i] * D[j][i];
    }
    if (off <= 1e-30 * all) break;
    sweep(D, V);
  }
  A.setZero();
  for (int j = 0; j < N; ++j) {
    const Eigen::Map<const Eigen::Matrix<double, N, 1>> v(V[j]);
    if (D[j][j] > 0) A += (D[j][j] * v) * v.transpose();
  }
}

template <>
void project<1>(Eigen::Matrix<double, 1, 1>& A) {
  A(0) = std::max(A(0), 0.0);
}

/// The Hessian lives in the span of o⊗n, with o an orthonormal basis of w and dw, and of ŵ⊗q: [P, C; Cᵀ, 0] of size
/// 1 + 2k there, P = ψ''|w|² e₀e₀ᵀ − ψ' d BBᵀ, C = −ψ'|w| B, dw = oB. Its projection is that of the whole; ŵ⊗t is
/// apart.
template <int k>
Blocks projected(const Nearest& at, const Frame& f, double first, double second) {
  constexpr int N = 1 + 2 * k;
  Eigen::Matrix<double, 4, 1 + k> o;
  Eigen::Matrix<double, 1 + k, std::max(1, k)> B;
  const double ww = f.w.squaredNorm(), norm = std::sqrt(ww);
  const Vec4 unit = f.w / norm;
  o.col(0) = unit;
  B.setZero();
  for (int j = 0; j < k; ++j) {
    Vec4 rest = f.dw[j];
    for (int again = 0; again < 2; ++again) {
      for (int i = 0; i <= j; ++i) {
        const double part = o.col(i).dot(rest);
        B(i, j) += part;
        rest -= part * o.col(i);
      }
    }
    const double height = rest.norm();
    B(j + 1, j) = height;
    o.col(j + 1) = height > 0 ? Vec4(rest / height) : Vec4::Zero();
  }
  Eigen::Matrix<double, N, N> M = Eigen::Matrix<double, N, N>::Zero();
  if constexpr (k > 0) {
    M.template topLeftCorner<1 + k, 1 + k>() = (-first * at.d) * (B * B.transpose());
    M.template topRightCorner<1 + k, k>() = (-first * norm) * B;
    M.template bottomLeftCorner<k, 1 + k>() = M.template topRightCorner<1 + k, k>().transpose();
  }
  M(0, 0) += second * ww;
  project<N>(M);

  Blocks s;
  s.A = o * M.template topLeftCorner<1 + k, 1 + k>() * o.transpose();
  s.y.setZero();
  s.Z.setZero();
  for (int j = 0; j < k; ++j) {
    s.y += f.axis[j] * (o * M.template block<1 + k, 1>(0, 1 + k + j)).transpose() / norm;
    for (int i = 0; i < k; ++i) s.Z += (M(1 + k + i, 1 + k + j) / ww) * f.axis[i] * f.axis[j].transpose();
  }
  const double tangential = std::max(first / at.d, 0.0);
  for (int j = k; j < 2; ++j) s.Z += tangential * f.axis[j] * f.axis[j].transpose();
  return s;
}

}  // namespace

Vec12 gradient(const Nearest& at) {
  Vec12 g;
  for (int i = 0; i < 4; ++i) g.segment<3>(3 * i) = at.w[i] * at.n;
  return g;
}

Mat12 hessian(const Nearest& at) { return compose(at, 1, 0); }

Mat12 compose(const Nearest& at, double first, double second, int nodes) {
  const Frame f = frame(at);
  Blocks s;
  s.A = second * f.w * f.w.transpose();
  s.y.setZero();
  s.Z.setZero();
  for (int j = 0; j < at.k; ++j) {
    s.A -= (first * at.d) * f.dw[j] * f.dw[j].transpose();
    s.y -= first * f.axis[j] * f.dw[j].transpose();
  }
  for (int j = at.k; j < 2; ++j) s.Z += (first / at.d) * f.axis[j] * f.axis[j].transpose();
  return assemble(at, f.w, s, nodes);
}

Mat12 compose_projected(const Nearest& at, double first, double second, int nodes) {
  const Frame f = frame(at);
  switch (at.k) {
    case 0:
      return assemble(at, f.w, projected<0>(at, f, first, second), nodes);
    case 1:
      return assemble(at, f.w, projected<1>(at, f, first, second), nodes);
    default:
      return assemble(at, f.w, projected<2>(at, f, first, second), nodes);
  }
}

Eigen::Matrix<double, 3, 12> normal_derivative(const Nearest& at) {
  const Frame f = frame(at);
  Eigen::Matrix<double, 3, 12> dn;
  for (int i = 0; i < 4; ++i) {
    Mat3 block = Mat3::Zero();
    for (int j = 0; j < at.k; ++j) block -= f.dw[j][i] * f.axis[j] * at.n.transpose();
    for (int j = at.k; j < 2; ++j) block += (f.w[i] / at.d) * f.axis[j] * f.axis[j].transpose();
    dn.block<3, 3>(0, 3 * i) = block;
  }
  return dn;
}

Eigen::Matrix<double, 2, 12> parameter_derivative(const Nearest& at) {
  const Frame f = frame(at);
  Eigen::Matrix<double, 2, 12> arc = Eigen::Matrix<double, 2, 12>::Zero(), natural = arc;
  for (int j = 0; j < at.k; ++j)
    for (int i = 0; i < 4; ++i)
      arc.block<1, 3>(j, 3 * i) = -(f.w[i] * f.axis[j] + at.d * f.dw[j][i] * at.n).transpose();
  natural.row(0) = f.inverse[0] * arc.row(0) + f.inverse[1] * arc.row(1);
  natural.row(1) = f.inverse[2] * arc.row(1);
  return natural;
}

namespace {

/// c/ε. Not inlined: a line search compares values with those that came with a gradient, so they must round alike.
[[gnu::noinline]] double mollifier_ratio(const Vec3& u, const Vec3& v, double eps_x) {
  return u.cross(v).squaredNorm() / eps_x;
}

}  // namespace

double edge_mollifier_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double eps_x) {
  const double ratio = mollifier_ratio(b - a, d - c, eps_x);
  return ratio < 1 ? (2 - ratio) * ratio : 1;
}

Mollifier edge_mollifier(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double eps_x) {
  Mollifier m;
  const Vec3 u = b - a, v = d - c, y = u.cross(v);
  const double ratio = mollifier_ratio(u, v, eps_x);
  if (!(ratio < 1)) return m;
  m.value = (2 - ratio) * ratio;
  const double slope = 2 * (1 - ratio) / eps_x, bend = -2 / eps_x / eps_x;
  Eigen::Matrix<double, 6, 1> g;  // of c by u and v
  g << 2 * v.cross(y), 2 * y.cross(u);
  Eigen::Matrix<double, 6, 6> h;
  const double uv = u.dot(v);
  const Mat3 I = Mat3::Identity();
  h.topLeftCorner<3, 3>() = 2 * (v.squaredNorm() * I - v * v.transpose());
  h.bottomRightCorner<3, 3>() = 2 * (u.squaredNorm() * I - u * u.transpose());
  h.topRightCorner<3, 3>() = 2 * (2 * u * v.transpose() - v * u.transpose() - uv * I);
  h.bottomLeftCorner<3, 3>() = h.topRightCorner<3, 3>().transpose();
  h = slope * h + bend * g * g.transpose();
  g *= slope;
  constexpr double sign[4] = {-1, 1, -1, 1};
  for (int i = 0; i < 4; ++i) {
    m.gradient.segment<3>(3 * i) = sign[i] * g.segment<3>(3 * (i / 2));
    for (int j = 0; j < 4; ++j)
      m.hessian.block<3, 3>(3 * i, 3 * j) = (sign[i] * sign[j]) * h.block<3, 3>(3 * (i / 2), 3 * (j / 2));
  }
  return m;
}

}  // namespace limber
