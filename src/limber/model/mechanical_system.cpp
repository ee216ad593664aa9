#include "limber/model/mechanical_system.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
/// The whole system's mass, pattern and prescribed motion, with some of its forces.
class MechanicalSystem::Part final : public System {
 public:
  Part(const MechanicalSystem& whole, const Forces& forces) : whole_(whole), forces_(forces) {
    for (const auto& f : forces_) {
      time_dependent_ = time_dependent_ || f->traits().time_dependent;
      has_potential_ = has_potential_ && f->traits().has_potential;
    }
  }

  Index size() const override { return whole_.size(); }
  bool symmetric() const override { return whole_.symmetric(); }
  bool velocity_dependent() const override { return whole_.velocity_dependent(); }
  bool time_dependent() const override { return time_dependent_ || whole_.scripted_; }
  const SparseMatrix& mass() const override { return whole_.mass_; }
  Vector apply_mass(const Vector& x) const override { return whole_.apply_mass(x); }
  Vector solve_mass(const Vector& f) const override { return whole_.solve_mass(f); }
  Vector force(const State& u) const override { return whole_.force_of(u, forces_); }
  void tangent(const State& u, Definiteness d, Tangent& T) const override { whole_.linearize_by(u, d, T, forces_); }
  Vector linearize(const State& u, Definiteness d, Tangent& T) const override {
    return whole_.linearize_by(u, d, T, forces_);
  }
  std::optional<Potentials> potentials(const State& u) const override {
    if (!has_potential_ || (whole_.coupled_mass_ && whole_.scripted_)) return std::nullopt;
    return whole_.potentials_of(u, forces_);
  }
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override {
    return whole_.max_step_of(q, dq, t0, t1, forces_);
  }
  double length_scale() const override { return whole_.length_scale(); }
  Matrix rigid_motions(const State& u) const override { return whole_.rigid_motions(u); }

 private:
  const MechanicalSystem& whole_;
  const Forces& forces_;
  bool time_dependent_ = false, has_potential_ = true;
};

MechanicalSystem::MechanicalSystem(Parts parts)
    : reference_(std::move(parts.positions)),
      masses_(std::move(parts.masses)),
      forces_(std::move(parts.forces)),
      gaps_(std::move(parts.gaps)),
      prescriptions_(std::move(parts.prescriptions)),
      all_ties_(std::move(parts.ties)),
      length_scale_(parts.length_scale) {
  for (const auto& f : forces_) {
    const auto traits = f->traits();
    if (!traits.symmetric) storage_ = Storage::full;
    velocity_dependent_ = velocity_dependent_ || traits.velocity_dependent;
    has_potential_ = has_potential_ && traits.has_potential;
    forces_depend_on_time_ = forces_depend_on_time_ || traits.time_dependent;
    lag_ = std::max(lag_, traits.lag);
    (traits.contact ? contact_forces_ : smooth_forces_).push_back(f);
  }
  for (const auto& m : masses_) coupled_mass_ = coupled_mass_ || m.a != m.b;
  arrange();
  if (!contact_forces_.empty()) {
    smooth_ = std::make_unique<Part>(*this, smooth_forces_);
    contact_ = std::make_unique<Part>(*this, contact_forces_);
  }
}

