#include "limber/scene/coarsen/equal_response.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/gradient/least_squares.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/scene/coarsen/element_products.hpp"

namespace limber {
namespace {

// Densities: what a mean square change of s by 1 counts beside a relative error of inertia; the bounds of s.
constexpr double density_prior = .03, least_density = .2;
// Moduli: weights of ln f, of the shapes and loads that grow from the centre, of uniform loads and the scene's own;
// p counts 1.
constexpr double weight_frequency = 30, weight_shape = 1, weight_uniform = 1;
constexpr Index spare_modes = 6;  // of the coarse body, among which those that stand for the fine ones are sought
constexpr int rounds = 6, evaluations_a_round = 12;
constexpr double same_lambda = 1e-3;  // relative: in ascending order
constexpr double near_lambda = 1.3;   // of the next to the one before: of one group

Vector element_row_sums(const LiveBody& body, MassForm mass) {
  const PlacedBody& p = body.placed;
  ElementMesh placed = p.shape.elements;
  placed.nodes = p.nodes;
  Vector sums = Vector::Zero(static_cast<Index>(p.nodes.size()));
  add_row_sums(element_masses(placed, 0, p.materials.density,
                              mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent),
               sums);
  return sums;
}

/// 3N × 6, about a point.
Matrix rigid_columns(const std::vector<Vec3>& nodes, const Vec3& centre) {
  Matrix R = Matrix::Zero(3 * static_cast<Index>(nodes.size()), 6);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (Index axis = 0; axis < 3; ++axis) {
      const Index row = 3 * static_cast<Index>(i);
      R(row + axis, axis) = 1;
      R.block<3, 1>(row, 3 + axis) = Vec3::Unit(axis).cross(nodes[i] - centre);
    }
  return R;
}

/// UᵀMU of the elements' mass, in pairs i ≤ j.
Matrix inertia_of(const LiveBody& body, MassForm mass, const Matrix& U) {
  const PlacedBody& p = body.placed;
  ElementMesh placed = p.shape.elements;
  placed.nodes = p.nodes;
  Matrix MU = Matrix::Zero(U.rows(), U.cols());
  for (const NodalMass& m : element_masses(placed, 0, p.materials.density,
                                           mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent)) {
    MU.middleRows<3>(3 * static_cast<Index>(m.a)) += m.m * U.middleRows<3>(3 * static_cast<Index>(m.b));
    if (m.a != m.b) MU.middleRows<3>(3 * static_cast<Index>(m.b)) += m.m * U.middleRows<3>(3 * static_cast<Index>(m.a));
  }
  return U.transpose() * MU;
}

Vector in_pairs(const Matrix& A) {
  Vector x(pair_count(A.cols()));
  for_pairs(A.cols(), [&](Index i, Index j, Index k) { x[k] = A(i, j); });
  return x;
}

Vector element_volumes(const LiveBody& body) {
  const PlacedBody& p = body.placed;
  const auto each = ix(pieces(p.shape.elements.kind));
  TetMesh placed = p.shape.mesh;
  placed.nodes = p.nodes;
  Vector v = Vector::Zero(static_cast<Index>(p.shape.elements.count()));
  for (std::size_t t = 0; t < placed.tets.size(); ++t) v[static_cast<Index>(t / each)] += signed_volume(placed, t);
  return v;
}

Matrix beside(const Matrix& A, const Matrix& B) {
  Matrix both(A.rows(), A.cols() + B.cols());
  both << A, B;
  return both;
}

/// s with the least ‖A s − b‖² + prior Σ w (s − 1)², H s = h and bounds. One variable after another that would leave
/// the bounds is held there.
Vector bounded_shares(const Matrix& A, const Vector& b, const Matrix& H, const Vector& h, const Vector& w) {
  const Index m = A.cols(), rows = A.rows(), hard = H.rows();
  constexpr double stiff = 1e3;
  Matrix all(rows + hard, m);
  all << A, stiff * H;
  Vector aim(rows + hard);
  aim << b, stiff * h;
  Vector s = Vector::Ones(m), held = Vector::Zero(m);
  for (int round = 0; round < 50; ++round) {
    Vector about = s;
    for (Index e = 0; e < m; ++e)
      if (held[e] == 0) about[e] = 1;
    const Vector free = (held.array() == 0).select(w.cwiseInverse(), Vector::Zero(m));
    Matrix G = all * free.asDiagonal() * all.transpose();
    G.diagonal().array() += density_prior;
    const Vector next = about + free.cwiseProduct(all.transpose() * Vector(G.ldlt().solve(aim - all * about)));
    bool inside = true;
    for (Index e = 0; e < m; ++e) {
      const double within = std::clamp(next[e], least_density, 1 / least_density);
      if (held[e] == 0 && within != next[e]) held[e] = 1, inside = false;
      s[e] = within;
    }
    if (inside) break;
  }
  // Exactly: what is left is far below the prior's part. A direction in which no element can be shifted stays as it is.
  const Vector free = (held.array() == 0).select(w.cwiseInverse(), Vector::Zero(m));
  const DenseEigen G = symmetric_eigen(H * free.asDiagonal() * H.transpose());
  Vector along = G.vectors.transpose() * (h - H * s);
  for (Index k = 0; k < hard; ++k) along[k] = G.values[k] > 1e-9 * G.values[hard - 1] ? along[k] / G.values[k] : 0;
  return s + free.cwiseProduct(H.transpose() * Vector(G.vectors * along));
}

/// Weights of the vectors whose works are compared: modes, uniform loads, loads that grow, own loads.
Vector vector_weights(Index modes, Index loads) {
  Vector w = Vector::Constant(modes + loads, weight_shape);
  w.segment(modes, 3).setConstant(weight_uniform);
  w.tail(loads - 12).setConstant(weight_uniform);
  return w;
}

/// The rotation Q = T (TᵀT)^(−½).
Matrix nearest_rotation(const Matrix& T) {
  const DenseEigen square = symmetric_eigen(T.transpose() * T);
  const Vector root = square.values.cwiseMax(1e-6 * square.values[square.values.size() - 1]).cwiseSqrt();
  return T * square.vectors * root.cwiseInverse().asDiagonal() * square.vectors.transpose();
}

/// What the coarse body does with other moduli, beside what the fine one does.
class ModulusFit {
 public:
  ModulusFit(const CoarseProblem& problem, const std::vector<double>& density, const FineResponse& fine)
      : fine_(fine), alone_(problem.alone) {
    set_cell_field(alone_, "density", density);
    set_cell_field(alone_, "young", problem.young);
    const RestBody start(alone_);
    const auto placed = placed_alone(alone_, start.model);
    const MassForm mass = alone_.bodies[0].mass;
    products_.emplace(placed->placed, mass);
    young_ = Eigen::Map<const Vector>(problem.young.data(), static_cast<Index>(problem.young.size()));
    const Vector v = element_volumes(*placed);
    by_volume_ = (v / v.sum()).cwiseSqrt();
    shapes_ = start.gather(problem.modes);
    Matrix loads = mass_loads(placed->placed.nodes, element_row_sums(*placed, mass), fine.centre, fine.reach);
    if (problem.loads.size() > 0) loads = beside(loads, problem.loads);
    mass_times_shapes_ = start.times_mass(shapes_);
    forces_ = beside(mass_times_shapes_, start.gather(loads));
    make_groups();
    make_targets();
  }

