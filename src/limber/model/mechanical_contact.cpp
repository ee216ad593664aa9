/// The system with a subset of its forces, for methods that treat contact separately.
#include <algorithm>
#include <limits>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

/// The whole system's mass, pattern and prescribed motion, with a group of its forces.
class MechanicalSystem::Part final : public System {
 public:
  Part(MechanicalSystem& whole, ForceGroup group) : whole_(whole), group_(group) {}

  SystemTraits traits() const override {
    SystemTraits t = whole_.traits();
    t.time_dependent = whole_.forces_.traits(group_).time_dependent || whole_.scripted();
    t.contact = nullptr;
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
  Matrix rigid_motions(const State& u) const override { return whole_.rigid_motions(u); }

 private:
  MechanicalSystem& whole_;
  ForceGroup group_;
};

class MechanicalSystem::Contact final : public ContactPart {
 public:
  explicit Contact(MechanicalSystem& whole)
      : whole_(whole), smooth_(whole, ForceGroup::smooth), implicit_(whole, ForceGroup::implicit) {}

  System& smooth() override { return smooth_; }
  System& forces() override { return implicit_; }
  bool acts_in_collisions_only() const override {
    const auto& forces = whole_.forces_.of(ForceGroup::implicit);
    return std::all_of(forces.begin(), forces.end(),
                       [](const auto& force) { return dynamic_cast<const ContactForce*>(force.get()) != nullptr; });
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
  std::string driven() const override {
    std::vector<std::string> all;
    const auto add = [&](const char* name) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.emplace_back(name);
    };
    if (whole_.scripted()) add("a script");
    for (const auto& f : whole_.forces_.of(ForceGroup::implicit))
      if (const ForceTraits t = f->traits(); t.time_dependent)
        add(t.energy == EnergyKind::contact ? "an obstacle" : "the volume of a liquid");
    return join(all, " or ");
  }

 private:
  const std::vector<ContactForce*>& contact() const { return whole_.forces_.contact(); }

  MechanicalSystem& whole_;
  Part smooth_, implicit_;
};

void MechanicalSystem::make_contact() {
  if (!forces_.of(ForceGroup::implicit).empty()) contact_ = std::make_unique<Contact>(*this);
}

MechanicalSystem::~MechanicalSystem() = default;

}  // namespace limber
