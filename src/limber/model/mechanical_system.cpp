#include "limber/model/mechanical_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {

MechanicalSystem::MechanicalSystem(Parts parts)
    : reference_(std::move(parts.positions)),
      masses_(std::move(parts.masses)),
      forces_(std::move(parts.forces)),
      gaps_(std::move(parts.gaps)),
      prescriptions_(std::move(parts.prescriptions)),
      all_ties_(std::move(parts.ties)),
      holders_(std::move(parts.holders)),
      length_scale_(parts.length_scale) {
  implicit_forces_.implicit_only = lasting_forces_.implicit_only = true;
  for (const auto& f : forces_) {
    const auto traits = f->traits();
    if (!traits.symmetric) storage_ = Storage::full;
    lag_ = std::max(lag_, traits.lag);
    roles_.push_back({dynamic_cast<ContactForce*>(f.get()), dynamic_cast<LearningForce*>(f.get()),
                      dynamic_cast<DampingForce*>(f.get()), dynamic_cast<LoadForce*>(f.get())});
    all_forces_.add(f);
    (traits.wholly_implicit ? implicit_forces_ : smooth_forces_).add(f);
    if (roles_.back().contact) continue;
    apart_forces_.add(f);
    if (traits.wholly_implicit) lasting_forces_.add(f);
  }
  // Smooth tangents are added to theirs.
  implicit_forces_.velocity_dependent = all_forces_.velocity_dependent;
  lasting_forces_.velocity_dependent = apart_forces_.velocity_dependent;
  tied_.assign(ix(static_cast<int>(reference_.size() / 3)), 0);
  for (const Tie& t : all_ties_) tied_[ix(t.node)] = 1;
  std::erase_if(all_ties_, [&](const Tie& t) { return !holders_.holds(t.node); });
  for (const auto& m : masses_) coupled_mass_ = coupled_mass_ || m.a != m.b;
  if (holders_.shared()) {
    int lumped = coupled_mass_ ? 0 : 1;
    holders_.processes->min(std::span<int>(&lumped, 1));
    coupled_mass_ = lumped == 0;
  }
  arrange();
  make_contact();
  memory_at_start_ = memory();
}

void MechanicalSystem::ForceGroup::add(const std::shared_ptr<Force>& force) {
  const ForceTraits traits = force->traits();
  list.push_back(force);
  collides = collides || dynamic_cast<ContactForce*>(force.get()) != nullptr;
  velocity_dependent = velocity_dependent || traits.velocity_dependent;
  time_dependent = time_dependent || traits.time_dependent;
  has_potential = has_potential && traits.has_potential;
}

SystemTraits MechanicalSystem::traits() const {
  return {.size = 3 * static_cast<Index>(ties_.unknowns()),
          .symmetric = storage_ == Storage::lower,
          .velocity_dependent = all_forces_.velocity_dependent,
          .time_dependent = time_dependent_,
          .length_scale = length_scale_,
          .nodes = {&unknown_positions_, &parts_, &guided_parts_, &space_},
          .contact = contact_.get(),
          .gaps = near_gaps_.get()};
}