  Index elements() const { return young_.size(); }
  const Vector& by_volume() const { return by_volume_; }

  struct Answer {
    Vector residual;
    Matrix jacobian;  // by p
    Vector lambda;
    Matrix work;
  };

  Answer at(const Vector& p) {
    heed_interrupts();
    std::vector<double> young(static_cast<std::size_t>(elements()));
    for (Index e = 0; e < elements(); ++e) young[static_cast<std::size_t>(e)] = young_[e] * std::exp(p[e]);
    set_cell_field(alone_, "young", young);
    const RestBody body(alone_);
    const Matrix u = body.solve(fine_.shift, forces_);
    const MatchedModes modes = matched_modes(body, mass_times_shapes_, fine_);
    Answer a;
    a.work = forces_.transpose() * u;
    a.lambda = modes.lambda;
    const Index rows = frequency_rows(), pairs = pair_count(forces_.cols());
    a.residual.resize(rows + pairs);
    a.jacobian.resize(rows + pairs, elements());
    const Vector part = p.array().exp();
    add_frequencies(modes, body, part, a);
    const Matrix by_element = products_->stiffness(body.spread(u));
    for_pairs(forces_.cols(), [&](Index i, Index j, Index k) {
      a.residual[rows + k] = (a.work(i, j) - target_(i, j)) * scale_(i, j);
      a.jacobian.row(rows + k) = -scale_(i, j) * by_element.col(k).cwiseProduct(part).transpose();
    });
    return a;
  }

