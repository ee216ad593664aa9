#include "limber/force/surface_loads.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/reference_element.hpp"

namespace limber {
namespace {

constexpr std::size_t faces_a_piece = 128;
constexpr double face_cost = 100;  // [ns]

using FaceNodes = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 6>;  // one column each

/// The shape functions at the points of integration.
struct FaceRule {
  struct Point {
    Eigen::VectorXd N, first, second;  // #n: N_a, ∂N_a/∂ξ₁, ∂N_a/∂ξ₂
    double weight;
  };
  std::vector<Point> points;

  explicit FaceRule(FaceKind kind) {
    const Quadrature rule = surface_rule(kind);
    for (Index q = 0; q < rule.weights.size(); ++q) {
      const Eigen::Vector2d xi = rule.points.row(q);
      const Matrix G = shape_gradients(kind, xi);
      points.push_back({shape_values(kind, xi), G.col(0), G.col(1), rule.weights[q]});
    }
  }
};

FaceNodes nodes_of(std::span<const int> face, const Vector& q) {
  FaceNodes x(3, static_cast<Index>(face.size()));
  for (std::size_t k = 0; k < face.size(); ++k) x.col(static_cast<Index>(k)) = block(q, face[k]);
  return x;
}

Mat3 cross_with(const Vec3& a) {
  Mat3 A;
  A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return A;
}

/// ⅓ ∫ (x − o) · c over all faces [m³].
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

Vec3 some_point(const FaceMesh& faces, const Vector& q) {
  return faces.nodes.empty() ? Vec3(0, 0, 0) : point(q, faces.nodes.front());
}

class Traction final : public Force {
 public:
  Traction(const FaceMesh& faces, const Vector& rest, TimeFunction<Vec3> traction) : traction_(std::move(traction)) {
    const FaceRule rule(faces.kind);
    std::vector<std::pair<int, double>> shares;
    for (std::size_t f = 0; f < faces.count(); ++f) {
      const auto face = faces.face(f);
      const FaceNodes x = nodes_of(face, rest);
      Vector area = Vector::Zero(x.cols());
      for (const auto& p : rule.points) area += p.weight * Vec3(x * p.first).cross(Vec3(x * p.second)).norm() * p.N;
      for (std::size_t k = 0; k < face.size(); ++k) shares.emplace_back(face[k], area[static_cast<Index>(k)]);
    }
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [node, area] : shares) {
      if (loaded_.empty() || loaded_.back().node != node) loaded_.push_back({node, 0, block(rest, node)});
      loaded_.back().area += area;
    }
  }

  ForceTraits traits() const override { return {.time_dependent = !traction_.is_constant()}; }
  void add_couplings(Couplings& pairs) const override {
    for (const Loaded& l : loaded_) pairs.emplace_back(l.node, l.node);
  }
  void add_force(const State& u, Vector& f) const override {
    const Vec3 T = traction_(u.t);
    for (const Loaded& l : loaded_) block(f, l.node) += l.area * T;
  }
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State& u) const override {
    Vec3 sum = Vec3::Zero();
    for (const Loaded& l : loaded_) sum += l.area * (block(u.q, l.node) - l.rest);
    return Potentials{.stored = -traction_(u.t).dot(sum)};
  }

 private:
  struct Loaded {
    int node;
    double area;  // ∫ N_a dA [m²]
    Vec3 rest;
  };
  std::vector<Loaded> loaded_;
  TimeFunction<Vec3> traction_;
};

class Pressure final : public Force {
 public:
  Pressure(FaceMesh faces, const Vector& rest, TimeFunction<double> pressure, std::vector<int> fixed)
      : faces_(std::move(faces)),
        rule_(faces_.kind),
        pressure_(std::move(pressure)),
        origin_(some_point(faces_, rest)),
        rest_volume_(volume_from(origin_, faces_, rule_, rest)) {
    std::sort(fixed.begin(), fixed.end());
    const auto stays = [&](int node) { return node < 0 || std::binary_search(fixed.begin(), fixed.end(), node); };
    const auto open = rim(faces_);
    conservative_ = std::all_of(open.begin(), open.end(),
                                [&](const RimEdge& e) { return stays(e.from) && stays(e.to) && stays(e.middle); });
  }