void MechanicalSystem::arrange() {
  const int n = static_cast<int>(reference_.size() / 3);
  std::vector<int> holds(ix(n), -1);
  scripted_ = false;
  for (std::size_t k = 0; k < prescriptions_.size(); ++k) {
    const Prescription& p = prescriptions_[k];
    if (p.until <= released_) continue;
    for (const int node : p.nodes) holds[ix(node)] = static_cast<int>(k);
    scripted_ = scripted_ || !p.motion.is_constant();
  }
  time_dependent_ = forces_depend_on_time_ || scripted_;
  free_index_.assign(ix(n), -1);
  prescribed_index_.assign(ix(n), -1);
  free_nodes_.clear();
  prescribed_nodes_.clear();
  prescription_of_.clear();
  for (int i = 0; i < n; ++i) {
    if (holds[ix(i)] < 0) {
      free_index_[ix(i)] = static_cast<int>(free_nodes_.size());
      free_nodes_.push_back(i);
    } else {
      prescribed_index_[ix(i)] = static_cast<int>(prescribed_nodes_.size());
      prescribed_nodes_.push_back(i);
      prescription_of_.push_back(holds[ix(i)]);
    }
  }
  if (free_nodes_.empty()) throw InputError("bodies", "no node is free to move");
  ties_ = Ties(all_ties_, free_index_);
  unknown_nodes_.clear();
  for (int f = 0; f < static_cast<int>(free_nodes_.size()); ++f)
    if (ties_.terms(f).size() == 1) unknown_nodes_.push_back(free_nodes_[ix(f)]);

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
  find_loose_parts(coupled);
  std::sort(fixed_couplings_.begin(), fixed_couplings_.end());
  fixed_couplings_.erase(std::unique(fixed_couplings_.begin(), fixed_couplings_.end()), fixed_couplings_.end());
  make_pattern({});
  diagonal_ = !coupled_mass_ && !ties_.any() ? Vector(mass_.diagonal()) : Vector();
  for (int i = 0; i < ties_.unknowns(); ++i)
    if (!(mass_.coeff(3 * i, 3 * i) > 0))
      throw InputError("bodies", "node " + std::to_string(unknown_nodes_[ix(i)]) + " is free but has no mass");
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

MechanicalSystem::~MechanicalSystem() = default;

void MechanicalSystem::make_pattern(const Couplings& more) const {
  Couplings pairs = fixed_couplings_;
  pairs.insert(pairs.end(), more.begin(), more.end());
  pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), pairs, storage_);
  if (lag_ == Lag::each_iterate)
    aside_pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), more, Storage::full);
  for (const auto& f : forces_) f->bind(pattern_, free_index_);
  if (ties_.any()) ties_.bind(pattern_);
  make_mass();
}

void MechanicalSystem::make_mass() const {
  mass_solver_.reset();
  mass_ = pattern_.zero();
  const auto add = [&](int a, int b, double m) {
    const int fa = free_index_[ix(a)], fb = free_index_[ix(b)];
    if (fa < 0 || fb < 0 || (storage_ == Storage::lower && fa < fb)) return;
    const auto slot = pattern_.slot(fa, fb);
    for (int c = 0; c < 3; ++c) mass_.valuePtr()[slot.at(c, c)] += m;
  };
  for (const auto& m : masses_) {
    add(m.a, m.b, m.m);
    if (m.a != m.b) add(m.b, m.a, m.m);
  }
  if (!ties_.any()) return;
  const SparseMatrix of_nodes = std::move(mass_);
  mass_ = ties_.pattern().zero();
  ties_.add_reduced(of_nodes.valuePtr(), mass_.valuePtr());
}

std::vector<double> MechanicalSystem::memory() const {
  std::vector<double> all;
  for (const auto& f : forces_) {
    const auto part = f->memory();
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
  for (const auto& f : forces_) {
    if (next == memory.end()) fail();
    const double count = *next++;
    if (!(count >= 0) || !(count <= static_cast<double>(memory.end() - next))) fail();
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    f->restore({next, end});
    next = end;
  }
  if (next != memory.end()) fail();
}

bool MechanicalSystem::adapt(const State& u, double budget) {
  if (contact_forces_.empty()) return false;
  const State all = full(u);
  bool changed = false;
  for (const auto& f : contact_forces_) changed = f->adapt(all, budget) || changed;
  return changed;
}

void MechanicalSystem::reset_pattern() {
  if (!contact_forces_.empty()) make_pattern({});
}

void MechanicalSystem::couple(const State& all) const {
  Couplings now, soon;
  for (const auto& f : contact_forces_) f->add_couplings_at(all, now);
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
  const bool fits = holds(pattern_);
  if (fits && (lag_ != Lag::each_iterate || holds(aside_pattern_))) return;
  for (const auto& f : contact_forces_) f->add_couplings_soon(all, soon);
  to_free(soon);
  now.insert(now.end(), soon.begin(), soon.end());
  if (fits)
    aside_pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), now, Storage::full);
  else
    make_pattern(now);
}

