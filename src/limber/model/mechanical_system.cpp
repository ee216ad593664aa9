#include "limber/model/mechanical_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/model/near_pairs.hpp"

namespace limber {
namespace {

constexpr double at_start = -std::numeric_limits<double>::infinity();  // [s] no node has been released

auto features(const ForceList& forces) {
  const auto traits = forces.traits(ForceGroup::all);
  return std::tuple(forces.storage(), forces.lag(), traits.velocity_dependent, traits.has_potential,
                    traits.time_dependent, traits.collides, forces.of(ForceGroup::implicit).empty());
}

/// What the new forces know before the first step, of those that stay as before. A force in place of another one goes
/// on with what that one has learnt.
std::vector<std::vector<double>> hand_over(const SystemChange& change, const ForceList& before,
                                           const std::vector<std::vector<double>>& memory_at_start) {
  std::vector<std::vector<double>> at_start;
  for (const auto& [force, former, bound] : change.forces) {
    auto* learning = dynamic_cast<LearningForce*>(force.get());
    if (force == former) {
      const auto place = std::find(before.all().begin(), before.all().end(), former) - before.all().begin();
      at_start.push_back(memory_at_start[static_cast<std::size_t>(place)]);
      continue;
    }
    at_start.push_back(learning ? learning->memory() : std::vector<double>{});
    if (const auto* older = dynamic_cast<LearningForce*>(former.get()); learning && older)
      learning->restore(older->memory());
  }
  return at_start;
}

bool couple_nodes(const std::vector<NodalMass>& masses) {
  return std::any_of(masses.begin(), masses.end(), [](const NodalMass& m) { return m.a != m.b; });
}

}  // namespace

MechanicalSystem::MechanicalSystem(Parts parts)
    : forces_(std::move(parts.forces)),
      masses_{std::move(parts.masses)},
      length_scale_(parts.length_scale),
      map_(std::make_shared<const NodeLayout>(std::move(parts.positions), std::move(parts.prescriptions),
                                              std::move(parts.ties), std::move(parts.holders)),
           at_start) {
  masses_.coupled = !map_.space().all(!couple_nodes(masses_.list));
  arrange(at_start);
  make_contact();
  if (parts.gaps) near_gaps_ = std::make_unique<NearPairs>(*this, std::move(parts.gaps));
  memory_at_start_ = forces_.memories();
}

SystemTraits MechanicalSystem::traits() const {
  return {.size = map_.size(),
          .symmetric = forces_.storage() == Storage::lower,
          .velocity_dependent = forces_.traits(ForceGroup::all).velocity_dependent,
          .time_dependent = forces_.traits(ForceGroup::all).time_dependent || scripted(),
          .length_scale = length_scale_,
          .nodes = {&map_.unknown_positions(), &parts_.parts, &parts_.guided, &map_.space()},
          .contact = contact_.get(),
          .gaps = near_gaps_.get()};
}

void MechanicalSystem::arrange(double released) {
  if (released != map_.released()) map_ = map_.after(released);
  Couplings coupled;
  for (const auto& f : forces_.all()) f->add_couplings(coupled);
  for (const auto& m : masses_.list)
    if (m.a != m.b) coupled.emplace_back(m.a, m.b);
  parts_ = connected_parts(map_, coupled);
  assembler_.emplace(map_, forces_, masses_, std::move(coupled));
}

bool MechanicalSystem::change(const SystemChange& change) {
  const auto before = features(forces_);
  memory_at_start_ = hand_over(change, forces_, memory_at_start_);
  ForceList::Forces forces;
  for (const auto& entry : change.forces) forces.push_back(entry.force);
  forces_ = ForceList(std::move(forces));
  if (!change.masses.empty()) masses_.list = change.masses;
  const bool others = features(forces_) != before;
  if (others || !change.same_couplings) {
    contact_.reset();
    make_contact();
    arrange(map_.released());
    return others;
  }
  for (const auto& entry : change.forces)
    if (entry.force != entry.former && !entry.bound) assembler_->bind(*entry.force);
  if (!change.masses.empty()) assembler_->masses_changed();
  return false;
}

std::shared_ptr<void> MechanicalSystem::claim(const State& start) {
  if (!claimed_.expired())
    throw std::logic_error("another simulation drives this system; build the model again for a second one");
  if (parameters_ && !parameters_->changed().empty()) {
    change(parameters_->prepare(parameters_->before_changes()));
    parameters_->commit();
  }
  forces_.restore(memory_at_start_);
  forget();
  if (releases() > 0) arrange(at_start);
  while (next_release() < start.t || (!space().all(size() >= start.q.size()) && std::isfinite(next_release())))
    release_next();
  auto claim = std::make_shared<int>();
  claimed_ = claim;
  return claim;
}

void MechanicalSystem::release_first(int k) {
  if (k < releases()) arrange(at_start);
  while (releases() < k && std::isfinite(next_release())) release_next();
}

bool MechanicalSystem::adapt(const State& u, double budget) {
  return forces_.any_learns() && forces_.adapt(full(u), budget);
}

bool MechanicalSystem::stiffen(const State& u) { return forces_.any_learns() && forces_.stiffen(full(u), processes()); }

std::vector<std::string> MechanicalSystem::remarks(const State& u) const {
  if (!forces_.any_learns()) return {};
  return forces_.remarks(full(u), processes());
}

void MechanicalSystem::begin_step(const State& u) {
  if (forces_.any_learns()) forces_.begin_step(full(u));
}

Vector MechanicalSystem::full_force(const State& all, ForceGroup group) const {
  Vector f = Vector::Zero(all.q.size());
  for (const auto& force : forces_.of(group)) force->add_force(all, f);
  return f;
}

Vector MechanicalSystem::gathered(const Vector& full) const {
  Vector f = map_.gather(full);
  space().add_up(f);
  return f;
}

/// f_f − M_fp q̈_p.
Vector MechanicalSystem::free_force(const Vector& full, double t) const {
  if (!masses_.coupled || !scripted()) return gathered(full);
  Vector f = full;
  const PrescribedMotion p = prescribed(t);
  const auto subtract = [&](int a, int b, double m) {
    if (const int k = map_.prescribed_index(b); k >= 0) block(f, a) -= m * block(p.a, k);
  };
  for (const auto& m : masses_.list) {
    if (m.a == m.b) continue;
    subtract(m.a, m.b, m.m);
    subtract(m.b, m.a, m.m);
  }
  return gathered(f);
}

Vector MechanicalSystem::group_force(const Vector& full, double t, ForceGroup group) const {
  const bool implicit_only = group == ForceGroup::implicit || group == ForceGroup::lasting;
  return implicit_only ? gathered(full) : free_force(full, t);
}

Vector MechanicalSystem::force_of(const State& u, ForceGroup group) const {
  return group_force(full_force(full(u), group), u.t, group);
}

Vector MechanicalSystem::force(const State& u) const { return force_of(u, ForceGroup::all); }

Vector MechanicalSystem::linearize_by(const State& u, Definiteness definiteness, Tangent& T, ForceGroup group) {
  const State all = full(u);
  if (forces_.traits(group).collides) assembler_->couple(all);
  Vector f = Vector::Zero(all.q.size());
  assembler_->assemble(definiteness, forces_.traits(group).velocity_dependent, T, [&](TangentBuilder& builder) {
    for (const auto& force : forces_.of(group)) force->linearize(all, f, builder);
  });
  return group_force(f, u.t, group);
}

Vector MechanicalSystem::linearize(const State& u, Definiteness definiteness, Tangent& T) {
  return linearize_by(u, definiteness, T, ForceGroup::all);
}

std::optional<Potentials> MechanicalSystem::potentials_of(const State& u, ForceGroup group) const {
  if (!forces_.traits(group).has_potential || (masses_.coupled && scripted() && !still_)) return std::nullopt;
  const State all = full(u);
  Potentials sum;
  bool any = true;
  for (const auto& force : forces_.of(group)) {
    const auto p = force->potentials(all);
    any = any && p;
    if (!any) break;
    sum += *p;
  }
  if (!space().all(any)) return std::nullopt;
  std::array<double, 2> both = {sum.stored, sum.dissipated};
  processes().sum(both);
  return Potentials{.stored = both[0], .dissipated = both[1]};
}

std::optional<Potentials> MechanicalSystem::potentials(const State& u) const {
  return potentials_of(u, ForceGroup::all);
}

double MechanicalSystem::max_step_of(const Vector& q, const Vector& dq, double t0, double t1,
                                     const ForceList::Forces& forces) const {
  const Vector from = full({q, Vector::Zero(q.size()), t0}).q;
  Vector d = spread(dq);
  if (t0 != t1 && scripted()) d += full({q, Vector::Zero(q.size()), t1}).q - from;  // free nodes cancel
  return max_step_along(from, d, t0, t1, forces);
}

double MechanicalSystem::max_step_along(const Vector& from, const Vector& d, double t0, double t1,
                                        const ForceList::Forces& forces) const {
  double s = 1;
  for (const auto& force : forces) s = min_or_nan(s, force->max_step(from, d, t0, t1));
  return space().min(s);
}

double MechanicalSystem::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  return max_step_of(q, dq, t0, t1, forces_.all());
}