  const Matrix& target() const { return target_; }

 private:
  Index frequency_rows() const {
    Index rows = 0;
    for (const auto& [first, count] : groups_) rows += pair_count(count);
    return rows;
  }

  /// Modes whose frequencies are near each other turn into each other at the least change, so that each by itself has
  /// no useful derivative. A group of them has: B = Q ln(Λ) Qᵀ with Q the rotation nearest to φᵀMX is to be ln Λ of the
  /// fine body. dB = Q (D ∘ XᵀdK X) Qᵀ, where D_ij = (ln λᵢ − ln λⱼ)/(λᵢ − λⱼ), 1/λ where these are equal.
  void add_frequencies(const MatchedModes& modes, const RestBody& body, const Vector& part, Answer& a) const {
    Index row = 0;
    for (const auto& [first, count] : groups_) {
      const Matrix X = modes.X.middleCols(first, count);
      const Vector lambda = modes.lambda.segment(first, count), logs = lambda.array().log();
      const Matrix Q = nearest_rotation(mass_times_shapes_.middleCols(first, count).transpose() * X);
      Matrix change = products_->stiffness(body.spread(X));  // E × pairs
      for_pairs(count, [&](Index i, Index j, Index k) {
        const double gap = lambda[j] - lambda[i];
        const double slope = std::abs(gap) > 1e-6 * lambda[i] ? (logs[j] - logs[i]) / gap : 1 / lambda[i];
        change.col(k) = slope * change.col(k).cwiseProduct(part);
      });
      const Matrix B = Q * logs.asDiagonal() * Q.transpose();
      for_pairs(count, [&](Index r, Index c, Index) {
        Vector derivative = Vector::Zero(elements());
        for_pairs(count, [&](Index i, Index j, Index k) {
          const double twice = i == j ? Q(r, i) * Q(c, i) : Q(r, i) * Q(c, j) + Q(r, j) * Q(c, i);
          derivative += twice * change.col(k);
        });
        const double aim = r == c ? std::log(fine_.lambda[first + r]) : 0;
        a.residual[row] = weight_frequency * .5 * (B(r, c) - aim);
        a.jacobian.row(row++) = weight_frequency * .5 * derivative.transpose();
      });
    }
  }

  void make_groups() {
    for (Index first = 0, last = 0; first < fine_.lambda.size(); first = last) {
      last = first + 1;
      while (last < fine_.lambda.size() && fine_.lambda[last] < near_lambda * fine_.lambda[last - 1]) ++last;
      groups_.emplace_back(first, last - first);
    }
  }

  void make_targets() {
    const Index n = fine_.lambda.size(), loads = fine_.work.cols(), all = n + loads;
    const Vector shifted = fine_.lambda.array() + fine_.shift;
    const Matrix gram = shapes_.transpose() * mass_times_shapes_;
    target_ = Matrix::Zero(all, all);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) target_(i, j) = 2 * gram(i, j) / (shifted[i] + shifted[j]);
      target_.row(i).tail(loads) = fine_.work_of_mode.row(i) / shifted[i];
      target_.col(i).tail(loads) = target_.row(i).tail(loads).transpose();
    }
    target_.bottomRightCorner(loads, loads) = fine_.work;
    const Vector w = vector_weights(n, loads);
    const double most = fine_.work.diagonal().maxCoeff();
    Vector unit(all);
    for (Index i = 0; i < all; ++i) {
      const double size = i < n ? 1 / shifted[i] : fine_.work(i - n, i - n);
      unit[i] = i < n || size > 1e-9 * most ? w[i] / std::sqrt(size) : 0;  // 0: what the pins bear by themselves
    }
    scale_ = unit * unit.transpose();
  }

  const FineResponse& fine_;
  Scene alone_;
  std::optional<ElementProducts> products_;
  Vector young_, by_volume_;
  Matrix shapes_, mass_times_shapes_, forces_, target_, scale_;
  std::vector<std::pair<Index, Index>> groups_;  // of near frequencies: the first mode, and how many
};

