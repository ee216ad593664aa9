#include "limber/force/mean_energy.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/force/reference_element.hpp"
#include "limber/material/invariants.hpp"

namespace limber {
namespace {

// [ns] Of an element or a node.
constexpr double mean_cost = 1000;

/// Sums at nodes of what elements have at theirs, in the order of the elements.
class NodeSums {
 public:
  /// nodes: of the state, of one element after the other.
  explicit NodeSums(const std::vector<int>& nodes) {
    std::map<int, std::vector<int>> places;
    for (std::size_t k = 0; k < nodes.size(); ++k) places[nodes[k]].push_back(static_cast<int>(k));
    for (auto& [node, list] : places) {
      nodes_.push_back(node);
      places_.push_back(std::move(list));
    }
  }
  void add(const std::vector<Vec3>& values, Vector& y) const {
    constexpr double cost = 100;
    in_pieces(
        nodes_.size(), 256,
        [&](std::size_t i) {
          for (const int k : places_[i]) y.segment<3>(3 * nodes_[i]) += values[ix(k)];
        },
        cost);
  }

 private:
  std::vector<int> nodes_;                // ascending
  std::vector<std::vector<int>> places_;  // of each
};

/// Σ x_a g_aᵀ
Mat3 gradient_of(const Vector& x, std::span<const int> nodes, std::span<const Vec3> g) {
  Mat3 F = Mat3::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) F += x.segment<3>(3 * nodes[a]) * g[a].transpose();
  return F;
}

/// The gradients of an element's nodes and the volume that belongs to each point.
struct PointGradients {
  explicit PointGradients(const ElementMesh& mesh) : mesh_(mesh), rule_(energy_rule(mesh.kind, sides(mesh))) {
    for (Index p = 0; p < rule_.weights.size(); ++p)
      reference_.push_back(shape_gradients(mesh.kind, rule_.points.row(p)));
  }
  std::size_t points() const { return reference_.size(); }
  /// Appends those of element e at a point, and gives the volume [m³].
  double append(std::size_t e, std::size_t point, std::vector<Vec3>& gradients) const {
    const auto own = mesh_.element(e);
    Matrix X(static_cast<Index>(own.size()), 3);
    for (std::size_t a = 0; a < own.size(); ++a) X.row(static_cast<Index>(a)) = mesh_.nodes[ix(own[a])].transpose();
    const Mat3 map = X.transpose() * reference_[point];  // ∂X/∂ξ
    const Matrix g = reference_[point] * map.inverse();
    for (Index a = 0; a < g.rows(); ++a) gradients.emplace_back(g.row(a).transpose());
    return rule_.weights[static_cast<Index>(point)] * std::abs(map.determinant());
  }

 private:
  const ElementMesh& mesh_;
  Quadrature rule_;
  std::vector<Matrix> reference_;
};

// ------------------------------------------------------------------------------------------- mean change of volume

struct VolumeResponse {
  double U, first, second;
};

VolumeResponse response(Volumetric form, double J) {
  if (form == Volumetric::quadratic) return {.5 * (J - 1) * (J - 1), J - 1, 1};
  const double ln = std::log(J);
  return {.5 * ln * ln, ln / J, (1 - ln) / (J * J)};
}

/// ψ = p J: its tangent is that of p v, and its positive part.
struct PressureTerm : InvariantMaterial<PressureTerm, 0> {
  double p = 0;
  template <class T>
  InvariantDerivatives<T> derivatives(const Invariants<T>&) const {
    InvariantDerivatives<T> d{};
    d.J = p;
    return d;
  }
};

Mat3 cofactors(const Mat3& F) {
  Mat3 C;
  C << F.col(1).cross(F.col(2)), F.col(2).cross(F.col(0)), F.col(0).cross(F.col(1));
  return C;
}

/// A += the blocks of one point.
template <class Tangent>
void add_blocks(const Tangent& tangent, std::span<const Vec3> g, Matrix& A) {
  std::vector<typename Tangent::Contraction> contracted;
  for (const Vec3& a : g) contracted.push_back(tangent.contract({a[0], a[1], a[2]}));
  for (std::size_t a = 0; a < g.size(); ++a)
    for (std::size_t b = 0; b < g.size(); ++b) {
      const M3<double> K = tangent.block(contracted[a], contracted[b]);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) A(3 * static_cast<Index>(a) + r, 3 * static_cast<Index>(b) + c) += K(r, c);
    }
}

