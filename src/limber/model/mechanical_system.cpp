#include "limber/model/mechanical_system.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

auto block(Vector& x, int i) { return x.segment<3>(3 * static_cast<Index>(i)); }
auto block(const Vector& x, int i) { return x.segment<3>(3 * static_cast<Index>(i)); }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

MechanicalSystem::MechanicalSystem(Parts parts)
    : reference_(std::move(parts.positions)),
      masses_(std::move(parts.masses)),
      forces_(std::move(parts.forces)),
      length_scale_(parts.length_scale) {
  const int n = static_cast<int>(reference_.size() / 3);
  std::vector<int> motion(at(n), -1);
  for (auto& p : parts.prescriptions) {
    for (const int node : p.nodes) motion[at(node)] = static_cast<int>(motions_.size());
    scripted_ = scripted_ || !p.motion.is_constant();
    motions_.push_back(std::move(p.motion));
  }
  free_index_.assign(at(n), -1);
  prescribed_index_.assign(at(n), -1);
  for (int i = 0; i < n; ++i) {
    if (motion[at(i)] < 0) {
      free_index_[at(i)] = static_cast<int>(free_nodes_.size());
      free_nodes_.push_back(i);
    } else {
      prescribed_index_[at(i)] = static_cast<int>(prescribed_nodes_.size());
      prescribed_nodes_.push_back(i);
      motion_of_.push_back(motion[at(i)]);
    }
  }
  if (free_nodes_.empty()) throw InputError("bodies", "no node is free to move");

  Storage storage = Storage::lower;
  std::vector<std::pair<int, int>> coupled, pairs;
  for (const auto& f : forces_) {
    const auto traits = f->traits();
    if (!traits.symmetric) storage = Storage::full;
    velocity_dependent_ = velocity_dependent_ || traits.velocity_dependent;
    has_potential_ = has_potential_ && traits.has_potential;
    time_dependent_ = time_dependent_ || traits.time_dependent;
    f->add_couplings(coupled);
  }
  for (const auto& m : masses_)
    if (m.a != m.b) {
      coupled.emplace_back(m.a, m.b);
      coupled_mass_ = true;
    }
  time_dependent_ = time_dependent_ || scripted_;
  find_loose_parts(coupled);
  for (const auto& [a, b] : coupled)
    if (free_index_[at(a)] >= 0 && free_index_[at(b)] >= 0 && a != b)
      pairs.emplace_back(free_index_[at(a)], free_index_[at(b)]);
  pattern_ = BlockPattern(static_cast<int>(free_nodes_.size()), pairs, storage);
  for (const auto& f : forces_) f->bind(pattern_, free_index_);

  mass_ = pattern_.zero();
  const auto add = [&](int a, int b, double m) {
    const int fa = free_index_[at(a)], fb = free_index_[at(b)];
    if (fa < 0 || fb < 0 || (storage == Storage::lower && fa < fb)) return;
    const auto slot = pattern_.slot(fa, fb);
    for (int c = 0; c < 3; ++c) mass_.valuePtr()[slot.at(c, c)] += m;
  };
  for (const auto& m : masses_) {
    add(m.a, m.b, m.m);
    if (m.a != m.b) add(m.b, m.a, m.m);
  }
  if (!coupled_mass_) diagonal_ = mass_.diagonal();
  for (const int node : free_nodes_)
    if (!(mass_.coeff(3 * free_index_[at(node)], 3 * free_index_[at(node)]) > 0))
      throw InputError("bodies", "node " + std::to_string(node) + " is free but has no mass");
}

void MechanicalSystem::find_loose_parts(const std::vector<std::pair<int, int>>& coupled) {
  std::vector<int> root(free_index_.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[at(i)] != i) i = root[at(i)] = root[at(root[at(i)])];
    return i;
  };
  for (const auto& [a, b] : coupled) {
    const int x = find(a), y = find(b);
    root[at(std::max(x, y))] = std::min(x, y);  // the smallest node names the part
  }
  std::map<int, std::vector<int>> parts;
  for (const int node : free_nodes_) parts[find(node)].push_back(free_index_[at(node)]);
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
    throw StepFailure("the mass matrix could not be solved with");
  return x;
}

MechanicalSystem::Prescribed MechanicalSystem::prescribed(double t) const {
  const Index n = 3 * static_cast<Index>(prescribed_nodes_.size());
  Prescribed p{Vector(n), Vector(n), Vector(n)};
  std::vector<RigidMotion> now;
  for (const auto& m : motions_) now.push_back(m.at(t));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i) {
    Vec3 x, v, a;
    now[at(motion_of_[at(i)])].evaluate(block(reference_, prescribed_nodes_[at(i)]), x, v, a);
    block(p.x, i) = x;
    block(p.v, i) = v;
    block(p.a, i) = a;
  }
  return p;
}

Vector MechanicalSystem::restrict_to_free(const Vector& full) const {
  Vector x(size());
  for (int i = 0; i < static_cast<int>(free_nodes_.size()); ++i) block(x, i) = block(full, free_nodes_[at(i)]);
  return x;
}

