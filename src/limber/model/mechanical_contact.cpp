/// The system with a subset of its forces, for methods that treat contact separately.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

/// The whole system's mass, pattern and prescribed motion, with a group of its forces.
class MechanicalSystem::Part final : public System {
 public:
  Part(MechanicalSystem& whole, ForceGroup group, ContactPart* contact = nullptr)
      : whole_(whole), group_(group), contact_(contact) {}

  SystemTraits traits() const override {
    SystemTraits t = whole_.traits();
    const auto& group = whole_.forces_.traits(group_);
    t.velocity_dependent = group.velocity_dependent;
    t.time_dependent = group.time_dependent || whole_.scripted();
    t.contact = contact_;
    t.gaps = nullptr;
    return t;
  }
  const MassMatrix& inertia() const override { return whole_.inertia(); }
  Vector force(const State& u) const override { return whole_.force_of(u, group_); }
  Vector linearize(const State& u, Definiteness d, Tangent& T) override { return whole_.linearize_by(u, d, T, group_); }
  std::optional<Potentials> potentials(const State& u) const override { return whole_.potentials_of(u, group_); }
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return whole_.max_step_of(q, dq, t0, t1, whole_.forces_.of(group_));
  }
  void begin_step(const State& u) override { whole_.begin_step(u); }
  Matrix rigid_motions(const State& u) const override { return whole_.rigid_motions(u); }

 private:
  MechanicalSystem& whole_;
  ForceGroup group_;
  ContactPart* contact_;
};

/// Implicit forces other than collisions: what keeps rigid parts in shape, the volumes of liquids.
class MechanicalSystem::Lasting final : public ContactPart {
 public:
  explicit Lasting(MechanicalSystem& whole)
      : whole_(whole), smooth_(whole, ForceGroup::smooth), lasting_(whole, ForceGroup::lasting) {}

  System& smooth() override { return smooth_; }
  System& forces() override { return lasting_; }
  bool collides() const override { return false; }
  double smallest_gap(const State&) const override { return std::numeric_limits<double>::infinity(); }
  std::string driven() const override { return whole_.driven(ForceGroup::lasting); }

 private:
  MechanicalSystem& whole_;
  Part smooth_, lasting_;
};

class MechanicalSystem::Contact final : public ContactPart {
 public:
  explicit Contact(MechanicalSystem& whole)
      : whole_(whole),
        smooth_(whole, ForceGroup::smooth),
        implicit_(whole, ForceGroup::implicit),
        lasting_(whole),
        apart_(whole, ForceGroup::apart, whole.forces_.of(ForceGroup::lasting).empty() ? nullptr : &lasting_) {}

  System& smooth() override { return smooth_; }
  System& forces() override { return implicit_; }
  System* without_collisions() override { return &apart_; }
  bool stays_apart(const State& from, const State& to) const override {
    // The way first: what is near it is then known at its end too.
    const auto& collisions = whole_.forces_.collisions();
    return whole_.max_step_of(from.q, to.q - from.q, from.t, to.t, collisions) >= 1 && !std::isfinite(smallest_gap(to));
  }
  double smallest_gap(const State& u) const override {
    const State all = whole_.full(u);
    double gap = std::numeric_limits<double>::infinity();
    for (const ContactForce* f : contact()) gap = min_or_nan(gap, f->smallest_gap(all));
    return whole_.space().min(gap);
  }
  Lag lag() const override { return whole_.forces_.lag(); }
  void update_lagged(const State& u) override {
    if (lag() == Lag::none) return;
    const State all = whole_.full(u);
    for (ContactForce* f : contact()) f->update_lagged(all);
  }
  void begin_iterates() override {
    for (ContactForce* f : contact()) f->begin_iterates();
  }
  bool couple_again() override {
    bool any = false;
    for (ContactForce* f : contact())
      if (f->couple_again()) any = true;
    return any;
  }
  std::string driven() const override { return whole_.driven(ForceGroup::implicit); }

 private:
  const std::vector<ContactForce*>& contact() const { return whole_.forces_.contact(); }

  MechanicalSystem& whole_;
  Part smooth_, implicit_;
  Lasting lasting_;
  Part apart_;
};

std::string MechanicalSystem::driven(ForceGroup implicit) const {
  std::vector<std::string> all;
  const auto add = [&](const char* name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.emplace_back(name);
  };
  if (scripted()) add("a script");
  for (const auto& f : forces_.of(implicit))
    if (const ForceTraits t = f->traits(); t.time_dependent)
      add(t.energy == EnergyKind::contact ? "an obstacle" : "the volume of a liquid");
  return join(all, " or ");
}

void MechanicalSystem::make_contact() {
  if (forces_.traits(ForceGroup::implicit).collides)
    contact_ = std::make_unique<Contact>(*this);
  else if (!forces_.of(ForceGroup::implicit).empty())
    contact_ = std::make_unique<Lasting>(*this);
}

MechanicalSystem::~MechanicalSystem() = default;

}  // namespace limber