/// What p may be made of: the derivatives of all residuals at p, and p itself. Orthonormal columns, by volume.
Matrix patterns(const Matrix& jacobian, const Vector& q, const Vector& by_volume) {
  Matrix J = jacobian * by_volume.cwiseInverse().asDiagonal();
  Matrix rows(J.rows() + 1, J.cols());
  rows << J, q.transpose() * (q.norm() > 0 ? J.rowwise().norm().maxCoeff() / q.norm() : 0);
  const DenseEigen gram = symmetric_eigen(rows * rows.transpose());
  const double most = gram.values[gram.values.size() - 1];
  Index first = 0;
  while (gram.values[first] < 1e-9 * most) ++first;
  const Index count = gram.values.size() - first;
  Matrix W = rows.transpose() * gram.vectors.rightCols(count);
  for (Index k = 0; k < count; ++k) W.col(k) /= std::sqrt(gram.values[first + k]);
  return W;
}

std::string largest_deviation(const Vector& lambda, const Vector& of_fine) {
  double most = 0;
  for (Index i = 0; i < lambda.size(); ++i) most = std::max(most, std::abs(std::sqrt(lambda[i] / of_fine[i]) - 1));
  return fmt::format("frequencies within {:.2g} %", 100 * most);
}

}  // namespace

FineResponse fine_response(const RestBody& fine, const LiveBody& placed, MassForm mass, int n, const Vector& loads) {
  FineResponse r;
  const ElasticModes modes = elastic_modes(fine, n);
  if (modes.lambda.size() < n)
    throw InputError("-n", fmt::format("{}: the body has {} elastic modes", n, modes.lambda.size()));
  r.lambda = modes.lambda;
  r.modes = fine.spread(modes.X);
  r.shift = modes.rigid > 0 ? modes.lambda[0] : 0;
  const std::vector<Vec3>& nodes = placed.placed.nodes;
  const Vector masses = element_row_sums(placed, mass);
  r.mass = masses.sum();
  r.centre = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i) r.centre += masses[static_cast<Index>(i)] / r.mass * nodes[i];
  for (const Vec3& x : nodes) r.reach = std::max(r.reach, (x - r.centre).norm());
  r.motions = beside(r.modes, rigid_columns(nodes, r.centre));
  r.modal_mass = inertia_of(placed, mass, r.motions);
  const Vector size = r.modal_mass.diagonal().cwiseSqrt();
  r.motions = r.motions * size.cwiseInverse().asDiagonal();
  r.modal_mass = size.cwiseInverse().asDiagonal() * r.modal_mass * size.cwiseInverse().asDiagonal();
  Matrix all = mass_loads(nodes, masses, r.centre, r.reach);
  if (loads.size() > 0) all = beside(all, loads);
  const Matrix f = fine.gather(all);
  r.work = f.transpose() * fine.solve(r.shift, f);
  r.work_of_mode = modes.X.transpose() * f;
  return r;
}

void set_cell_field(Scene& alone, const std::string& name, const std::vector<double>& values) {
  MeshSource& mesh = alone.bodies[0].mesh;
  if (auto* tets = std::get_if<TetMesh>(&mesh))
    tets->fields[name] = values;
  else
    std::get<HexMesh>(mesh).fields[name] = values;
}

std::vector<double> equal_densities(const CoarseProblem& problem, const FineResponse& fine) {
  Scene alone = problem.alone;
  set_cell_field(alone, "young", problem.young);
  set_cell_field(alone, "density", problem.density);
  const RestBody body(alone);
  const auto placed = placed_alone(alone, body.model);
  const MassForm mass = alone.bodies[0].mass;
  const ElementProducts products(placed->placed, mass);
  const Matrix A = products.mass(problem.motions).transpose();

  // Mass and first moments, from translations and what is linear: 1ᵀM 1 and 1ᵀM (x − centre) of one component.
  const std::vector<Vec3>& nodes = placed->placed.nodes;
  Matrix linear = Matrix::Zero(3 * static_cast<Index>(nodes.size()), 4);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    linear(3 * static_cast<Index>(i), 0) = 1;
    linear.block<1, 3>(3 * static_cast<Index>(i), 1) = (nodes[i] - fine.centre).transpose() / fine.reach;
  }
  const Matrix H = products.mass(linear).leftCols(4).transpose() / fine.mass;
  const Vector v = element_volumes(*placed);
  const Vector s = bounded_shares(A, in_pairs(fine.modal_mass), H, Vector::Unit(4, 0), v / v.sum());
  std::vector<double> density = problem.density;
  for (std::size_t e = 0; e < density.size(); ++e) density[e] *= s[static_cast<Index>(e)];
  return density;
}