class MeanDilatation final : public MeanEnergy {
 public:
  explicit MeanDilatation(const MeanShares& s) : n_(static_cast<std::size_t>(node_count(s.mesh.kind))) {
    const PointGradients points(s.mesh);
    points_ = points.points();
    for (std::size_t e = 0; e < s.mesh.count(); ++e) {
      if (!s.takes_part(s.material_of[e])) continue;
      const std::size_t m = ix(s.material_of[e]);
      Element element{0, s.bulk[m], volumetric(s.materials[m])};
      for (std::size_t p = 0; p < points_; ++p) {
        weights_.push_back(points.append(e, p, gradients_));
        element.volume += weights_.back();
      }
      elements_.push_back(element);
      numbers_.push_back(e);
      for (const int node : s.mesh.element(e)) nodes_.push_back(s.first_node + node);
    }
    sums_.emplace(nodes_);
  }

  void add_couplings(Couplings&) const override {}  // within elements, which are coupled

  double energy(const Vector& q) const override {
    return ordered_sum(
        static_cast<Index>(elements_.size()),
        [&](Index i) {
          const auto e = static_cast<std::size_t>(i);
          return elements_[e].bulk * elements_[e].volume * response(elements_[e].form, mean(e, q)).U;
        },
        mean_cost);
  }

  void add_force(const Vector& q, Vector& f) const override {
    std::vector<Vec3> at_nodes(nodes_.size());
    for_elements([&](std::size_t e) {
      const Volume v = volume(e, q);
      for (std::size_t a = 0; a < n_; ++a) at_nodes[e * n_ + a] = -v.pressure * v.gradient[a];
    });
    sums_->add(at_nodes, f);
  }

  void add_tangent(const Vector& q, TangentBuilder& T) const override {
    const bool projected = T.projected();
    T.add_stiffness<LargeNodeMatrix>(elements_.size(), [&](std::size_t e, LargeNodeMatrix& m) {
      const Volume v = volume(e, q);
      m.resize(n_);
      std::copy(nodes(e).begin(), nodes(e).end(), m.nodes.begin());
      const Eigen::Map<const Vector> g(v.gradient[0].data(), 3 * static_cast<Index>(n_));
      m.A.noalias() = (projected ? std::max(v.stiffness, 0.0) : v.stiffness) * g * g.transpose();
      PressureTerm term;
      term.p = v.pressure;
      for (std::size_t p = 0; p < points_; ++p) {
        M3<double> Fp;
        const Mat3 deformation = F(e, p, q);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) Fp(r, c) = deformation(r, c);
        if (projected)
          add_blocks(term.tangent_psd(Fp, weight(e, p)), gradients(e, p), m.A);
        else
          add_blocks(term.tangent(Fp, weight(e, p)), gradients(e, p), m.A);
      }
    });
  }

  void add_product(const Vector& q, const Vector& x, Vector& y) const override {
    std::vector<Vec3> at_nodes(nodes_.size());
    for_elements([&](std::size_t e) {
      const Volume v = volume(e, q);
      double change = 0;
      for (std::size_t a = 0; a < n_; ++a) change += v.gradient[a].dot(x.segment<3>(3 * nodes(e)[a]));
      for (std::size_t a = 0; a < n_; ++a) at_nodes[e * n_ + a] = v.stiffness * change * v.gradient[a];
      for (std::size_t p = 0; p < points_; ++p) {
        const Mat3 Fp = F(e, p, q), dF = F(e, p, x);
        const Mat3 dC = cofactors(Fp + dF) - cofactors(Fp) - cofactors(dF);  // along dF: cof is quadratic
        for (std::size_t a = 0; a < n_; ++a)
          at_nodes[e * n_ + a] += v.pressure * weight(e, p) * (dC * gradients(e, p)[a]);
      }
    });
    sums_->add(at_nodes, y);
  }

  void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const override {
    for_elements([&](std::size_t e) {
      sigma[numbers_[e]] += volume(e, q).pressure * Mat3::Identity();
      psi[numbers_[e]] += elements_[e].bulk * response(elements_[e].form, mean(e, q)).U;
    });
  }

 private:
  struct Element {
    double volume, bulk;  // V [m³], κ [Pa]
    Volumetric form;
  };
  struct Volume {
    std::array<Vec3, 10> gradient;  // ∇v [m²]
    double pressure, stiffness;     // κ U' [Pa], κ U''/V [Pa/m³]
  };

  template <class Visit>
  void for_elements(const Visit& visit) const {
    in_pieces(elements_.size(), 16, visit, mean_cost);
  }
  /// v/V
  double mean(std::size_t e, const Vector& q) const {
    double v = 0;
    for (std::size_t p = 0; p < points_; ++p) v += weight(e, p) * F(e, p, q).determinant();
    return v / elements_[e].volume;
  }
  Volume volume(std::size_t e, const Vector& q) const {
    Volume v;
    v.gradient.fill(Vec3::Zero());
    double sum = 0;
    for (std::size_t p = 0; p < points_; ++p) {
      const Mat3 Fp = F(e, p, q), C = cofactors(Fp);
      sum += weight(e, p) * Fp.col(0).dot(C.col(0));
      for (std::size_t a = 0; a < n_; ++a) v.gradient[a] += weight(e, p) * (C * gradients(e, p)[a]);
    }
    const Element& element = elements_[e];
    const VolumeResponse r = response(element.form, sum / element.volume);
    v.pressure = element.bulk * r.first;
    v.stiffness = element.bulk * r.second / element.volume;
    return v;
  }
  Mat3 F(std::size_t e, std::size_t point, const Vector& q) const {
    return gradient_of(q, nodes(e), gradients(e, point));
  }
  double weight(std::size_t e, std::size_t point) const { return weights_[e * points_ + point]; }
  std::span<const int> nodes(std::size_t e) const { return {nodes_.data() + e * n_, n_}; }
  std::span<const Vec3> gradients(std::size_t e, std::size_t point) const {
    return {gradients_.data() + (e * points_ + point) * n_, n_};
  }

  std::size_t n_, points_ = 0;
  std::vector<Element> elements_;
  std::vector<std::size_t> numbers_;  // in the mesh
  std::vector<int> nodes_;            // #E × n, of the state
  std::vector<Vec3> gradients_;       // #E × points × n [1/m]
  std::vector<double> weights_;       // #E × points [m³]
  std::optional<NodeSums> sums_;
};