void MechanicalSystem::arrange() {
  const int n = static_cast<int>(reference_.size() / 3);
  std::vector<int> holds(ix(n), -1);
  scripted_ = false;
  for (std::size_t k = 0; k < prescriptions_.size(); ++k) {
    const Prescription& p = prescriptions_[k];
    if (p.until <= released_) continue;
    if (p.held.isIdentity(0))
      for (const int node : p.nodes) holds[ix(node)] = static_cast<int>(k);
    scripted_ = scripted_ || !p.motion.is_constant();
  }
  find_guides(holds);
  time_dependent_ = all_forces_.time_dependent || scripted_;
  free_index_.assign(ix(n), -1);
  prescribed_index_.assign(ix(n), -1);
  free_nodes_.clear();
  prescribed_nodes_.clear();
  prescription_of_.clear();
  std::vector<int> without_unknowns;  // scene numbers
  for (int i = 0; i < n; ++i) {
    if (holds[ix(i)] >= 0 || guided(i)) {
      prescribed_index_[ix(i)] = static_cast<int>(prescribed_nodes_.size());
      prescribed_nodes_.push_back(i);
      prescription_of_.push_back(holds[ix(i)]);
    }
    if (holders_.shared() && (holds[ix(i)] >= 0 || tied_[ix(i)])) without_unknowns.push_back(holders_.scene_number(i));
    if (holds[ix(i)] >= 0 || !holders_.holds(i)) continue;
    free_index_[ix(i)] = static_cast<int>(free_nodes_.size());
    free_nodes_.push_back(i);
  }
  without_unknowns = holders_.united(std::move(without_unknowns));
  const int all = holders_.shared() ? holders_.nodes - static_cast<int>(without_unknowns.size())
                                    : static_cast<int>(free_nodes_.size());
  if (all == 0) throw InputError("bodies", "no node is free to move");
  prescribed_in_scene_ = prescribed_nodes_;
  for (int& node : prescribed_in_scene_) node = holders_.scene_number(node);
  prescribed_in_scene_ = holders_.united(std::move(prescribed_in_scene_));
  ties_ = Ties(all_ties_, free_index_);
  unknown_nodes_.clear();
  for (int f = 0; f < static_cast<int>(free_nodes_.size()); ++f)
    if (!ties_.tied(f)) unknown_nodes_.push_back(free_nodes_[ix(f)]);
  unknown_positions_.resize(3 * static_cast<Index>(unknown_nodes_.size()));
  for (int i = 0; i < static_cast<int>(unknown_nodes_.size()); ++i)
    block(unknown_positions_, i) = block(reference_, unknown_nodes_[ix(i)]);
  if (holders_.shared()) space_ = Space(holders_, unknown_nodes_, without_unknowns);

  Couplings coupled;
  for (const auto& f : forces_) f->add_couplings(coupled);
  for (const auto& m : masses_)
    if (m.a != m.b) coupled.emplace_back(m.a, m.b);
  fixed_couplings_.clear();
  for (const auto& [a, b] : coupled)
    if (const int fa = free_index_[ix(a)], fb = free_index_[ix(b)]; fa >= 0 && fb >= 0 && a != b)
      fixed_couplings_.emplace_back(std::max(fa, fb), std::min(fa, fb));
  for (const Tie& t : all_ties_)
    for (const int corner : t.corners) coupled.emplace_back(t.node, corner);
  find_parts(coupled);
  coupled = Couplings();
  std::sort(fixed_couplings_.begin(), fixed_couplings_.end());
  fixed_couplings_.erase(std::unique(fixed_couplings_.begin(), fixed_couplings_.end()), fixed_couplings_.end());
  fixed_couplings_.shrink_to_fit();
  make_pattern({});
  if (!grows()) fixed_couplings_ = Couplings();
  Vector mass = mass_.matrix().diagonal();
  space_.add_up(mass);
  for (int i = 0; i < ties_.unknowns(); ++i)
    if (!(mass[3 * i] > 0))
      throw InputError("bodies", "node " + std::to_string(holders_.scene_number(unknown_nodes_[ix(i)])) +
                                     " is free but has no mass");
}

/// Of the nodes that are not held as a whole.
void MechanicalSystem::find_guides(const std::vector<int>& holds) {
  guided_.clear();
  guide_of_.clear();
  for (std::size_t k = 0; k < prescriptions_.size(); ++k) {
    const Prescription& p = prescriptions_[k];
    if (p.until <= released_ || p.held.isIdentity(0)) continue;
    guide_of_.resize(holds.size(), -1);
    for (const int node : p.nodes) {
      if (holds[ix(node)] >= 0) continue;
      int& place = guide_of_[ix(node)];
      if (place < 0) {
        place = static_cast<int>(guided_.size());
        guided_.push_back({node, Mat3::Identity(), {}});
      }
      if (!add_guide(guided_[ix(place)], static_cast<int>(k), p.held))
        throw std::logic_error("two prescriptions of a node hold directions that are not orthogonal");
    }
  }
}