State MechanicalSystem::full(const State& u) const {
  const Prescribed p = prescribed(u.t);
  State all{Vector(reference_.size()), Vector(reference_.size()), u.t};
  for (int i = 0; i < nodes(); ++i) {
    if (const int f = free_index_[at(i)]; f >= 0) {
      block(all.q, i) = block(u.q, f);
      block(all.v, i) = block(u.v, f);
    } else {
      block(all.q, i) = block(p.x, prescribed_index_[at(i)]);
      block(all.v, i) = block(p.v, prescribed_index_[at(i)]);
    }
  }
  return all;
}

State MechanicalSystem::state(const Vector& positions, const Vector& velocities, double t) const {
  return {restrict_to_free(positions), restrict_to_free(velocities), t};
}

Vector MechanicalSystem::full_force(const State& all) const {
  Vector f = Vector::Zero(reference_.size());
  for (const auto& force : forces_) force->add_force(all, f);
  return f;
}

void MechanicalSystem::finish_force(const Vector& full, double t, Vector& f) const {
  f = restrict_to_free(full);
  if (!coupled_mass_ || !scripted_) return;
  const Prescribed p = prescribed(t);
  const auto subtract = [&](int a, int b, double m) {
    if (free_index_[at(a)] >= 0 && prescribed_index_[at(b)] >= 0)
      block(f, free_index_[at(a)]) -= m * block(p.a, prescribed_index_[at(b)]);
  };
  for (const auto& m : masses_) {
    if (m.a == m.b) continue;
    subtract(m.a, m.b, m.m);
    subtract(m.b, m.a, m.m);
  }
}

Vector MechanicalSystem::force(const State& u) const {
  Vector f;
  finish_force(full_force(full(u)), u.t, f);
  return f;
}

TangentBuilder MechanicalSystem::builder(Definiteness d, Tangent& T) const {
  if (T.K.nonZeros() != mass_.nonZeros() || T.K.rows() != mass_.rows()) T.K = mass_;
  std::fill_n(T.K.valuePtr(), T.K.nonZeros(), 0.0);
  if (velocity_dependent_) {
    if (T.D.nonZeros() != mass_.nonZeros() || T.D.rows() != mass_.rows()) T.D = mass_;
    std::fill_n(T.D.valuePtr(), T.D.nonZeros(), 0.0);
  }
  return {pattern_, free_index_, d, T.K.valuePtr(), velocity_dependent_ ? T.D.valuePtr() : nullptr};
}

void MechanicalSystem::tangent(const State& u, Definiteness d, Tangent& T) const {
  auto b = builder(d, T);
  const State all = full(u);
  for (const auto& force : forces_) force->add_tangent(all, b);
}

Vector MechanicalSystem::linearize(const State& u, Definiteness d, Tangent& T) const {
  auto b = builder(d, T);
  const State all = full(u);
  Vector f = Vector::Zero(reference_.size()), free;
  for (const auto& force : forces_) force->linearize(all, f, b);
  finish_force(f, u.t, free);
  return free;
}

std::optional<Potentials> MechanicalSystem::potentials(const State& u) const {
  if (!has_potential_ || (coupled_mass_ && scripted_)) return std::nullopt;
  const State all = full(u);
  Potentials sum;
  for (const auto& force : forces_) {
    const auto p = force->potentials(all);
    if (!p) return std::nullopt;
    sum += *p;
  }
  return sum;
}

double MechanicalSystem::max_step(const Vector& q, const Vector& dq, double t) const {
  const State from = full({q, Vector::Zero(q.size()), t});
  Vector d = Vector::Zero(reference_.size());
  for (int i = 0; i < static_cast<int>(free_nodes_.size()); ++i) block(d, free_nodes_[at(i)]) = block(dq, i);
  double s = 1;
  for (const auto& force : forces_) s = std::min(s, force->max_step(from.q, d));
  return s;
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

Vector MechanicalSystem::reactions(const State& u) const {
  const State all = full(u);
  const Vector f = full_force(all);
  Vector free;
  finish_force(f, u.t, free);
  const Vector a = solve_mass(free);
  const Prescribed p = prescribed(u.t);
  const auto acceleration = [&](int i) -> Vec3 {
    return free_index_[at(i)] >= 0 ? Vec3(block(a, free_index_[at(i)])) : Vec3(block(p.a, prescribed_index_[at(i)]));
  };
  Vector r(3 * static_cast<Index>(prescribed_nodes_.size()));
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i)
    block(r, i) = -block(f, prescribed_nodes_[at(i)]);
  for (const auto& m : masses_) {
    if (const int i = prescribed_index_[at(m.a)]; i >= 0) block(r, i) += m.m * acceleration(m.b);
    if (const int i = prescribed_index_[at(m.b)]; i >= 0 && m.a != m.b) block(r, i) += m.m * acceleration(m.a);
  }
  return r;
}

double MechanicalSystem::total_mass() const {
  double sum = 0;
  for (const auto& m : masses_) sum += (m.a == m.b ? 1 : 2) * m.m;
  return sum;
}

}  // namespace limber