// ------------------------------------------------------------------------------------------- mean strain around nodes

class NodalStrain final : public MeanEnergy {
 public:
  explicit NodalStrain(const MeanShares& s) {
    for (std::size_t m = 0; m < s.materials.size(); ++m)  // so that both parts together have all of κ
      materials_.push_back(softened(s.materials[m], -s.bulk[m] / (1 - nodal_rest)));
    std::map<std::pair<int, int>, Patch> patches;  // by group and node
    const PointGradients points(s.mesh);
    for (std::size_t e = 0; e < s.mesh.count(); ++e) {
      const int m = s.material_of[e];
      if (!s.takes_part(m)) continue;
      std::vector<Vec3> g;
      const double quarter = points.append(e, 0, g) / 4;
      const Element element{e, m, s.group[ix(m)]};
      elements_.push_back(element);
      for (const int node : s.mesh.element(e)) {
        Patch& patch = patches[{element.group, node}];
        patch.volume += quarter;
        patch.materials[m] += quarter;
        for (std::size_t a = 0; a < 4; ++a) {
          const auto at = patch.gradients.emplace(s.first_node + s.mesh.element(e)[a], Vec3::Zero()).first;
          at->second += quarter * g[a];
        }
      }
    }
    std::map<std::pair<int, int>, int> numbers;
    for (const auto& [key, patch] : patches) {
      numbers.emplace(key, static_cast<int>(numbers.size()));
      for (const auto& [m, volume] : patch.materials) parts_.push_back({m, (1 - nodal_rest) * volume});
      for (const auto& [node, g] : patch.gradients) {
        nodes_.push_back(node);
        gradients_.push_back(g / patch.volume);
      }
      first_part_.push_back(parts_.size());
      first_node_.push_back(nodes_.size());
    }
    for (Element& element : elements_)
      for (std::size_t a = 0; a < 4; ++a)
        element.corners[a] = numbers.at({element.group, s.mesh.element(element.number)[a]});
    sums_.emplace(nodes_);
  }

  void add_couplings(Couplings& pairs) const override {
    for (std::size_t i = 0; i < count(); ++i)
      for (std::size_t a = 0; a < nodes(i).size(); ++a)
        for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(nodes(i)[a], nodes(i)[b]);
  }

  double energy(const Vector& q) const override {
    return ordered_sum(
        static_cast<Index>(count()),
        [&](Index k) {
          const auto i = static_cast<std::size_t>(k);
          double W = 0;
          for (const Part& part : parts(i)) W += part.volume * limber::energy(materials_[ix(part.material)], F(i, q));
          return W;
        },
        mean_cost);
  }

  void add_force(const Vector& q, Vector& f) const override {
    std::vector<Vec3> at_nodes(nodes_.size());
    for_nodes([&](std::size_t i) {
      Mat3 P = Mat3::Zero();
      for (const Part& part : parts(i)) P += part.volume * stress(materials_[ix(part.material)], F(i, q));
      for (std::size_t a = 0; a < nodes(i).size(); ++a) at_nodes[first_node_[i] + a] = -P * gradients(i)[a];
    });
    sums_->add(at_nodes, f);
  }