void MechanicalSystem::find_loose_parts(const std::vector<std::pair<int, int>>& coupled) {
  std::vector<int> root(free_index_.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[ix(i)] != i) i = root[ix(i)] = root[ix(root[ix(i)])];
    return i;
  };
  for (const auto& [a, b] : coupled) {
    const int x = find(a), y = find(b);
    root[ix(std::max(x, y))] = std::min(x, y);  // the smallest node names the part
  }
  std::map<int, std::vector<int>> parts;
  loose_parts_.clear();
  for (int i = 0; i < ties_.unknowns(); ++i) parts[find(unknown_nodes_[ix(i)])].push_back(i);
  for (const int node : prescribed_nodes_) parts.erase(find(node));
  for (auto& [first, nodes] : parts) loose_parts_.push_back(std::move(nodes));
}

Matrix MechanicalSystem::rigid_motions(const State& u) const {
  Matrix R = Matrix::Zero(size(), 6 * static_cast<Index>(loose_parts_.size()));
  Index column = 0;
  for (const auto& part : loose_parts_) {
    Vec3 centre = Vec3::Zero();
    for (const int i : part) centre += block(u.q, i);
    centre /= static_cast<double>(part.size());
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 e = Vec3::Unit(axis);
      for (const int i : part) {
        R.block<3, 1>(3 * i, column + axis) = e;
        R.block<3, 1>(3 * i, column + 3 + axis) = e.cross(Vec3(block(u.q, i) - centre));
      }
    }
    column += 6;
  }
  return R;
}

Vector MechanicalSystem::apply_mass(const Vector& x) const {
  if (diagonal_.size()) return diagonal_.cwiseProduct(x);
  if (symmetric()) return mass_.selfadjointView<Eigen::Lower>() * x;
  return mass_ * x;
}

Vector MechanicalSystem::solve_mass(const Vector& f) const {
  if (diagonal_.size()) return f.cwiseQuotient(diagonal_);
  if (!mass_solver_) {
    mass_solver_ = make_linear_solver("auto", symmetric() ? Symmetry::symmetric : Symmetry::general);
    mass_solver_->set_matrix(mass_);
  }
  Vector x;
  if (mass_solver_->solve(f, x, 1e-14).status != SolveReport::Status::ok)
    throw StepFailure(f.allFinite() ? "the mass matrix could not be solved with" : "the force is not finite");
  return x;
}

namespace {

/// Where a rate jumps at the time of the release, nodes are let go with the one from before.
RigidMotion motion_of(const Prescription& p, double t) {
  constexpr double a_little = 1e-9;  // of the time, which may be rounded
  RigidMotion now = p.motion.at(t);
  if (t < (1 - a_little) * p.until) return now;
  const RigidMotion before = p.motion.at((1 - a_little) * p.until);
  now.translation.rate = before.translation.rate;
  now.translation.acceleration = before.translation.acceleration;
  now.omega = before.omega;
  now.omega_rate = before.omega_rate;
  return now;
}

}  // namespace

MechanicalSystem::Prescribed MechanicalSystem::prescribed(double t) const {
  const Index n = 3 * static_cast<Index>(prescribed_nodes_.size());
  Prescribed p{Vector(n), Vector(n), Vector(n)};
  std::vector<RigidMotion> now;
  for (const auto& p : prescriptions_) now.push_back(motion_of(p, t));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i) {
    Vec3 x, v, a;
    now[ix(prescription_of_[ix(i)])].evaluate(block(reference_, prescribed_nodes_[ix(i)]), x, v, a);
    block(p.x, i) = x;
    block(p.v, i) = v;
    block(p.a, i) = a;
  }
  return p;
}

