#include "limber/force/mean_energy.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/force/point_gradients.hpp"
#include "limber/force/turned.hpp"
#include "limber/material/invariants.hpp"
#include "limber/mesh/element_type.hpp"
#include "limber/mesh/tet_patches.hpp"

namespace limber {
namespace {

// [ns] Of a patch or an edge.
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

void add_all_pairs(std::span<const int> nodes, Couplings& pairs) {
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(nodes[a], nodes[b]);
}

/// The matrices that make(i, m) makes, not all at a time.
template <class Make>
void add_matrices(std::size_t count, const Make& make, TangentBuilder& T) {
  constexpr std::size_t piece = 2048;
  for (std::size_t first = 0; first < count; first += piece)
    T.add_stiffness<LargeNodeMatrix>(std::min(piece, count - first),
                                     [&](std::size_t k, LargeNodeMatrix& m) { make(first + k, m); });
}

/// Σ x_a g_aᵀ
Mat3 gradient_of(const Vector& x, std::span<const int> nodes, std::span<const Vec3> g) {
  Mat3 F = Mat3::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) F += x.segment<3>(3 * nodes[a]) * g[a].transpose();
  return F;
}

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

M3<double> plain(const Mat3& F) {
  M3<double> A;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) A(r, c) = F(r, c);
  return A;
}

/// That of F when it has moved on for dt.
Mat3 rotation(const Mat3& F, const Mat3& rate, double dt) {
  const M3<double> R = polar(moved_on(plain(F), plain(rate), dt)).R;
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.m);
}

Mat3 cofactors(const Mat3& F) {
  Mat3 C;
  C << F.col(1).cross(F.col(2)), F.col(2).cross(F.col(0)), F.col(0).cross(F.col(1));
  return C;
}

/// A += the blocks of one point, whose nodes have these places in A.
template <class Tangent>
void add_blocks(const Tangent& tangent, std::span<const Vec3> g, std::span<const int> places, Matrix& A) {
  std::vector<typename Tangent::Contraction> contracted;
  for (const Vec3& a : g) contracted.push_back(tangent.contract({a[0], a[1], a[2]}));
  for (std::size_t a = 0; a < g.size(); ++a)
    for (std::size_t b = 0; b < g.size(); ++b) {
      const M3<double> K = tangent.block(contracted[a], contracted[b]);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) A(3 * places[a] + r, 3 * places[b] + c) += K(r, c);
    }
}

/// The elements of a patch share one mean. Points are the quadrature points of its elements.
class MeanDilatation final : public MeanEnergy {
 public:
  /// patch_of: #E, −1 where an element takes no part.
  MeanDilatation(const MeanShares& s, const std::vector<int>& patch_of)
      : n_(static_cast<std::size_t>(node_count(s.mesh.kind))) {
    std::vector<std::vector<std::size_t>> elements;
    for (std::size_t e = 0; e < s.mesh.count(); ++e) {
      if (patch_of[e] < 0) continue;
      if (elements.size() <= ix(patch_of[e])) elements.resize(ix(patch_of[e]) + 1);
      elements[ix(patch_of[e])].push_back(e);
    }
    const PointGradients points(s.mesh);
    for (const auto& list : elements) {
      Patch patch{.form = volumetric(s.materials[ix(s.material_of[list.front()])]),
                  .first_element = numbers_.size(),
                  .first_point = weights_.size(),
                  .first_node = nodes_.size()};
      double resistance = 0;  // κ V
      for (const std::size_t e : list) {
        numbers_.push_back(e);
        for (std::size_t p = 0; p < points.points(); ++p) {
          weights_.push_back(points.append(e, p, gradients_));
          patch.volume += weights_.back();
          resistance += s.bulk[ix(s.material_of[e])] * weights_.back();
          for (const int node : s.mesh.element(e)) places_.push_back(place(patch.first_node, s.first_node + node));
        }
      }
      patch.bulk = resistance / patch.volume;
      patches_.push_back(patch);
    }
    patches_.push_back({.first_element = numbers_.size(), .first_point = weights_.size(), .first_node = nodes_.size()});
    sums_.emplace(nodes_);
  }