std::string MechanicalSystem::what_stops(const Vector& q, const Vector& dq, double t0, double t1) const {
  double least = 1;
  EnergyKind kind = EnergyKind::other;
  for (const auto& force : forces_.all())
    if (const double s = max_step_of(q, dq, t0, t1, {force}); s < least) {
      least = s;
      kind = force->traits().energy;
    }
  switch (kind) {
    case EnergyKind::contact:
      return "something would be passed through";
    case EnergyKind::elastic:
      return "an element would be inverted";
    default:
      return "a cavity would lose its volume";
  }
}

void MechanicalSystem::stand_still(std::optional<double> share) {
  still_ = share;
  forces_.apply_loads(share.value_or(1));
}

double MechanicalSystem::max_step_to_share(const Vector& q, const Vector& dq, double t, double share) const {
  Vector d = spread(dq);
  const PrescribedMotion now = prescribed(t), then = map_.prescribed(t, share);
  const auto& nodes = map_.prescribed_nodes();
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) block(d, nodes[ix(i)]) += block(then.x, i) - block(now.x, i);
  return max_step_along(full({q, Vector::Zero(q.size()), t}).q, d, t, t, forces_.all());
}

Matrix MechanicalSystem::rigid_motions(const State& u) const { return limber::rigid_motions(map_, parts_.loose, u.q); }

}  // namespace limber
