#include "limber/contact/smooth/smooth_friction_force.hpp"

#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/core/nodes.hpp"

namespace limber {

void SmoothFrictionForce::append(const SmoothContact& c, Points& all) const {
  const std::size_t first = all.nodes.size(), count = c.local.nodes.size();
  const Vec3 n = c.normal();
  all.list.push_back({{c.node(), c.objects[1]},
                      first,
                      count,
                      n,
                      mu(c.objects) * normal_force(c, *stiffness_, contacts_->delta()),
                      Vec3::Zero()});
  all.nodes.insert(all.nodes.end(), c.local.nodes.begin(), c.local.nodes.end());
  for (std::size_t i = 0; i < count; ++i)
    all.w.push_back(n.dot(c.local.gradient.segment<3>(3 * static_cast<Index>(i))) / c.slope());
}

SmoothFrictionForce::Points SmoothFrictionForce::points(const State& u) const {
  Points all;
  for (const SmoothContact& c : contacts_->at(u.q, u.t))
    if (mu(c.objects) > 0) append(c, all);
  return all;
}

Vec3 SmoothFrictionForce::force_on_point(const SmoothContact& c, const State& u) const {
  Points one;
  append(c, one);
  return force(one.list[0], slip(one, one.list[0], u));
}

void SmoothFrictionForce::add_coupled_stiffness(const Points& now, const State& u, TangentBuilder& T) const {
  std::vector<const SmoothContact*> rubbing;
  const HeldList<SmoothContact> all = contacts_->at(u.q, u.t);
  for (const SmoothContact& c : all)
    if (mu(c.objects) > 0) rubbing.push_back(&c);
  T.add_unsymmetric_stiffness<LargeNodeMatrix>(rubbing.size(), [&](std::size_t k, LargeNodeMatrix& m) {
    m.nodes = collisions().body_nodes(rubbing[k]->local.nodes);
    m.A = coupled_stiffness(*rubbing[k], now, now.list[k], u);
  });
}

/// With F = −μ λ ψ(|y|) y, ψ = s/|y|, fᵢ = wᵢ F:  ∂fᵢ/∂x = F ∂wᵢ/∂x + wᵢ [−μ ψ y ∂λ/∂x − μ λ (d(ψ y)/dy) ∂y/∂x].
Matrix SmoothFrictionForce::coupled_stiffness(const SmoothContact& c, const Points& all, const Point& p,
                                              const State& u) const {
  using Row = Eigen::RowVectorXd;
  using Rows = Eigen::Matrix<double, 3, Eigen::Dynamic>;
  const auto nodes = all.nodes_of(p);
  const auto w = all.weights_of(p);
  const Matrix& H = c.local.hessian;
  const Index n = static_cast<Index>(p.count);
  const double size = c.slope();
  const Mat3 P = tangent_plane(p.n);
  const Jet b = barrier(c.gap, contacts_->delta());
  const Rows normal_rate = P / size * H.topRows<3>();
  const Row size_rate = p.n.transpose() * H.topRows<3>();  // ∂|g₀|/∂x
  const Row force_rate =
      -stiffness_->of(c.objects) * (b.second * size * c.local.gradient.transpose() + b.first * size_rate);
  Matrix weight_rate(n, 3 * n);
  for (Index j = 0; j < 3 * n; ++j)
    for (Index i = 0; i < n; ++i)
      weight_rate(i, j) =
          (p.n.dot(H.col(j).segment<3>(3 * i)) + c.local.gradient.segment<3>(3 * i).dot(normal_rate.col(j)) -
           w[static_cast<std::size_t>(i)] * size_rate[j]) /
          size;
  Rows V(3, n);
  for (Index i = 0; i < n; ++i) V.col(i) = collisions().velocity(nodes[static_cast<std::size_t>(i)], u.v, u.t);
  const Vec3 relative = relative_velocity(all, p, u), y = slip(all, p, u), F = force(p, y);
  const Rows slip_rate =
      P * V * weight_rate - p.n.dot(relative) * normal_rate - p.n * (relative.transpose() * normal_rate);
  const Rows F_rate = -mu(c.objects) * friction_factor(y.norm(), eps()) * y * force_rate -
                      p.pressure * friction_slope(y, eps()) * slip_rate;
  Matrix K(3 * n, 3 * n);
  for (Index j = 0; j < 3 * n; ++j)
    for (Index i = 0; i < n; ++i)
      K.col(j).segment<3>(3 * i) = -weight_rate(i, j) * F - w[static_cast<std::size_t>(i)] * F_rate.col(j);
  return K;
}

}  // namespace limber