Vector MechanicalSystem::restrict_to_free(const Vector& full) const {
  Vector x(size());
  for (int i = 0; i < ties_.unknowns(); ++i) block(x, i) = block(full, unknown_nodes_[ix(i)]);
  return x;
}

Vector MechanicalSystem::spread(const Vector& x) const {
  Vector all = Vector::Zero(reference_.size());
  const Vector tied = ties_.any() ? ties_.spread(x) : Vector();
  const Vector& free = ties_.any() ? tied : x;
  for (int i = 0; i < static_cast<int>(free_nodes_.size()); ++i) block(all, free_nodes_[ix(i)]) = block(free, i);
  return all;
}

Vector MechanicalSystem::gather(const Vector& full) const {
  if (!ties_.any()) return restrict_to_free(full);
  Vector f(3 * static_cast<Index>(free_nodes_.size()));
  for (int i = 0; i < static_cast<int>(free_nodes_.size()); ++i) block(f, i) = block(full, free_nodes_[ix(i)]);
  return ties_.gather(f);
}

State MechanicalSystem::full(const State& u) const {
  const Prescribed p = prescribed(u.t);
  State all{spread(u.q), spread(u.v), u.t};
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i) {
    block(all.q, prescribed_nodes_[ix(i)]) = block(p.x, i);
    block(all.v, prescribed_nodes_[ix(i)]) = block(p.v, i);
  }
  return all;
}

State MechanicalSystem::state(const Vector& positions, const Vector& velocities, double t) const {
  return {restrict_to_free(positions), restrict_to_free(velocities), t};
}

Vector MechanicalSystem::full_force(const State& all, const Forces& forces) const {
  Vector f = Vector::Zero(reference_.size());
  for (const auto& force : forces) force->add_force(all, f);
  return f;
}

/// f_f − M_fp q̈_p.
Vector MechanicalSystem::free_force(const Vector& full, double t) const {
  if (!coupled_mass_ || !scripted_) return gather(full);
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
  return gather(f);
}

Vector MechanicalSystem::force_of(const State& u, const Forces& forces) const {
  const Vector all = full_force(full(u), forces);
  return &forces == &contact_forces_ ? gather(all) : free_force(all, u.t);
}

Vector MechanicalSystem::force(const State& u) const { return force_of(u, forces_); }

TangentBuilder MechanicalSystem::builder(Definiteness d, Tangent& T) const {
  T.taken_out.reset();
  T.unsymmetric.resize(0, 0);
  const auto clear = [&](SparseMatrix& A) {
    if (!same_pattern(A, mass_)) A = mass_;
    std::fill_n(A.valuePtr(), A.nonZeros(), 0.0);
  };
  clear(T.K);
  if (velocity_dependent_) clear(T.D);
  double *K = T.K.valuePtr(), *D = velocity_dependent_ ? T.D.valuePtr() : nullptr;
  if (ties_.any()) {
    K = node_K_.setZero(pattern_.entries()).data();
    if (D) D = node_D_.setZero(pattern_.entries()).data();
  }
  return {pattern_, free_index_, d, K, D, {&aside_pattern_, &T.unsymmetric}};
}

void MechanicalSystem::reduce(Tangent& T) const {
  if (!ties_.any()) return;
  ties_.add_reduced(node_K_.data(), T.K.valuePtr());
  if (velocity_dependent_) ties_.add_reduced(node_D_.data(), T.D.valuePtr());
  if (T.unsymmetric.size() > 0) T.unsymmetric = ties_.reduced(T.unsymmetric);
}