Vec3 MechanicalSystem::free_part(int node, const Vec3& x) const {
  if (guided(node)) return guided_[ix(guide_of_[ix(node)])].free * x;
  return prescribed_index_[ix(node)] >= 0 ? Vec3(Vec3::Zero()) : x;
}

std::shared_ptr<void> MechanicalSystem::claim(const State& start) {
  if (!claimed_.expired())
    throw std::logic_error("another simulation drives this system; build the model again for a second one");
  restore(memory_at_start_);
  forget();
  if (releases() > 0) hold_all();
  while (next_release() < start.t || (!space_.all(size() >= start.q.size()) && std::isfinite(next_release())))
    release_next();
  auto claim = std::make_shared<int>();
  claimed_ = claim;
  return claim;
}

double MechanicalSystem::next_release() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Prescription& p : prescriptions_)
    if (p.until > released_) next = std::min(next, p.until);
  return next;
}

void MechanicalSystem::release_next() {
  released_ = next_release();
  arrange();
}

void MechanicalSystem::hold_all() {
  released_ = -std::numeric_limits<double>::infinity();
  arrange();
}

int MechanicalSystem::releases() const {
  std::set<double> times;
  for (const Prescription& p : prescriptions_)
    if (p.until <= released_) times.insert(p.until);
  return static_cast<int>(times.size());
}

void MechanicalSystem::release_first(int k) {
  if (k < releases()) hold_all();
  while (releases() < k && std::isfinite(next_release())) release_next();
}

void MechanicalSystem::make_pattern(const Couplings& more) {
  const auto pattern_of = [&](const Couplings& pairs) {
    return BlockPattern(static_cast<int>(free_nodes_.size()), pairs, storage_);
  };
  grown_ = false;
  if (more.empty()) {
    pattern_ = pattern_of(fixed_couplings_);
  } else {
    Couplings pairs = fixed_couplings_;
    pairs.insert(pairs.end(), more.begin(), more.end());
    pattern_ = pattern_of(pairs);
  }
  if (lag_ == Lag::each_iterate)
    unsymmetric_pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), more, Storage::full);
  for (const auto& f : forces_) f->bind(pattern_, free_index_);
  if (ties_.any()) ties_.bind(pattern_);
  make_mass();
}

void MechanicalSystem::make_mass() {
  const Symmetry symmetry = storage_ == Storage::lower ? Symmetry::symmetric : Symmetry::general;
  const auto take = [&](const SparseMatrix& M) {
    mass_ = space_.shared() ? MassMatrix(M, symmetry, space_) : MassMatrix(M, symmetry);
  };
  if (!coupled_mass_ && !ties_.any() && guided_.empty()) {
    Vector diagonal = Vector::Zero(size());
    for (const auto& m : masses_)
      if (const int f = free_index_[ix(m.a)]; f >= 0) block(diagonal, f) += Vec3::Constant(m.m);
    guides_ = {};
    take(diagonal_matrix(diagonal));
    return;
  }
  SparseMatrix M = pattern_.zero();
  const auto add = [&](int a, int b, double m) {
    const int fa = free_index_[ix(a)], fb = free_index_[ix(b)];
    if (fa < 0 || fb < 0 || (storage_ == Storage::lower && fa < fb)) return;
    const auto slot = pattern_.slot(fa, fb);
    for (int c = 0; c < 3; ++c) M.valuePtr()[slot.at(c, c)] += m;
  };
  for (const auto& m : masses_) {
    add(m.a, m.b, m.m);
    if (m.a != m.b) add(m.b, m.a, m.m);
  }
  if (ties_.any()) {
    SparseMatrix of_nodes = ties_.pattern().zero();
    of_nodes.swap(M);
    ties_.add_reduced(of_nodes.valuePtr(), M.valuePtr());
  }
  std::vector<Guides::Unknown> unknowns;
  if (!guided_.empty())
    for (int i = 0; i < static_cast<int>(unknown_nodes_.size()); ++i)
      if (guided(unknown_nodes_[ix(i)]))
        unknowns.push_back({i, guided_[ix(guide_of_[ix(unknown_nodes_[ix(i)])])].free});
  guides_ = Guides(std::move(unknowns), M, storage_);
  guides_.project(M.valuePtr(), Guides::Diagonal::kept);
  take(M);
}

