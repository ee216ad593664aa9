#include "limber/model/unknown_map.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double copy_cost = 3;  // [ns]

/// Calls visit(i) for i in 0 … n − 1 in parallel. Each call takes about `cost` [ns].
template <class Visit>
void for_nodes(std::size_t n, double cost, const Visit& visit) {
  in_pieces(
      n, 2048, [&](std::size_t i) { visit(static_cast<int>(i)); }, cost);
}

/// A vector of the unknowns on all nodes; on those without any, zero or what `elsewhere` has there.
Vector on_all(const std::vector<int>& free_index, const Ties& ties, const Vector& x,
              const Vector* elsewhere = nullptr) {
  Vector all(3 * static_cast<Index>(free_index.size()));
  const Vector tied = ties.any() ? ties.spread(x) : Vector();
  const Vector& free = ties.any() ? tied : x;
  for_nodes(free_index.size(), copy_cost, [&](int node) {
    if (const int i = free_index[ix(node)]; i >= 0)
      block(all, node) = block(free, i);
    else if (elsewhere)
      block(all, node) = block(*elsewhere, node);
    else
      block(all, node).setZero();
  });
  return all;
}

/// The prescribed motion at t. If a rate jumps at the time of release, nodes are released with the rate before it.
RigidMotion motion_of(const Prescription& p, double t) {
  constexpr double a_little = 1e-9;  // relative time tolerance, for rounding
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

NodeLayout::NodeLayout(Vector reference_, std::vector<Prescription> prescriptions_, std::vector<Tie> ties_,
                       NodeHolders holders_)
    : reference(std::move(reference_)),
      prescriptions(std::move(prescriptions_)),
      tied(static_cast<std::size_t>(reference.size() / 3), 0),
      ties(std::move(ties_)),
      holders(std::move(holders_)) {
  for (const Tie& t : ties) tied[ix(t.node)] = 1;
  std::erase_if(ties, [&](const Tie& t) { return !holders.holds(t.node); });
}

UnknownMap::UnknownMap(std::shared_ptr<const NodeLayout> layout, double released)
    : layout_(std::move(layout)), released_(released) {
  std::vector<int> holds(layout_->tied.size(), -1);
  for (std::size_t k = 0; k < layout_->prescriptions.size(); ++k) {
    const Prescription& p = layout_->prescriptions[k];
    if (p.until <= released_) continue;
    if (p.held.isIdentity(0))
      for (const int node : p.nodes) holds[ix(node)] = static_cast<int>(k);
    prescribed_.scripted = prescribed_.scripted || !p.motion.is_constant();
  }
  find_guides(holds);
  const std::vector<int> without_unknowns = number_nodes(holds);
  ties_ = Ties(layout_->ties, free_index_);
  for (int f = 0; f < static_cast<int>(free_nodes_.size()); ++f)
    if (!ties_.tied(f)) unknown_nodes_.push_back(free_nodes_[ix(f)]);
  unknown_positions_.resize(size());
  std::vector<Guides::Unknown> guides;
  for (int i = 0; i < ties_.unknowns(); ++i) {
    const int node = unknown_nodes_[ix(i)];
    block(unknown_positions_, i) = block(reference(), node);
    if (const Mat3* free = guide(node)) guides.push_back({i, *free});
  }
  guides_ = Guides(std::move(guides), ties_.unknowns());
  space_ = Space(holders(), unknown_nodes_, without_unknowns);
  if (space_.all(unknown_nodes_.empty())) throw InputError("bodies", "no node is free to move");
}

/// Finds nodes that are prescribed in some directions only.
void UnknownMap::find_guides(const std::vector<int>& holds) {
  auto& guided = prescribed_.guided;
  auto& guide_of = prescribed_.guide_of;
  for (std::size_t k = 0; k < layout_->prescriptions.size(); ++k) {
    const Prescription& p = layout_->prescriptions[k];
    if (p.until <= released_ || p.held.isIdentity(0)) continue;
    guide_of.resize(holds.size(), -1);
    for (const int node : p.nodes) {
      if (holds[ix(node)] >= 0) continue;
      int& place = guide_of[ix(node)];
      if (place < 0) {
        place = static_cast<int>(guided.size());
        guided.push_back({node, Mat3::Identity(), {}});
      }
      if (!add_guide(guided[ix(place)], static_cast<int>(k), p.held))
        throw std::logic_error("two prescriptions of a node hold directions that are not orthogonal");
    }
  }
}

std::vector<int> UnknownMap::number_nodes(const std::vector<int>& holds) {
  const NodeHolders& holders = layout_->holders;
  free_index_.assign(holds.size(), -1);
  prescribed_.index.assign(holds.size(), -1);
  std::vector<int> without_unknowns;
  for (int i = 0; i < static_cast<int>(holds.size()); ++i) {
    const bool held = holds[ix(i)] >= 0;
    if (held || guide(i)) {
      prescribed_.index[ix(i)] = static_cast<int>(prescribed_.nodes.size());
      prescribed_.nodes.push_back(i);
      prescribed_.prescription.push_back(holds[ix(i)]);
    }
    if (held || layout_->tied[ix(i)]) without_unknowns.push_back(holders.scene_number(i));
    if (held || !holders.holds(i)) continue;
    free_index_[ix(i)] = static_cast<int>(free_nodes_.size());
    free_nodes_.push_back(i);
  }
  without_unknowns = holders.united(std::move(without_unknowns));
  std::vector<int> in_scene = prescribed_.nodes;
  for (int& node : in_scene) node = holders.scene_number(node);
  prescribed_.in_scene = holders.united(std::move(in_scene));
  return without_unknowns;
}

const Mat3* UnknownMap::guide(int node) const {
  if (prescribed_.guide_of.empty() || prescribed_.guide_of[ix(node)] < 0) return nullptr;
  return &prescribed_.guided[ix(prescribed_.guide_of[ix(node)])].free;
}

Vec3 UnknownMap::free_part(int node, const Vec3& x) const {
  if (const Mat3* free = guide(node)) return *free * x;
  return prescribed_index(node) >= 0 ? Vec3(Vec3::Zero()) : x;
}

PrescribedMotion UnknownMap::prescribed(double t, std::optional<double> still) const {
  const Index n = 3 * static_cast<Index>(prescribed_.nodes.size());
  PrescribedMotion p{Vector(n), Vector(n), Vector(n)};
  std::vector<RigidMotion> now;
  for (const auto& p : layout_->prescriptions) now.push_back(still ? p.motion.still(t, *still) : motion_of(p, t));
  for_nodes(prescribed_.nodes.size(), 50, [&](int i) {
    Vec3 x, v, a;
    const int node = prescribed_.nodes[ix(i)];
    if (const int k = prescribed_.prescription[ix(i)]; k >= 0) {
      now[ix(k)].evaluate(block(reference(), node), x, v, a);
      block(p.x, i) = x;
      block(p.v, i) = v;
      block(p.a, i) = a;
      return;
    }
    for (Vector* part : {&p.x, &p.v, &p.a}) block(*part, i).setZero();
    for (const auto& [k, held] : prescribed_.guided[ix(prescribed_.guide_of[ix(node)])].held) {
      now[ix(k)].evaluate(block(reference(), node), x, v, a);
      block(p.x, i) += held * x;
      block(p.v, i) += held * v;
      block(p.a, i) += held * a;
    }
  });
  return p;
}

double UnknownMap::next_release() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Prescription& p : layout_->prescriptions)
    if (p.until > released_) next = std::min(next, p.until);
  return next;
}