  ForceTraits traits() const override {
    return {.symmetric = conservative_, .has_potential = conservative_, .time_dependent = !pressure_.is_constant()};
  }
  void add_couplings(Couplings& pairs) const override {
    for (std::size_t f = 0; f < faces_.count(); ++f)
      for (const int a : faces_.face(f))
        for (const int b : faces_.face(f)) pairs.emplace_back(a, b);
  }

  void add_force(const State& u, Vector& f) const override {
    const double p = pressure_(u.t);
    std::vector<FaceNodes> parts(faces_.count());
    in_pieces(
        parts.size(), faces_a_piece,
        [&](std::size_t k) {
          const FaceNodes x = nodes_of(faces_.face(k), u.q);
          parts[k].setZero(3, x.cols());
          for (const auto& at : rule_.points)
            parts[k] -= p * at.weight * Vec3(x * at.first).cross(Vec3(x * at.second)) * at.N.transpose();
        },
        face_cost);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto face = faces_.face(k);
      for (std::size_t a = 0; a < face.size(); ++a) block(f, face[a]) += parts[k].col(static_cast<Index>(a));
    }
  }

  void add_tangent(const State& u, TangentBuilder& T) const override {
    if (T.projected()) return;  // it is of either sign
    if (faces_.kind == FaceKind::tri6)
      T.add_stiffness<LargeNodeMatrix>(faces_.count(), [&](std::size_t f, LargeNodeMatrix& m) { stiffness(f, u, m); });
    else
      T.add_stiffness(faces_.count(), [&](std::size_t f, NodeMatrix& m) { stiffness(f, u, m); });
  }

  std::optional<Potentials> potentials(const State& u) const override {
    if (!conservative_) return std::nullopt;
    return Potentials{.stored = pressure_(u.t) * (volume_from(origin_, faces_, rule_, u.q) - rest_volume_)};
  }

 private:
  /// Where the sum is symmetric, it is that of the symmetric parts.
  template <class Block>
  void stiffness(std::size_t f, const State& u, Block& m) const {
    const auto face = faces_.face(f);
    const auto n = static_cast<Index>(face.size());
    m.resize(face.size());
    std::copy(face.begin(), face.end(), m.nodes.begin());
    const FaceNodes x = nodes_of(face, u.q);
    const double p = pressure_(u.t);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 18, 18> K;
    K.setZero(3 * n, 3 * n);
    for (const auto& at : rule_.points) {
      const Mat3 one = p * at.weight * cross_with(x * at.first), other = p * at.weight * cross_with(x * at.second);
      for (Index b = 0; b < n; ++b) {
        const Mat3 column = at.second[b] * one - at.first[b] * other;
        for (Index a = 0; a < n; ++a) K.template block<3, 3>(3 * a, 3 * b) += at.N[a] * column;
      }
    }
    if (conservative_) K = (.5 * (K + K.transpose())).eval();
    m.A.topLeftCorner(3 * n, 3 * n) = K;
  }

  FaceMesh faces_;
  FaceRule rule_;
  TimeFunction<double> pressure_;
  Vec3 origin_;         // [m]
  double rest_volume_;  // V₀ [m³]
  bool conservative_ = false;
};

}  // namespace

std::shared_ptr<Force> make_traction(const FaceMesh& faces, const Vector& rest, TimeFunction<Vec3> traction) {
  return std::make_shared<Traction>(faces, rest, std::move(traction));
}

std::shared_ptr<Force> make_pressure(FaceMesh faces, const Vector& rest, TimeFunction<double> pressure,
                                     std::vector<int> fixed) {
  return std::make_shared<Pressure>(std::move(faces), rest, std::move(pressure), std::move(fixed));
}

double enclosed_volume(const FaceMesh& faces, const Vector& q) {
  return volume_from(some_point(faces, q), faces, FaceRule(faces.kind), q);
}

}  // namespace limber