void MechanicalSystem::tangent(const State& u, Definiteness d, Tangent& T) const {
  const State all = full(u);
  couple(all);
  auto b = builder(d, T);
  for (const auto& force : forces_) force->add_tangent(all, b);
  reduce(T);
}

Vector MechanicalSystem::linearize_by(const State& u, Definiteness d, Tangent& T, const Forces& forces) const {
  const State all = full(u);
  if (&forces != &smooth_forces_) couple(all);
  auto b = builder(d, T);
  Vector f = Vector::Zero(reference_.size());
  for (const auto& force : forces) force->linearize(all, f, b);
  reduce(T);
  return &forces == &contact_forces_ ? gather(f) : free_force(f, u.t);
}

Vector MechanicalSystem::linearize(const State& u, Definiteness d, Tangent& T) const {
  return linearize_by(u, d, T, forces_);
}

std::optional<Potentials> MechanicalSystem::potentials_of(const State& u, const Forces& forces) const {
  const State all = full(u);
  Potentials sum;
  for (const auto& force : forces) {
    const auto p = force->potentials(all);
    if (!p) return std::nullopt;
    sum += *p;
  }
  return sum;
}

std::optional<Potentials> MechanicalSystem::potentials(const State& u) const {
  if (!has_potential_ || (coupled_mass_ && scripted_)) return std::nullopt;
  return potentials_of(u, forces_);
}

double MechanicalSystem::max_step_of(const Vector& q, const Vector& dq, double t0, double t1,
                                     const Forces& forces) const {
  const Vector from = full({q, Vector::Zero(q.size()), t0}).q;
  Vector d = spread(dq);
  if (t0 != t1 && scripted_) d += full({q, Vector::Zero(q.size()), t1}).q - from;  // what is free cancels
  double s = 1;
  for (const auto& force : forces) s = std::min(s, force->max_step(from, d, t0, t1));
  return s;
}

double MechanicalSystem::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  return max_step_of(q, dq, t0, t1, forces_);
}

double MechanicalSystem::smallest_gap(const State& u) const {
  double gap = std::numeric_limits<double>::infinity();
  if (contact_forces_.empty()) return gap;
  const State all = full(u);
  for (const auto& force : contact_forces_) gap = std::min(gap, force->smallest_gap(all));
  return gap;
}

void MechanicalSystem::hold(const State& u) const {
  if (lag_ == Lag::none) return;
  const State all = full(u);
  for (const auto& force : contact_forces_) force->hold(all);
}

void MechanicalSystem::begin_step(const State& u) {
  const State all = full(u);
  for (const auto& force : forces_) force->begin_step(all);
}

Energies MechanicalSystem::energies(const State& u) const {
  const State all = full(u);
  Energies e;
  for (const auto& m : masses_) e.kinetic += (m.a == m.b ? 0.5 : 1) * m.m * block(all.v, m.a).dot(block(all.v, m.b));
  for (const auto& force : forces_) {
    const auto p = force->potentials(all);
    if (!p) continue;
    switch (force->traits().energy) {
      case EnergyKind::elastic:
        e.elastic += p->stored;
        break;
      case EnergyKind::gravitational:
        e.gravitational += p->stored;
        break;
      case EnergyKind::contact:
        e.contact += p->stored;
        break;
      case EnergyKind::other:
        e.other += p->stored;
        break;
    }
  }
  return e;
}

double MechanicalSystem::damping_power(const State& u) const {
  const State all = full(u);
  double power = 0;
  for (const auto& force : forces_) power += force->damping_power(all);
  return power;
}

double MechanicalSystem::friction_power(const State& u) const {
  if (contact_forces_.empty()) return 0;
  const State all = full(u);
  double power = 0;
  for (const auto& force : contact_forces_) power += force->friction_power(all);
  return power;
}