std::vector<double> MechanicalSystem::memory() const {
  std::vector<double> all;
  for (const ForceRoles& f : roles_) {
    const auto part = f.learning ? f.learning->memory() : std::vector<double>{};
    all.push_back(static_cast<double>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

void MechanicalSystem::restore(const std::vector<double>& memory) {
  auto next = memory.begin();
  const auto fail = [&] {
    throw InputError("forces",
                     fmt::format("{} numbers do not fit what the {} forces keep", memory.size(), forces_.size()));
  };
  for (const ForceRoles& f : roles_) {
    if (next == memory.end()) fail();
    const double count = *next++;
    if (!(count >= 0) || !(count <= static_cast<double>(memory.end() - next)) || count != std::floor(count)) fail();
    if (count > 0 && !f.learning) fail();
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    if (f.learning) f.learning->restore({next, end});
    next = end;
  }
  if (next != memory.end()) fail();
}

bool MechanicalSystem::adapt(const State& u, double budget) {
  if (std::none_of(roles_.begin(), roles_.end(), [](const ForceRoles& f) { return f.learning; })) return false;
  const State all = full(u);
  bool changed = false;
  for (const ForceRoles& f : roles_) changed = (f.learning && f.learning->adapt(all, budget)) || changed;
  return changed;
}

/// Not by those of collisions.
template <class Visit>
void MechanicalSystem::each_strained(const State& u, const Visit& visit) const {
  const auto may_strain = [](const ForceRoles& f) { return f.learning && !f.contact; };
  if (std::none_of(roles_.begin(), roles_.end(), may_strain)) return;
  const State all = full(u);
  for (const ForceRoles& f : roles_) {
    if (!may_strain(f)) continue;
    std::vector<double> strains = f.learning->strains(all);
    if (strains.empty()) continue;
    space_.processes().sum(strains);
    visit(*f.learning, strains);
  }
}

bool MechanicalSystem::stiffen(const State& u) {
  bool changed = false;
  each_strained(u, [&](LearningForce& force, const auto& strains) { changed = force.stiffen(strains) || changed; });
  return changed;
}

std::vector<std::string> MechanicalSystem::remarks(const State& u) const {
  std::vector<std::string> all;
  each_strained(u, [&](const LearningForce& force, const auto& strains) {
    if (std::string remark = force.remark(strains); !remark.empty()) all.push_back(std::move(remark));
  });
  return all;
}

bool MechanicalSystem::grows() const {
  return std::any_of(roles_.begin(), roles_.end(), [](const ForceRoles& f) { return f.contact; });
}

void MechanicalSystem::forget() {
  if (grown_)
    make_pattern({});
  else
    mass_.forget();
}

void MechanicalSystem::couple(const State& all) {
  Couplings now, soon;
  for (const ForceRoles& f : roles_)
    if (f.contact) f.contact->add_couplings_at(all, now);
  const auto to_free = [&](Couplings& pairs) {
    for (auto& [a, b] : pairs) {
      const int fa = free_index_[ix(a)], fb = free_index_[ix(b)];
      a = fa < 0 || fb < 0 ? -1 : std::max(fa, fb);
      b = std::min(fa, fb);
    }
    std::erase_if(pairs, [](const auto& p) { return p.first < 0 || p.first == p.second; });
  };
  to_free(now);
  const auto holds = [&](const BlockPattern& pattern) {
    std::atomic<bool> all = true;
    in_pieces(now.size(), 2048, [&](std::size_t k) {
      if (pattern.slot(now[k].first, now[k].second).first < 0) all = false;
    });
    return all.load();
  };
  const bool fits = space_.all(holds(pattern_));
  if (fits && (lag_ != Lag::each_iterate || space_.all(holds(unsymmetric_pattern_)))) return;
  for (const ForceRoles& f : roles_)
    if (f.contact) f.contact->add_couplings_soon(all, soon);
  to_free(soon);
  now.insert(now.end(), soon.begin(), soon.end());
  if (fits)
    unsymmetric_pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), now, Storage::full);
  else
    make_pattern(now);
  grown_ = true;
}

Vector MechanicalSystem::full_force(const State& all, const Forces& forces) const {
  Vector f = Vector::Zero(reference_.size());
  for (const auto& force : forces) force->add_force(all, f);
  return f;
}

/// f_f − M_fp q̈_p.
Vector MechanicalSystem::free_force(const Vector& full, double t) const {
  if (!coupled_mass_ || !scripted_) return added_up(gather(full));
  Vector f = full;
  const Prescribed p = prescribed(t);
  const auto subtract = [&](int a, int b, double m) {
    if (prescribed_index_[ix(b)] >= 0) block(f, a) -= m * block(p.a, prescribed_index_[ix(b)]);
  };
  for (const auto& m : masses_) {
    if (m.a == m.b) continue;
    subtract(m.a, m.b, m.m);
    subtract(m.b, m.a, m.m);
  }
  return added_up(gather(f));
}

Vector MechanicalSystem::added_up(Vector f) const {
  space_.add_up(f);
  return f;
}

Vector MechanicalSystem::force_of(const State& u, const ForceGroup& group) const {
  const Vector all = full_force(full(u), group.list);
  return group.implicit_only ? added_up(gather(all)) : free_force(all, u.t);
}

Vector MechanicalSystem::force(const State& u) const { return force_of(u, all_forces_); }

TangentBuilder MechanicalSystem::builder(Definiteness d, Tangent& T, const ForceGroup& group,
                                         std::vector<RankOne>& low_rank) {
  T.deflation.reset();
  T.unsymmetric.resize(0, 0);
  const auto clear = [&](SparseMatrix& A) {
    const BlockPattern& pattern = ties_.any() ? ties_.pattern() : pattern_;
    if (!pattern.is_of(A)) {
      A = pattern.zero();
      return;
    }
    for_chunks(A.nonZeros(), [&](Index begin, Index end) { std::fill(A.valuePtr() + begin, A.valuePtr() + end, 0.0); });
  };
  clear(T.K);
  if (group.velocity_dependent) clear(T.D);
  double *K = T.K.valuePtr(), *D = group.velocity_dependent ? T.D.valuePtr() : nullptr;
  if (ties_.any()) {
    K = node_K_.setZero(pattern_.entries()).data();
    if (D) D = node_D_.setZero(pattern_.entries()).data();
  }
  return {pattern_, free_index_, d, K, D, {&unsymmetric_pattern_, &T.unsymmetric}, &low_rank};
}

void MechanicalSystem::reduce(Tangent& T, const ForceGroup& group) {
  if (ties_.any()) {
    ties_.add_reduced(node_K_.data(), T.K.valuePtr());
    if (group.velocity_dependent) ties_.add_reduced(node_D_.data(), T.D.valuePtr());
    if (T.unsymmetric.size() > 0) T.unsymmetric = ties_.reduced(T.unsymmetric);
  }
  if (!guides_.any()) return;
  guides_.project(T.K.valuePtr(), Guides::Diagonal::large);
  if (group.velocity_dependent) guides_.project(T.D.valuePtr(), Guides::Diagonal::none);
  if (T.unsymmetric.size() > 0) guides_.project(T.unsymmetric);
}

LowRank MechanicalSystem::reduced(const std::vector<RankOne>& parts) const {
  if (parts.empty()) return {};
  LowRank out{Matrix(size(), static_cast<Index>(parts.size())), Vector(static_cast<Index>(parts.size()))};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out.U.col(static_cast<Index>(k)) = gather(parts[k].u);
    out.c[static_cast<Index>(k)] = parts[k].c;
  }
  return out;
}