int UnknownMap::releases() const {
  std::set<double> times;
  for (const Prescription& p : layout_->prescriptions)
    if (p.until <= released_) times.insert(p.until);
  return static_cast<int>(times.size());
}

Vector UnknownMap::restrict_to_free(const Vector& full) const {
  Vector x(size());
  for_nodes(unknown_nodes_.size(), copy_cost, [&](int i) { block(x, i) = block(full, unknown_nodes_[ix(i)]); });
  return x;
}

Vector UnknownMap::spread(const Vector& x) const {
  Vector all = on_nodes(x);
  for (const GuidedNode& g : prescribed_.guided) block(all, g.node) = g.free * Vec3(block(all, g.node));
  return all;
}

Vector UnknownMap::on_nodes(const Vector& x) const { return on_all(free_index_, ties_, x); }

Vector UnknownMap::gather(const Vector& full) const {
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

State UnknownMap::full(const State& u, std::optional<double> still) const {
  const PrescribedMotion p = prescribed(u.t, still);
  State all{on_all(free_index_, ties_, u.q, &reference()), on_nodes(u.v), u.t};
  for (int i = 0; i < static_cast<int>(prescribed_.nodes.size()); ++i) {
    const int node = prescribed_.nodes[ix(i)];
    if (const Mat3* free = guide(node)) {
      block(all.q, node) = *free * Vec3(block(all.q, node)) + block(p.x, i);
      block(all.v, node) = *free * Vec3(block(all.v, node)) + block(p.v, i);
      continue;
    }
    block(all.q, node) = block(p.x, i);
    block(all.v, node) = block(p.v, i);
  }
  return all;
}

State UnknownMap::state(const Vector& positions, const Vector& velocities, double t) const {
  State u{restrict_to_free(positions), restrict_to_free(velocities), t};
  guides_.project(u.v);
  return u;
}

}  // namespace limber
