#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {
namespace {

constexpr double least_weight = 1e-16;  // of a node in a gap, squared

}  // namespace

/// The whole system's mass, pattern and prescribed motion, with some of its forces.
class MechanicalSystem::Part final : public System {
 public:
  Part(MechanicalSystem& whole, const ForceGroup& forces, ContactPart* contact = nullptr)
      : whole_(whole), forces_(forces), contact_(contact) {}

  SystemTraits traits() const override {
    SystemTraits t = whole_.traits();
    t.velocity_dependent = forces_.velocity_dependent;
    t.time_dependent = forces_.time_dependent || whole_.scripted_;
    t.contact = contact_;
    t.gaps = nullptr;
    return t;
  }
  const MassMatrix& inertia() const override { return whole_.mass_; }
  Vector force(const State& u) const override { return whole_.force_of(u, forces_); }
  Vector linearize(const State& u, Definiteness d, Tangent& T) override {
    return whole_.linearize_by(u, d, T, forces_);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    if (!forces_.has_potential || (whole_.coupled_mass_ && whole_.scripted_)) return std::nullopt;
    return whole_.potentials_of(u, forces_.list);
  }
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return whole_.max_step_of(q, dq, t0, t1, forces_.list);
  }
  void begin_step(const State& u) override { whole_.begin_step(u); }
  Matrix rigid_motions(const State& u) const override { return whole_.rigid_motions(u); }

 private:
  MechanicalSystem& whole_;
  const ForceGroup& forces_;
  ContactPart* contact_;
};

/// What is implicit apart from collisions: what keeps rigid parts in shape, the volumes of liquids.
class MechanicalSystem::Lasting final : public ContactPart {
 public:
  explicit Lasting(MechanicalSystem& whole)
      : whole_(whole), smooth_(whole, whole.smooth_forces_), forces_(whole, whole.lasting_forces_) {}

  System& smooth() override { return smooth_; }
  System& forces() override { return forces_; }
  bool collides() const override { return false; }
  double smallest_gap(const State&) const override { return std::numeric_limits<double>::infinity(); }
  std::string driven() const override { return whole_.driven(whole_.lasting_forces_); }

 private:
  MechanicalSystem& whole_;
  Part smooth_, forces_;
};

class MechanicalSystem::Contact final : public ContactPart {
 public:
  explicit Contact(MechanicalSystem& whole)
      : whole_(whole),
        smooth_(whole, whole.smooth_forces_),
        forces_(whole, whole.implicit_forces_),
        lasting_(whole),
        apart_(whole, whole.apart_forces_, whole.lasting_forces_.list.empty() ? nullptr : &lasting_) {
    for (std::size_t k = 0; k < whole_.forces_.size(); ++k)
      if (whole_.roles_[k].contact) collisions_.push_back(whole_.forces_[k]);
  }

  System& smooth() override { return smooth_; }
  System& forces() override { return forces_; }
  System* without_collisions() override { return &apart_; }
  bool stays_apart(const State& from, const State& to) const override {
    // The way first: what is near it is then known at its end too.
    return whole_.max_step_of(from.q, to.q - from.q, from.t, to.t, collisions_) >= 1 &&
           !std::isfinite(smallest_gap(to));
  }
  double smallest_gap(const State& u) const override {
    const State all = whole_.full(u);
    double gap = std::numeric_limits<double>::infinity();
    for (const ForceRoles& f : whole_.roles_)
      if (f.contact) gap = min_or_nan(gap, f.contact->smallest_gap(all));
    return whole_.space_.min(gap);
  }
  Lag lag() const override { return whole_.lag_; }
  void update_lagged(const State& u) override {
    if (whole_.lag_ == Lag::none) return;
    const State all = whole_.full(u);
    for (const ForceRoles& f : whole_.roles_)
      if (f.contact) f.contact->update_lagged(all);
  }
  bool couple_again() override {
    bool any = false;
    for (const ForceRoles& f : whole_.roles_)
      if (f.contact && f.contact->couple_again()) any = true;
    return any;
  }
  std::string driven() const override { return whole_.driven(whole_.implicit_forces_); }