Vector MechanicalSystem::linearize_by(const State& u, Definiteness d, Tangent& T, const ForceGroup& group) {
  const State all = full(u);
  if (group.collides) couple(all);
  std::vector<RankOne> low_rank;
  auto b = builder(d, T, group, low_rank);
  Vector f = Vector::Zero(reference_.size());
  for (const auto& force : group.list) force->linearize(all, f, b);
  reduce(T, group);
  T.low_rank = reduced(low_rank);
  return group.implicit_only ? added_up(gather(f)) : free_force(f, u.t);
}

Vector MechanicalSystem::linearize(const State& u, Definiteness d, Tangent& T) {
  return linearize_by(u, d, T, all_forces_);
}

std::optional<Potentials> MechanicalSystem::potentials_of(const State& u, const Forces& forces) const {
  const State all = full(u);
  Potentials sum;
  bool any = true;
  for (const auto& force : forces) {
    const auto p = force->potentials(all);
    any = any && p;
    if (!any) break;
    sum += *p;
  }
  if (!space_.all(any)) return std::nullopt;
  std::array<double, 2> both = {sum.stored, sum.dissipated};
  space_.processes().sum(both);
  return Potentials{.stored = both[0], .dissipated = both[1]};
}

std::optional<Potentials> MechanicalSystem::potentials(const State& u) const {
  if (!all_forces_.has_potential || (coupled_mass_ && scripted_ && !still_)) return std::nullopt;
  return potentials_of(u, forces_);
}