  void add_couplings(Couplings& pairs) const override {
    for (std::size_t i = 0; i < count(); ++i)
      if (patches_[i + 1].first_element - patches_[i].first_element > 1)  // those within elements are known
        add_all_pairs(nodes(i), pairs);
  }

  double energy(const Vector& q) const override {
    return ordered_sum(
        static_cast<Index>(count()),
        [&](Index k) {
          const auto i = static_cast<std::size_t>(k);
          return patches_[i].bulk * patches_[i].volume * response(patches_[i].form, mean(i, q)).U;
        },
        mean_cost);
  }

  void add_force(const Vector& q, Vector& f) const override {
    std::vector<Vec3> at_nodes(nodes_.size());
    for_patches([&](std::size_t i) {
      const Volume v = volume(i, q);
      for (std::size_t a = 0; a < v.gradient.size(); ++a)
        at_nodes[patches_[i].first_node + a] = -v.pressure * v.gradient[a];
    });
    sums_->add(at_nodes, f);
  }

  void add_tangent(const Vector& q, TangentBuilder& T) const override {
    const bool projected = T.projected();
    const auto make = [&](std::size_t i, LargeNodeMatrix& m) {
      const Volume v = volume(i, q);
      const std::size_t n = nodes(i).size();
      m.resize(n);
      std::copy(nodes(i).begin(), nodes(i).end(), m.nodes.begin());
      const Eigen::Map<const Vector> g(v.gradient[0].data(), 3 * static_cast<Index>(n));
      m.A.noalias() = (projected ? std::max(v.stiffness, 0.0) : v.stiffness) * g * g.transpose();
      PressureTerm term;
      term.p = v.pressure;
      for_points(i, [&](std::size_t p, std::span<const int> at) {
        const M3<double> Fp = plain(F(i, p, q));
        if (projected)
          add_blocks(term.tangent_psd(Fp, weights_[p]), gradients(p), at, m.A);
        else
          add_blocks(term.tangent(Fp, weights_[p]), gradients(p), at, m.A);
      });
    };
    add_matrices(count(), make, T);
  }

  /// κ/V ∇v ∇vᵀ, with the rotation of F in the place of its cofactors.
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override {
    const auto make = [&](std::size_t i, LargeNodeMatrix& m) {
      const std::size_t n = nodes(i).size();
      m.resize(n);
      std::copy(nodes(i).begin(), nodes(i).end(), m.nodes.begin());
      Vector g = Vector::Zero(3 * static_cast<Index>(n));
      for_points(i, [&](std::size_t p, std::span<const int> at) {
        const Mat3 R = rotation(F(i, p, start.q), F(i, p, start.v), dt);
        for (std::size_t a = 0; a < n_; ++a) g.segment<3>(3 * at[a]) += weights_[p] * (R * gradients(p)[a]);
      });
      m.A.noalias() = patches_[i].bulk / patches_[i].volume * g * g.transpose();
    };
    add_matrices(count(), make, T);
  }

  void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const override {
    for_patches([&](std::size_t i) {
      const double pressure = volume(i, q).pressure, U = response(patches_[i].form, mean(i, q)).U;
      for (std::size_t k = patches_[i].first_element; k < patches_[i + 1].first_element; ++k) {
        sigma[numbers_[k]] += pressure * Mat3::Identity();
        psi[numbers_[k]] += patches_[i].bulk * U;
      }
    });
  }

 private:
  struct Patch {
    double volume = 0, bulk = 0;  // V [m³], κ [Pa]
    Volumetric form = Volumetric::none;
    std::size_t first_element, first_point, first_node;  // the next patch has the end
  };
  struct Volume {
    std::vector<Vec3> gradient;  // ∇v [m²]
    double pressure, stiffness;  // κ U' [Pa], κ U''/V [Pa/m³]
  };

