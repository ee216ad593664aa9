/// MechanicalSystem's unknowns and its nodes: from one to the other, and the nodes of all processes.
#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {
namespace {

constexpr double copy_cost = 3;  // [ns]

/// visit(i) for i in 0 … n − 1; each takes about `cost` [ns].
template <class Visit>
void for_nodes(std::size_t n, double cost, const Visit& visit) {
  in_pieces(
      n, 2048, [&](std::size_t i) { visit(static_cast<int>(i)); }, cost);
}

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

MechanicalSystem::Prescribed MechanicalSystem::prescribed(double t, std::optional<double> still) const {
  const Index n = 3 * static_cast<Index>(prescribed_nodes_.size());
  Prescribed p{Vector(n), Vector(n), Vector(n)};
  std::vector<RigidMotion> now;
  for (const auto& p : prescriptions_) now.push_back(still ? p.motion.still(t, *still) : motion_of(p, t));
  for_nodes(prescribed_nodes_.size(), 50, [&](int i) {
    Vec3 x, v, a;
    const int node = prescribed_nodes_[ix(i)];
    if (prescription_of_[ix(i)] >= 0) {
      now[ix(prescription_of_[ix(i)])].evaluate(block(reference_, node), x, v, a);
      block(p.x, i) = x;
      block(p.v, i) = v;
      block(p.a, i) = a;
      return;
    }
    for (Vector* part : {&p.x, &p.v, &p.a}) block(*part, i).setZero();
    for (const auto& [k, held] : guided_[ix(guide_of_[ix(node)])].held) {
      now[ix(k)].evaluate(block(reference_, node), x, v, a);
      block(p.x, i) += held * x;
      block(p.v, i) += held * v;
      block(p.a, i) += held * a;
    }
  });
  return p;
}

Vector MechanicalSystem::restrict_to_free(const Vector& full) const {
  Vector x(size());
  for_nodes(unknown_nodes_.size(), copy_cost, [&](int i) { block(x, i) = block(full, unknown_nodes_[ix(i)]); });
  return x;
}

Vector MechanicalSystem::spread(const Vector& x) const {
  Vector all = on_nodes(x);
  for (const GuidedNode& g : guided_) block(all, g.node) = g.free * Vec3(block(all, g.node));
  return all;
}

Vector MechanicalSystem::on_nodes(const Vector& x) const {
  Vector all(reference_.size());
  const Vector tied = ties_.any() ? ties_.spread(x) : Vector();
  const Vector& free = ties_.any() ? tied : x;
  for_nodes(free_index_.size(), copy_cost, [&](int node) {
    if (const int i = free_index_[ix(node)]; i >= 0)
      block(all, node) = block(free, i);
    else
      block(all, node).setZero();
  });
  return all;
}

Vector MechanicalSystem::gather(const Vector& full) const {
  Vector f;
  if (ties_.any()) {
    Vector free(3 * static_cast<Index>(free_nodes_.size()));
    for_nodes(free_nodes_.size(), copy_cost, [&](int i) { block(free, i) = block(full, free_nodes_[ix(i)]); });
    f = ties_.gather(free);
  } else {
    f = restrict_to_free(full);
  }
  guides_.project(f);
  return f;
}

State MechanicalSystem::full(const State& u) const {
  const Prescribed p = prescribed(u.t);
  State all{on_nodes(u.q), on_nodes(u.v), u.t};
  if (space_.shared())
    for (int i = 0; i < nodes(); ++i)
      if (free_index_[ix(i)] < 0) block(all.q, i) = block(reference_, i);
  for (int i = 0; i < static_cast<int>(prescribed_nodes_.size()); ++i) {
    const int node = prescribed_nodes_[ix(i)];
    if (guided(node)) {
      const Mat3& free = guided_[ix(guide_of_[ix(node)])].free;
      block(all.q, node) = free * Vec3(block(all.q, node)) + block(p.x, i);
      block(all.v, node) = free * Vec3(block(all.v, node)) + block(p.v, i);
      continue;
    }
    block(all.q, node) = block(p.x, i);
    block(all.v, node) = block(p.v, i);
  }
  return all;
}

State MechanicalSystem::everywhere(const State& u) const {
  State here = full(u);
  if (!space_.shared()) return here;
  const Index size = 3 * static_cast<Index>(holders_.nodes);
  State all{Vector::Zero(size), Vector::Zero(size), u.t};
  for (int i = 0; i < nodes(); ++i) {
    if (holders_.speaker(i) != space_.processes().rank()) continue;
    block(all.q, holders_.scene_number(i)) = block(here.q, i);
    block(all.v, holders_.scene_number(i)) = block(here.v, i);
  }
  for (Vector* x : {&all.q, &all.v}) space_.processes().sum({x->data(), static_cast<std::size_t>(x->size())});
  return all;
}

void MechanicalSystem::show(const State& u, const ShowNodes& piece) const {
  const State here = full(u);
  if (!space_.shared()) return piece(0, here.q, here.v);
  constexpr int most = 1 << 17;  // nodes at a time
  const Communicator& all = space_.processes();
  for (int first = 0, i = 0; first < holders_.nodes; first += most) {
    const int end = std::min(first + most, holders_.nodes);
    std::vector<double> mine;  // number, position, velocity
    for (; i < nodes() && holders_.scene_number(i) < end; ++i) {
      if (holders_.speaker(i) != all.rank()) continue;
      mine.push_back(holders_.scene_number(i) - first);
      for (const Vector* x : {&here.q, &here.v}) {
        const Vec3 at = block(*x, i);
        mine.insert(mine.end(), at.begin(), at.end());
      }
    }
    const auto lists = all.gather_to_root(std::move(mine));
    if (all.rank() > 0) continue;
    Vector q(3 * (end - first)), v(3 * (end - first));
    for (const auto& list : lists)
      for (std::size_t k = 0; k < list.size(); k += 7) {
        block(q, static_cast<int>(list[k])) = Vec3(list[k + 1], list[k + 2], list[k + 3]);
        block(v, static_cast<int>(list[k])) = Vec3(list[k + 4], list[k + 5], list[k + 6]);
      }
    piece(first, q, v);
  }
}

State MechanicalSystem::state(const Vector& positions, const Vector& velocities, double t) const {
  State u{restrict_to_free(positions), restrict_to_free(velocities), t};
  guides_.project(u.v);
  return u;
}

}  // namespace limber