double MechanicalSystem::work_put_in(const State& from, const State& to) const {
  const State a = full(from), b = full(to);
  double both = 0, at_start = 0, at_end = 0;
  Vector free_start = Vector::Zero(a.q.size()), free_end = free_start;
  bool any_free = false;
  for (const auto& force : forces_) {
    const auto traits = force->traits();
    if (traits.contact) {
      if (!traits.time_dependent) continue;
      at_start += force->driving_work(a, a.t, b.t);
      at_end += force->driving_work(b, a.t, b.t);
    } else if (!traits.has_potential && !traits.dissipates) {
      force->add_force(a, free_start);
      force->add_force(b, free_end);
      any_free = true;
    } else if (traits.has_potential && traits.time_dependent) {
      // What time alone changes of W, at both ends: no derivative is asked for, so loads may jump.
      const auto stored = [&](const State& u, double t) { return force->potentials({u.q, u.v, t})->stored; };
      both += .5 * (stored(a, b.t) - stored(a, a.t) + stored(b, b.t) - stored(b, a.t));
      // Damping relative to something that moves: what it does to the nodes, and 2R, which it takes up.
      const auto driven = [&](const State& u) {
        return 2 * force->potentials(u)->dissipated - force->damping_power(u);
      };
      if (traits.velocity_dependent) {
        at_start += (b.t - a.t) * driven(a);
        at_end += (b.t - a.t) * driven(b);
      }
    }
  }
  if (any_free) {
    at_start += free_start.dot(b.q - a.q);
    at_end += free_end.dot(b.q - a.q);
  }
  if (scripted_) {
    at_start += work_of_scripts(a, b, full_force(a, forces_));
    at_end += work_of_scripts(a, b, full_force(b, forces_));
  }
  return both + std::max(at_end, .5 * (at_start + at_end));
}

/// With the forces f on all nodes: what prescribed nodes need to go on as they do, and the change of their kinetic
/// energy. Masses that couple them with free nodes count with the mean acceleration of these.
double MechanicalSystem::work_of_scripts(const State& a, const State& b, const Vector& f) const {
  double work = 0;
  for (const int node : prescribed_nodes_) work -= block(f, node).dot(block(b.q, node) - block(a.q, node));
  const double h = b.t - a.t;
  for (const auto& m : masses_) {
    const bool pa = prescribed_index_[ix(m.a)] >= 0, pb = prescribed_index_[ix(m.b)] >= 0;
    if (pa && pb) {
      work +=
          (m.a == m.b ? .5 : 1) * m.m * (block(b.v, m.a).dot(block(b.v, m.b)) - block(a.v, m.a).dot(block(a.v, m.b)));
    } else if (pa || pb) {
      const int p = pa ? m.a : m.b, free = pa ? m.b : m.a;
      work += m.m / h * (block(b.v, free) - block(a.v, free)).dot(block(b.q, p) - block(a.q, p));
    }
  }
  return work;
}

Vector MechanicalSystem::reactions(const State& u) const {
  const State all = full(u);
  const Vector f = full_force(all, forces_);
  const Vector a = spread(solve_mass(free_force(f, u.t)));
  const Prescribed p = prescribed(u.t);
  const auto acceleration = [&](int i) -> Vec3 {
    return free_index_[ix(i)] >= 0 ? block(a, i) : block(p.a, prescribed_index_[ix(i)]);
  };
  Vector r(3 * static_cast<Index>(prescribed_nodes_.size()));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i)
    block(r, i) = -block(f, prescribed_nodes_[ix(i)]);
  for (const auto& m : masses_) {
    if (const int i = prescribed_index_[ix(m.a)]; i >= 0) block(r, i) += m.m * acceleration(m.b);
    if (const int i = prescribed_index_[ix(m.b)]; i >= 0 && m.a != m.b) block(r, i) += m.m * acceleration(m.a);
  }
  return r;
}

double MechanicalSystem::total_mass() const {
  double sum = 0;
  for (const auto& m : masses_) sum += (m.a == m.b ? 1 : 2) * m.m;
  return sum;
}

}  // namespace limber