  std::size_t count() const { return patches_.size() - 1; }
  template <class Visit>
  void for_patches(const Visit& visit) const {
    in_pieces(count(), 16, visit, mean_cost);
  }
  /// visit(point, the places of its nodes among those of the patch)
  template <class Visit>
  void for_points(std::size_t i, const Visit& visit) const {
    for (std::size_t p = patches_[i].first_point; p < patches_[i + 1].first_point; ++p)
      visit(p, std::span<const int>{places_.data() + p * n_, n_});
  }
  /// Of a node among those of the patch that is being made.
  int place(std::size_t first, int node) {
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find(begin, nodes_.end(), node) - begin;
    if (first + static_cast<std::size_t>(found) == nodes_.size()) nodes_.push_back(node);
    return static_cast<int>(found);
  }
  /// v/V
  double mean(std::size_t i, const Vector& q) const {
    double v = 0;
    for_points(i, [&](std::size_t p, std::span<const int>) { v += weights_[p] * F(i, p, q).determinant(); });
    return v / patches_[i].volume;
  }
  Volume volume(std::size_t i, const Vector& q) const {
    Volume v;
    v.gradient.assign(nodes(i).size(), Vec3::Zero());
    double sum = 0;
    for_points(i, [&](std::size_t p, std::span<const int> at) {
      const Mat3 Fp = F(i, p, q), C = cofactors(Fp);
      sum += weights_[p] * Fp.col(0).dot(C.col(0));
      for (std::size_t a = 0; a < n_; ++a) v.gradient[ix(at[a])] += weights_[p] * (C * gradients(p)[a]);
    });
    const Patch& patch = patches_[i];
    const VolumeResponse r = response(patch.form, sum / patch.volume);
    v.pressure = patch.bulk * r.first;
    v.stiffness = patch.bulk * r.second / patch.volume;
    return v;
  }
  Mat3 F(std::size_t i, std::size_t point, const Vector& q) const {
    Mat3 sum = Mat3::Zero();
    for (std::size_t a = 0; a < n_; ++a)
      sum += q.segment<3>(3 * nodes(i)[ix(places_[point * n_ + a])]) * gradients(point)[a].transpose();
    return sum;
  }
  std::span<const int> nodes(std::size_t i) const {
    return {nodes_.data() + patches_[i].first_node, patches_[i + 1].first_node - patches_[i].first_node};
  }
  std::span<const Vec3> gradients(std::size_t point) const { return {gradients_.data() + point * n_, n_}; }

  std::size_t n_;                     // nodes of an element
  std::vector<Patch> patches_;        // and the end
  std::vector<std::size_t> numbers_;  // of the elements in the mesh
  std::vector<int> nodes_;            // of the state, of each patch
  std::vector<int> places_;           // #points × n, among the nodes of the patch
  std::vector<Vec3> gradients_;       // #points × n [1/m]
  std::vector<double> weights_;       // #points [m³]
  std::optional<NodeSums> sums_;
};

// ------------------------------------------------------------------------------------------- mean strain around edges

class EdgeStrain final : public MeanEnergy {
 public:
  explicit EdgeStrain(const MeanShares& s) : materials_(s.materials) {
    for (const AnyMaterial& m : materials_) moduli_.push_back(rest_moduli(m));
    std::map<Edge, Around> edges;
    const PointGradients points(s.mesh);
    for (std::size_t e = 0; e < s.mesh.count(); ++e) {
      const int m = s.material_of[e];
      if (!s.takes_part(m)) continue;
      std::vector<Vec3> g;
      const double sixth = points.append(e, 0, g) / 6;
      elements_.push_back({e, m});
      for (const Edge& edge : edges_of(s, e)) {
        Around& around = edges[edge];
        around.volume += sixth;
        around.materials[m] += sixth;
        for (std::size_t a = 0; a < 4; ++a) {
          const auto at = around.gradients.emplace(s.first_node + s.mesh.element(e)[a], Vec3::Zero()).first;
          at->second += sixth * g[a];
        }
      }
    }
    std::map<Edge, int> numbers;
    for (const auto& [edge, around] : edges) {
      numbers.emplace(edge, static_cast<int>(numbers.size()));
      for (const auto& [m, volume] : around.materials) parts_.push_back({m, (1 - elements_own) * volume});
      for (const auto& [node, g] : around.gradients) {
        nodes_.push_back(node);
        gradients_.push_back(g / around.volume);
      }
      first_part_.push_back(parts_.size());
      first_node_.push_back(nodes_.size());
    }
    for (Element& element : elements_) {
      const auto own = edges_of(s, element.number);
      for (std::size_t k = 0; k < own.size(); ++k) element.edges[k] = numbers.at(own[k]);
    }
    sums_.emplace(nodes_);
  }