  void add_tangent(const Vector& q, TangentBuilder& T) const override {
    const bool projected = T.projected();
    constexpr std::size_t piece = 2048;  // the matrices are large
    for (std::size_t first = 0; first < count(); first += piece)
      T.add_stiffness<LargeNodeMatrix>(std::min(piece, count() - first), [&](std::size_t k, LargeNodeMatrix& m) {
        const std::size_t i = first + k, n = nodes(i).size();
        m.resize(n);
        std::copy(nodes(i).begin(), nodes(i).end(), m.nodes.begin());
        Matrix B = Matrix::Zero(9, 3 * static_cast<Index>(n));  // ∂vec(F)/∂q
        for (std::size_t a = 0; a < n; ++a)
          for (int j = 0; j < 3; ++j)
            for (int r = 0; r < 3; ++r) B(3 * j + r, 3 * static_cast<Index>(a) + r) = gradients(i)[a][j];
        m.A.noalias() = B.transpose() * (hessian_at(i, q, projected) * B);
      });
  }

  void add_product(const Vector& q, const Vector& x, Vector& y) const override {
    std::vector<Vec3> at_nodes(nodes_.size());
    for_nodes([&](std::size_t i) {
      const Mat3 dF = F(i, x);
      Mat3 dP;
      Eigen::Map<Vector>(dP.data(), 9) = hessian_at(i, q, false) * Eigen::Map<const Vector>(dF.data(), 9);
      for (std::size_t a = 0; a < nodes(i).size(); ++a) at_nodes[first_node_[i] + a] = dP * gradients(i)[a];
    });
    sums_->add(at_nodes, y);
  }

  /// The mean of its corners.
  void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const override {
    in_pieces(
        elements_.size(), 16,
        [&](std::size_t e) {
          const Element& element = elements_[e];
          const AnyMaterial& m = materials_[ix(element.material)];
          for (const int i : element.corners) {
            const Mat3 Fi = F(ix(i), q);
            sigma[element.number] += (1 - nodal_rest) / (4 * Fi.determinant()) * stress(m, Fi) * Fi.transpose();
            psi[element.number] += (1 - nodal_rest) / 4 * limber::energy(m, Fi);
          }
        },
        mean_cost);
  }

 private:
  struct Element {
    std::size_t number;  // in the mesh
    int material, group;
    std::array<int, 4> corners{};  // as patches
  };
  struct Patch {
    double volume = 0;                // V [m³]
    std::map<int, double> materials;  // and its parts
    std::map<int, Vec3> gradients;    // times V
  };
  struct Part {
    int material;
    double volume;  // times 1 − nodal_rest
  };

  template <class Visit>
  void for_nodes(const Visit& visit) const {
    in_pieces(count(), 16, visit, mean_cost);
  }
  Matrix hessian_at(std::size_t i, const Vector& q, bool projected) const {
    const Mat3 Fi = F(i, q);
    Matrix H = Matrix::Zero(9, 9);
    for (const Part& part : parts(i)) {
      const AnyMaterial& m = materials_[ix(part.material)];
      H += part.volume * (projected ? hessian_psd(m, Fi) : hessian(m, Fi));
    }
    return H;
  }
  std::size_t count() const { return first_node_.size() - 1; }
  Mat3 F(std::size_t i, const Vector& q) const { return gradient_of(q, nodes(i), gradients(i)); }
  std::span<const int> nodes(std::size_t i) const {
    return {nodes_.data() + first_node_[i], first_node_[i + 1] - first_node_[i]};
  }
  std::span<const Vec3> gradients(std::size_t i) const {
    return {gradients_.data() + first_node_[i], first_node_[i + 1] - first_node_[i]};
  }
  std::span<const Part> parts(std::size_t i) const {
    return {parts_.data() + first_part_[i], first_part_[i + 1] - first_part_[i]};
  }

  std::vector<AnyMaterial> materials_;
  std::vector<Element> elements_;
  std::vector<std::size_t> first_part_{0}, first_node_{0};  // of each node's patch, and the end
  std::vector<Part> parts_;
  std::vector<int> nodes_;  // of the state
  std::vector<Vec3> gradients_;
  std::optional<NodeSums> sums_;
};

}  // namespace

std::unique_ptr<MeanEnergy> make_mean_energy(const MeanShares& s) {
  const bool any = std::any_of(s.material_of.begin(), s.material_of.end(), [&](int m) { return s.takes_part(m); });
  if (!any) return nullptr;
  if (s.mesh.kind == ElementKind::tet4) return std::make_unique<NodalStrain>(s);
  return std::make_unique<MeanDilatation>(s);
}

std::vector<double> own_parts(const MeanShares& s) {
  std::vector<double> parts;
  if (s.mesh.kind != ElementKind::tet4 || s.bulk.empty()) return parts;
  for (const int m : s.material_of) parts.push_back(s.takes_part(m) ? nodal_rest : 1);
  return parts;
}

}  // namespace limber