double MechanicalSystem::max_step_of(const Vector& q, const Vector& dq, double t0, double t1,
                                     const Forces& forces) const {
  const Vector from = full({q, Vector::Zero(q.size()), t0}).q;
  Vector d = spread(dq);
  if (t0 != t1 && scripted_) d += full({q, Vector::Zero(q.size()), t1}).q - from;  // what is free cancels
  return max_step_along(from, d, t0, t1, forces);
}

double MechanicalSystem::max_step_along(const Vector& from, const Vector& d, double t0, double t1,
                                        const Forces& forces) const {
  double s = 1;
  for (const auto& force : forces) s = min_or_nan(s, force->max_step(from, d, t0, t1));
  return space_.min(s);
}

double MechanicalSystem::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  return max_step_of(q, dq, t0, t1, forces_);
}

std::string MechanicalSystem::what_stops(const Vector& q, const Vector& dq, double t0, double t1) const {
  double least = 1;
  EnergyKind kind = EnergyKind::other;
  for (const auto& force : forces_)
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
  for (const ForceRoles& f : roles_)
    if (f.load) f.load->apply(share.value_or(1));
}

double MechanicalSystem::max_step_to_share(const Vector& q, const Vector& dq, double t, double share) const {
  const State u{q, Vector::Zero(q.size()), t};
  Vector d = spread(dq);
  const Prescribed now = prescribed(t), then = prescribed(t, share);
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i)
    block(d, prescribed_nodes_[ix(i)]) += block(then.x, i) - block(now.x, i);
  return max_step_along(full(u).q, d, t, t, forces_);
}

void MechanicalSystem::begin_step(const State& u) {
  const State all = full(u);
  for (const ForceRoles& f : roles_)
    if (f.learning) f.learning->begin_step(all);
}

}  // namespace limber