  void add_couplings(Couplings& pairs) const override {
    for (std::size_t i = 0; i < count(); ++i) add_all_pairs(nodes(i), pairs);
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
    for_edges([&](std::size_t i) {
      Mat3 P = Mat3::Zero();
      for (const Part& part : parts(i)) P += part.volume * stress(materials_[ix(part.material)], F(i, q));
      for (std::size_t a = 0; a < nodes(i).size(); ++a) at_nodes[first_node_[i] + a] = -P * gradients(i)[a];
    });
    sums_->add(at_nodes, f);
  }

  void add_tangent(const Vector& q, TangentBuilder& T) const override {
    const bool projected = T.projected();
    add_hessians([&](std::size_t i) { return hessian_at(i, q, projected); }, T);
  }

  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override {
    add_hessians(
        [&](std::size_t i) {
          const M3<double> moved = moved_on(plain(F(i, start.q)), plain(F(i, start.v)), dt);
          double mu = 0, lambda = 0;
          for (const Part& part : parts(i)) {
            mu += part.volume * moduli_[ix(part.material)].mu;
            lambda += part.volume * moduli_[ix(part.material)].lambda;
          }
          const M9<double> H = turned_hessian(moved, mu, lambda);
          return Matrix(Eigen::Map<const Eigen::Matrix<double, 9, 9>>(&H.m[0][0]));  // symmetric
        },
        T);
  }

  /// The mean of its edges.
  void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const override {
    in_pieces(
        elements_.size(), 16,
        [&](std::size_t e) {
          const Element& element = elements_[e];
          const AnyMaterial& m = materials_[ix(element.material)];
          for (const int i : element.edges) {
            const Mat3 Fi = F(ix(i), q);
            sigma[element.number] += (1 - elements_own) / (6 * Fi.determinant()) * stress(m, Fi) * Fi.transpose();
            psi[element.number] += (1 - elements_own) / 6 * limber::energy(m, Fi);
          }
        },
        mean_cost);
  }

 private:
  using Edge = std::array<int, 3>;  // group, its nodes
  struct Element {
    std::size_t number;  // in the mesh
    int material;
    std::array<int, 6> edges{};
  };
  struct Around {
    double volume = 0;                // V [m³]
    std::map<int, double> materials;  // and its parts
    std::map<int, Vec3> gradients;    // times V
  };
  struct Part {
    int material;
    double volume;  // times 1 − elements_own
  };

  static std::array<Edge, 6> edges_of(const MeanShares& s, std::size_t e) {
    std::array<Edge, 6> edges;
    for (std::size_t k = 0; k < 6; ++k) {
      const auto [a, b] = element_type(ElementKind::tet4).edges[k];
      const auto [low, high] = std::minmax(s.mesh.element(e)[ix(a)], s.mesh.element(e)[ix(b)]);
      edges[k] = {s.group[ix(s.material_of[e])], low, high};
    }
    return edges;
  }

