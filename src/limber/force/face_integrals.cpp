#include "limber/force/face_integrals.hpp"

#include <Eigen/Geometry>

#include "limber/core/parallel.hpp"
#include "limber/mesh/element_type.hpp"

namespace limber {
namespace {

constexpr std::size_t faces_a_piece = 128;

Mat3 cross_with(const Vec3& a) {
  Mat3 A;
  A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return A;
}

template <class Block>
void set_block(const FaceMatrix& K, std::span<const int> face, Block& m) {
  m.resize(face.size());
  std::copy(face.begin(), face.end(), m.nodes.begin());
  m.A.topLeftCorner(K.rows(), K.cols()) = K;
}

}  // namespace

FaceRule::FaceRule(FaceKind kind) {
  const Quadrature rule = surface_rule(kind);
  for (Index q = 0; q < rule.weights.size(); ++q) {
    const Eigen::Vector2d xi = rule.points.row(q);
    const Matrix G = shape_gradients(kind, xi);
    points.push_back({shape_values(kind, xi), G.col(0), G.col(1), rule.weights[q]});
  }
}

FaceNodes nodes_of(std::span<const int> face, const Vector& q) {
  FaceNodes x(3, static_cast<Index>(face.size()));
  for (std::size_t k = 0; k < face.size(); ++k) x.col(static_cast<Index>(k)) = block(q, face[k]);
  return x;
}

Vec3 some_point(const FaceMesh& faces, const Vector& q) {
  return faces.nodes.empty() ? Vec3(0, 0, 0) : point(q, faces.nodes.front());
}

double volume_from(const Vec3& o, const FaceMesh& faces, const FaceRule& rule, const Vector& q) {
  return ordered_sum(
      static_cast<Index>(faces.count()),
      [&](Index f) {
        FaceNodes x = nodes_of(faces.face(static_cast<std::size_t>(f)), q);
        x.colwise() -= o;
        double sum = 0;
        for (const auto& p : rule.points)
          sum += p.weight / 3 * Vec3(x * p.N).dot(Vec3(x * p.first).cross(Vec3(x * p.second)));
        return sum;
      },
      face_cost);
}

void add_area_vectors(double s, const FaceMesh& faces, const FaceRule& rule, const Vector& q, Vector& f) {
  std::vector<FaceNodes> parts(faces.count());
  in_pieces(
      parts.size(), faces_a_piece,
      [&](std::size_t k) {
        const FaceNodes x = nodes_of(faces.face(k), q);
        parts[k].setZero(3, x.cols());
        for (const auto& at : rule.points)
          parts[k] += s * at.weight * Vec3(x * at.first).cross(Vec3(x * at.second)) * at.N.transpose();
      },
      face_cost);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto face = faces.face(k);
    for (std::size_t a = 0; a < face.size(); ++a) block(f, face[a]) += parts[k].col(static_cast<Index>(a));
  }
}

FaceMatrix area_stiffness(double s, std::span<const int> face, const FaceRule& rule, const Vector& q,
                          FaceStiffness of) {
  const auto n = static_cast<Index>(face.size());
  const FaceNodes x = nodes_of(face, q);
  FaceMatrix K;
  K.setZero(3 * n, 3 * n);
  for (const auto& at : rule.points) {
    const Mat3 one = s * at.weight * cross_with(x * at.first), other = s * at.weight * cross_with(x * at.second);
    for (Index b = 0; b < n; ++b) {
      const Mat3 column = at.second[b] * one - at.first[b] * other;
      for (Index a = 0; a < n; ++a) K.block<3, 3>(3 * a, 3 * b) += at.N[a] * column;
    }
  }
  if (of == FaceStiffness::symmetric_part) K = (.5 * (K + K.transpose())).eval();
  return K;
}

void add_area_stiffness(double s, const FaceMesh& faces, const FaceRule& rule, const Vector& q, FaceStiffness of,
                        TangentBuilder& T) {
  const auto set = [&](std::size_t f, auto& m) {
    set_block(area_stiffness(s, faces.face(f), rule, q, of), faces.face(f), m);
  };
  if (node_count(faces.kind) > 4)
    T.add_stiffness<LargeNodeMatrix>(faces.count(), [&](std::size_t f, LargeNodeMatrix& m) { set(f, m); });
  else
    T.add_stiffness(faces.count(), [&](std::size_t f, NodeMatrix& m) { set(f, m); });
}

void add_face_couplings(const FaceMesh& faces, Couplings& pairs) {
  for (std::size_t f = 0; f < faces.count(); ++f)
    for (const int a : faces.face(f))
      for (const int b : faces.face(f)) pairs.emplace_back(a, b);
}

}  // namespace limber