 private:
  MechanicalSystem& whole_;
  Part smooth_, forces_;
  Lasting lasting_;
  Part apart_;
  Forces collisions_;
};

class MechanicalSystem::Near final : public NearGaps {
 public:
  explicit Near(MechanicalSystem& whole) : whole_(whole) {}

  GapRule rule() const override { return whole_.gaps_->rule(); }
  GapConstraints at(const State& u, double until, double distance) override {
    const State all = whole_.full(u);
    if (whole_.scripted_)
      for (const Vector moved = whole_.prescribed(until).x - whole_.prescribed(u.t).x;
           const int i : whole_.prescribed_nodes_)
        distance = std::max(distance, block(moved, whole_.prescribed_index_[ix(i)]).norm());
    GapConstraints c;
    c.contact = whole_.gaps_->contact();
    std::vector<double> gap, rate;
    std::vector<Eigen::Triplet<double>> entries;
    const std::vector<Gap> near = whole_.gaps_->near(all, until, distance);
    count_ = near.size();
    for (std::size_t number = 0; number < near.size(); ++number) {
      const Gap& g = near[number];
      const int row = static_cast<int>(gap.size());
      double by_script = g.rate, weight = 0;
      for (std::size_t a = 0; a < 4; ++a) {
        if (g.nodes[a] < 0) continue;
        const int node = g.nodes[a], f = whole_.free_index_[ix(node)];
        const Vec3 free = whole_.free_part(node, g.gradient[a]);
        if (whole_.prescribed_index_[ix(node)] >= 0) by_script += (g.gradient[a] - free).dot(block(all.v, node));
        if (f < 0) continue;
        if (const double part = free.squaredNorm(); part > least_weight) {
          weight += part;
          whole_.ties_.for_terms(f, [&](int unknown, double w) {
            for (int j = 0; j < 3; ++j) entries.emplace_back(row, 3 * unknown + j, w * free[j]);
          });
        }
      }
      if (weight > 0) {
        gap.push_back(g.value);
        rate.push_back(by_script);
        c.source.push_back(static_cast<int>(number));
      } else if (g.value + (until - u.t) * by_script < 0) {
        throw StepFailure((g.rate != 0 ? "an obstacle" : "a script") +
                          std::string(" runs into something that cannot yield"));
      }
    }
    const auto count = static_cast<Index>(gap.size());
    c.gap = Eigen::Map<const Vector>(gap.data(), count);
    c.rate = Eigen::Map<const Vector>(rate.data(), count);
    c.G.resize(count, whole_.size());
    c.G.setFromTriplets(entries.begin(), entries.end());
    return c;
  }
  void report_forces(const GapConstraints& gaps, const Vector& forces) override {
    std::vector<double> all(count_, 0);
    for (std::size_t i = 0; i < gaps.source.size(); ++i) all[ix(gaps.source[i])] = forces[static_cast<Index>(i)];
    whole_.gaps_->report_forces(std::move(all));
  }

 private:
  MechanicalSystem& whole_;
  std::size_t count_ = 0;  // of pairs that were near last
};

std::string MechanicalSystem::driven(const ForceGroup& implicit) const {
  std::vector<std::string> all;
  const auto add = [&](const char* name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.emplace_back(name);
  };
  if (scripted_) add("a script");
  for (const auto& f : implicit.list)
    if (const ForceTraits t = f->traits(); t.time_dependent)
      add(t.energy == EnergyKind::contact ? "an obstacle" : "the volume of a liquid");
  return join(all, " or ");
}

void MechanicalSystem::make_contact() {
  if (implicit_forces_.collides)
    contact_ = std::make_unique<Contact>(*this);
  else if (!implicit_forces_.list.empty())
    contact_ = std::make_unique<Lasting>(*this);
  if (gaps_) near_gaps_ = std::make_unique<Near>(*this);
}

MechanicalSystem::~MechanicalSystem() = default;

}  // namespace limber
