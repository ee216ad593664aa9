#include "limber/contact/smooth/smooth_contact_force.hpp"

#include <algorithm>

#include "limber/contact/forces/barrier.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

/// Without the nodes of obstacles, which are no unknowns.
LocalGap of_bodies(const LocalGap& gap, int body_nodes) {
  if (std::all_of(gap.nodes.begin(), gap.nodes.end(), [&](int n) { return n < body_nodes; })) return gap;
  std::vector<Index> kept;
  LocalGap part{gap.d, {}, {}, {}};
  for (std::size_t i = 0; i < gap.nodes.size(); ++i) {
    if (gap.nodes[i] >= body_nodes) continue;
    part.nodes.push_back(gap.nodes[i]);
    for (Index k = 0; k < 3; ++k) kept.push_back(3 * static_cast<Index>(i) + k);
  }
  part.gradient = gap.gradient(kept);
  part.hessian = gap.hessian(kept, kept);
  return part;
}

}  // namespace

double normal_force(const SmoothContact& c, const ContactStiffness& stiffness, double delta) {
  return -stiffness.of(c.objects) * barrier(c.gap, delta).first * c.slope();
}

ForceTraits SmoothContactForce::traits() const {
  return {.time_dependent = contacts_->collisions().moves(), .wholly_implicit = true, .energy = EnergyKind::contact};
}

std::optional<Potentials> SmoothContactForce::potentials(const State& u) const {
  Potentials p;
  for (const SmoothContact& c : contacts_->at(u.q, u.t))
    p.stored += stiffness_->of(c.objects) * barrier(c.gap, contacts_->delta()).value;
  return p;
}

void SmoothContactForce::add_force(const State& u, Vector& f) const {
  const int N = contacts_->collisions().scene().body_nodes;
  for (const SmoothContact& c : contacts_->at(u.q, u.t)) {
    const double push = -stiffness_->of(c.objects) * barrier(c.gap, contacts_->delta()).first;
    for (std::size_t i = 0; i < c.local.nodes.size(); ++i)
      if (const int node = c.local.nodes[i]; node < N)
        f.segment<3>(3 * static_cast<Index>(node)) += push * c.local.gradient.segment<3>(3 * static_cast<Index>(i));
  }
}

void SmoothContactForce::add_tangent(const State& u, TangentBuilder& T) const {
  const int N = contacts_->collisions().scene().body_nodes;
  const auto& contacts = contacts_->at(u.q, u.t, SmoothContacts::Order::second);
  struct Block {
    std::vector<int> nodes;
    Matrix K;
  };
  std::vector<Block> blocks(contacts.size());
  parallel_for(static_cast<Index>(contacts.size()), [&](Index i) {
    const SmoothContact& c = contacts[static_cast<std::size_t>(i)];
    const LocalGap gap = of_bodies(c.local, N);
    const Jet b = barrier(c.gap, contacts_->delta());
    blocks[static_cast<std::size_t>(i)] = {
        gap.nodes, stiffness_->of(c.objects) *
                       (T.projected() ? compose_projected(gap, b.first, b.second) : compose(gap, b.first, b.second))};
  });
  for (const auto& [nodes, K] : blocks)
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = 0; b < nodes.size(); ++b)
        T.add_stiffness(nodes[a], nodes[b], K.block<3, 3>(3 * static_cast<Index>(a), 3 * static_cast<Index>(b)));
}

ContactStiffness::Depths SmoothContactForce::depths(const State& u) const {
  const double delta = contacts_->delta();
  ContactStiffness::Depths depths;
  for (const SmoothContact& c : contacts_->at(u.q, u.t)) {
    const Jet b = barrier(c.gap, delta);
    depths.add(c.objects, c.gap, delta, stiffness_->of(c.objects) * b.value, -stiffness_->of(c.objects) * b.first);
  }
  return depths;
}

double SmoothContactForce::driving_work(const State& u, double t0, double t1) const {
  const Collisions& collisions = contacts_->collisions();
  const Vector way = collisions.positions(u.q, t1) - collisions.positions(u.q, t0);
  double work = 0;
  for (const SmoothContact& c : contacts_->at(u.q, u.t)) {
    const double push = -stiffness_->of(c.objects) * barrier(c.gap, contacts_->delta()).first;
    for (std::size_t i = 0; i < c.local.nodes.size(); ++i)
      if (const int node = c.local.nodes[i]; node >= collisions.scene().body_nodes)
        work -= push * c.local.gradient.segment<3>(3 * static_cast<Index>(i)).dot(way.segment<3>(3 * node));
  }
  return work;
}

double SmoothContactForce::smallest_gap(const State& u) const {
  double gap = std::numeric_limits<double>::infinity();
  for (const SmoothContact& c : contacts_->at(u.q, u.t)) gap = std::min(gap, c.gap);
  return gap;
}

}  // namespace limber
