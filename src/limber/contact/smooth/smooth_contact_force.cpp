#include "limber/contact/smooth/smooth_contact_force.hpp"

#include <algorithm>

#include "limber/contact/forces/barrier.hpp"

namespace limber {

double normal_force(const SmoothContact& c, const ContactStiffness& stiffness, double delta) {
  return -stiffness.of(c.objects) * barrier(c.gap, delta).first * c.slope();
}

ForceTraits SmoothContactForce::traits() const {
  return {.time_dependent = contacts_->collisions().moves(), .wholly_implicit = true, .energy = EnergyKind::contact};
}

std::optional<Potentials> SmoothContactForce::potentials(const State& u) const {
  Potentials p;
  for (const SmoothContacts::Gap& c : contacts_->gaps(u.q, u.t))
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
  const auto contacts = contacts_->at(u.q, u.t);
  T.add_stiffness<LargeNodeMatrix>(contacts.size(), [&](std::size_t k, LargeNodeMatrix& m) {
    const SmoothContact& c = contacts[k];
    const Jet b = barrier(c.gap, contacts_->delta());
    const double first = stiffness_->of(c.objects) * b.first, second = stiffness_->of(c.objects) * b.second;
    m.nodes = contacts_->collisions().body_nodes(c.local.nodes);
    m.A = T.projected() ? compose_projected(c.local, first, second) : compose(c.local, first, second);
  });
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

double SmoothContactForce::driving_work(const Travel& step, const State& u) const {
  const double t0 = step.a.t, t1 = step.b.t;
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