  template <class Visit>
  void for_edges(const Visit& visit) const {
    in_pieces(count(), 16, visit, mean_cost);
  }
  /// K += those of the edges, of the second derivatives hessian(i) in F.
  template <class Hessian>
  void add_hessians(const Hessian& hessian, TangentBuilder& T) const {
    const auto make = [&](std::size_t i, LargeNodeMatrix& m) {
      const std::size_t n = nodes(i).size();
      m.resize(n);
      std::copy(nodes(i).begin(), nodes(i).end(), m.nodes.begin());
      const Matrix H = hessian(i);
      for (std::size_t b = 0; b < n; ++b) {
        Eigen::Matrix<double, 9, 3> by_b = gradients(i)[b][0] * H.leftCols<3>();  // ∂vec(P)/∂q_b
        for (int j = 1; j < 3; ++j) by_b += gradients(i)[b][j] * H.middleCols<3>(3 * j);
        for (std::size_t a = 0; a < n; ++a) {
          Mat3 K = gradients(i)[a][0] * by_b.topRows<3>();
          for (int j = 1; j < 3; ++j) K += gradients(i)[a][j] * by_b.middleRows<3>(3 * j);
          m.A.block<3, 3>(3 * static_cast<Index>(a), 3 * static_cast<Index>(b)) = K;
        }
      }
    };
    add_matrices(count(), make, T);
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
  std::vector<RestModuli> moduli_;  // of these
  std::vector<Element> elements_;
  std::vector<std::size_t> first_part_{0}, first_node_{0};  // of each edge, and the end
  std::vector<Part> parts_;
  std::vector<int> nodes_;  // of the state
  std::vector<Vec3> gradients_;
  std::optional<NodeSums> sums_;
};

// ------------------------------------------------------------------------------------------- both

class SumOfMeans final : public MeanEnergy {
 public:
  explicit SumOfMeans(std::vector<std::unique_ptr<MeanEnergy>> parts) : parts_(std::move(parts)) {}

  void add_couplings(Couplings& pairs) const override {
    for (const auto& p : parts_) p->add_couplings(pairs);
  }
  double energy(const Vector& q) const override {
    double W = 0;
    for (const auto& p : parts_) W += p->energy(q);
    return W;
  }
  void add_force(const Vector& q, Vector& f) const override {
    for (const auto& p : parts_) p->add_force(q, f);
  }
  void add_tangent(const Vector& q, TangentBuilder& T) const override {
    for (const auto& p : parts_) p->add_tangent(q, T);
  }
  void add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const override {
    for (const auto& p : parts_) p->add_turned_stiffness(start, dt, T);
  }
  void add_stress(const Vector& q, std::vector<Mat3>& sigma, std::vector<double>& psi) const override {
    for (const auto& p : parts_) p->add_stress(q, sigma, psi);
  }

 private:
  std::vector<std::unique_ptr<MeanEnergy>> parts_;
};

bool shear_on_edges(const MeanShares& s) { return s.mesh.kind == ElementKind::tet4 && s.shear == Shear::on_edges; }

}  // namespace

std::unique_ptr<MeanEnergy> make_mean_energy(const MeanShares& s) {
  std::vector<int> patch;  // of each element; first its group, −1: it takes no part
  for (const int m : s.material_of) patch.push_back(s.takes_part(m) ? s.group[ix(m)] : -1);
  if (std::all_of(patch.begin(), patch.end(), [](int g) { return g < 0; })) return nullptr;
  if (s.mesh.kind == ElementKind::tet4) {
    patch = compact_patches(s.mesh, patch);
  } else {
    for (int next = 0; int& p : patch)
      if (p >= 0) p = next++;
  }
  auto volumes = std::make_unique<MeanDilatation>(s, patch);
  if (!shear_on_edges(s)) return volumes;
  std::vector<std::unique_ptr<MeanEnergy>> both;
  both.push_back(std::make_unique<EdgeStrain>(s));
  both.push_back(std::move(volumes));
  return std::make_unique<SumOfMeans>(std::move(both));
}

std::vector<double> own_parts(const MeanShares& s) {
  std::vector<double> parts;
  const auto takes_part = [&](int m) { return s.takes_part(m); };
  if (!shear_on_edges(s) || std::none_of(s.material_of.begin(), s.material_of.end(), takes_part)) return parts;
  for (const int m : s.material_of) parts.push_back(takes_part(m) ? elements_own : 1);
  return parts;
}

}  // namespace limber