std::vector<Index> matching_modes(const Matrix& common, const Vector& lambda) {
  const Index n = lambda.size();
  std::vector<std::pair<Index, Index>> pairs;  // (φ, x)
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < common.rows(); ++j) pairs.emplace_back(i, j);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto& a, const auto& b) { return common(a.second, a.first) > common(b.second, b.first); });
  std::vector<Index> match(static_cast<std::size_t>(n), -1);
  std::vector<char> taken(static_cast<std::size_t>(common.rows()), 0);
  for (const auto& [i, j] : pairs)
    if (match[static_cast<std::size_t>(i)] < 0 && !taken[static_cast<std::size_t>(j)])
      match[static_cast<std::size_t>(i)] = j, taken[static_cast<std::size_t>(j)] = 1;
  for (Index first = 0, last = 0; first < n; first = last) {
    last = first + 1;
    while (last < n && lambda[last] - lambda[last - 1] < same_lambda * lambda[last]) ++last;
    std::sort(match.begin() + first, match.begin() + last);
  }
  return match;
}

MatchedModes matched_modes(const RestBody& coarse, const Matrix& mass_times_shapes, const FineResponse& fine) {
  const ElasticModes modes = elastic_modes(coarse, fine.lambda.size() + spare_modes);
  const std::vector<Index> match = matching_modes((modes.X.transpose() * mass_times_shapes).cwiseAbs2(), fine.lambda);
  MatchedModes matched{Vector(fine.lambda.size()), Matrix(modes.X.rows(), fine.lambda.size())};
  for (Index i = 0; i < fine.lambda.size(); ++i) {
    matched.lambda[i] = modes.lambda[match[static_cast<std::size_t>(i)]];
    matched.X.col(i) = modes.X.col(match[static_cast<std::size_t>(i)]);
  }
  return matched;
}

EqualModuli equal_moduli(const CoarseProblem& problem, const std::vector<double>& density, const FineResponse& fine,
                         const std::function<bool(const std::string&)>& progress) {
  ModulusFit fit(problem, density, fine);
  const Vector unit = fit.by_volume().cwiseInverse();
  Vector q = Vector::Zero(fit.elements());  // p by volume
  EqualModuli result;
  bool go_on = true;
  double reached = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds && go_on; ++round) {
    const ModulusFit::Answer now = fit.at(q.cwiseProduct(unit));
    const Matrix W = patterns(now.jacobian, q, fit.by_volume());
    std::vector<FitVariable> variables;
    for (Index k = 0; k < W.cols(); ++k) variables.push_back({fmt::format("pattern {}", k), -5, 5, false});
    LeastSquaresOptions options;
    options.max_evaluations = evaluations_a_round;
    options.tolerance = 1e-8;
    options.go_on = [&](const FitProgress&) { return go_on; };
    const LeastSquaresResult best = least_squares(
        [&](const Vector& y) {
          const ModulusFit::Answer a = fit.at(unit.cwiseProduct(W * y));
          go_on = progress(largest_deviation(a.lambda, fine.lambda));
          LeastSquaresValue value{Vector(a.residual.size() + y.size()), Matrix(a.residual.size() + y.size(), y.size())};
          value.residual << a.residual, y;
          value.jacobian << a.jacobian * unit.asDiagonal() * W, Matrix::Identity(y.size(), y.size());
          return value;
        },
        variables, W.transpose() * q, options);
    q = W * best.x;
    result.converged = best.sum_of_squares > .99 * reached;
    if (result.converged) break;
    reached = best.sum_of_squares;
  }
  const Vector p = unit.cwiseProduct(q);
  const ModulusFit::Answer now = fit.at(p);
  result.lambda = now.lambda;
  result.self_weight.resize(3);
  for (Index axis = 0; axis < 3; ++axis) {
    const Index i = fine.lambda.size() + axis;
    result.self_weight[axis] = fit.target()(i, i) > 0 ? now.work(i, i) / fit.target()(i, i) : 1;
  }
  result.young = problem.young;
  for (std::size_t e = 0; e < result.young.size(); ++e) result.young[e] *= std::exp(p[static_cast<Index>(e)]);
  return result;
}

}  // namespace limber
