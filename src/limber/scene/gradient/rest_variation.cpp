#include "limber/scene/gradient/rest_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/force/bending.hpp"
#include "limber/force/membrane.hpp"
#include "limber/force/rest_powers.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/scene/construction/build_forces.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/construction/live_bodies.hpp"
#include "limber/scene/gradient/element_variation.hpp"
#include "limber/scene/load.hpp"

namespace limber {
namespace {

/// to += ∂(w · f)/∂X of a force at a state of the body. All are 3N over the body's nodes.
using RestPowers = std::function<void(const State& u, const Vector& w, Eigen::Ref<Vector> to)>;
/// to += ∂(Σ m_ab w_a · y_b)/∂X.
using MassPowers = std::function<void(const Vector& w, const Vector& y, Eigen::Ref<Vector> to)>;

/// Forces on groups of a few nodes, each by itself: central differences by the rest positions of one node of all groups
/// at a time.
class LocalForces {
 public:
  /// The force of groups that are taken apart, from the rest positions of their nodes.
  using Make = std::function<std::shared_ptr<Force>(const std::vector<Vec3>& apart)>;

  /// nodes: `each` of every group.
  LocalForces(std::vector<int> nodes, int each, const std::vector<Vec3>& X, const Make& make)
      : nodes_(std::move(nodes)), each_(static_cast<Index>(each)) {
    std::vector<Vec3> apart;
    for (const int i : nodes_) apart.push_back(X[ix(i)]);
    for (std::size_t first = 0; first < apart.size(); first += ix(each)) {
      const std::vector<Vec3> own(apart.begin() + static_cast<std::ptrdiff_t>(first),
                                  apart.begin() + static_cast<std::ptrdiff_t>(first + ix(each)));
      steps_.push_back(1e-5 * bounding_box(own).diagonal());
    }
    for (Index k = 0; k < each_; ++k)
      for (int axis = 0; axis < 3; ++axis) {
        const auto moved = [&](double sign) {
          std::vector<Vec3> other = apart;
          for (std::size_t g = 0; g < steps_.size(); ++g)
            other[g * ix(each) + static_cast<std::size_t>(k)][axis] += sign * steps_[g];
          return make(other);
        };
        samples_.push_back({moved(1), moved(-1)});
      }
  }

  void operator()(const State& u, const Vector& w, Eigen::Ref<Vector> to) const {
    const State apart{on_groups(u.q), on_groups(u.v), u.t};
    const Vector along = on_groups(w);
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      Vector f = Vector::Zero(along.size()), behind = f;
      samples_[s].ahead->add_force(apart, f);
      samples_[s].behind->add_force(apart, behind);
      f -= behind;
      const auto k = static_cast<Index>(s / 3), axis = static_cast<Index>(s % 3);
      for (std::size_t g = 0; g < steps_.size(); ++g) {
        const Index first = static_cast<Index>(g) * each_;
        const int node = nodes_[static_cast<std::size_t>(first + k)];
        to[3 * static_cast<Index>(node) + axis] +=
            f.segment(3 * first, 3 * each_).dot(along.segment(3 * first, 3 * each_)) / (2 * steps_[g]);
      }
    }
  }

 private:
  struct Sample {
    std::shared_ptr<Force> ahead, behind;
  };
  Vector on_groups(const Vector& x) const {
    Vector y(3 * static_cast<Index>(nodes_.size()));
    for (std::size_t k = 0; k < nodes_.size(); ++k) y.segment<3>(3 * static_cast<Index>(k)) = block(x, nodes_[k]);
    return y;
  }

  std::vector<int> nodes_;
  Index each_;
  std::vector<double> steps_;    // [m] of each group
  std::vector<Sample> samples_;  // of each node of a group and each axis
};

/// The same body with other nodes, and triangles or edges, numbered from 0.
Body other_body(const Body& body, const std::vector<Vec3>& nodes) {
  Body other;
  other.name = body.name;
  other.rest.nodes = nodes;
  return other;
}

Vector stacked(const std::vector<Vec3>& nodes) {
  Vector q(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = nodes[i];
  return q;
}

/// The nodes of the two triangles at each edge: a triangle's, then the other node of its neighbour. `second`: the
/// neighbour's nodes by their places among these four.
struct Hinges {
  std::vector<int> nodes;
  std::vector<std::array<int, 3>> second;

  explicit Hinges(const std::vector<std::array<int, 3>>& triangles) {
    std::map<std::array<int, 2>, std::vector<std::size_t>> at_edge;
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const int a = triangles[t][k], b = triangles[t][(k + 1) % 3];
        at_edge[{std::min(a, b), std::max(a, b)}].push_back(t);
      }
    for (const auto& [edge, there] : at_edge)
      for (std::size_t i = 0; i < there.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) add(triangles[there[j]], triangles[there[i]]);
  }

 private:
  void add(const std::array<int, 3>& first, const std::array<int, 3>& other) {
    nodes.insert(nodes.end(), first.begin(), first.end());
    std::array<int, 3> places{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = std::find(first.begin(), first.end(), other[k]);
      places[k] = static_cast<int>(at - first.begin());
      if (at == first.end()) nodes.push_back(other[k]);
    }
    second.push_back(places);
  }
};

/// The force of this kind among those of a sheet.
template <class Kind>
std::shared_ptr<Force> one_of(const std::vector<std::shared_ptr<Force>>& forces) {
  for (const auto& force : forces)
    if (dynamic_cast<const Kind*>(force.get())) return force;
  return nullptr;
}

void add_sheet(BodyChoice choice, const LiveBody& live, std::vector<RestPowers>& forces) {
  choice.damping = {};
  const auto body = live.body;
  const MadeMaterial material = *live.placed.thin;
  const std::vector<Vec3>& X = live.placed.nodes;
  std::vector<int> corners;
  for (const auto& t : body->triangles) corners.insert(corners.end(), t.begin(), t.end());
  forces.emplace_back(LocalForces(corners, 3, X, [&](const std::vector<Vec3>& apart) {
    Body other = other_body(*body, apart);
    for (int i = 0; i < static_cast<int>(apart.size()); i += 3) other.triangles.push_back({i, i + 1, i + 2});
    return one_of<MembraneForce>(thin_forces(choice, other, material, {}, stacked(apart)));
  }));
  const Hinges hinges(body->triangles);
  if (!(choice.bending > 0) || hinges.nodes.empty()) return;
  forces.emplace_back(LocalForces(hinges.nodes, 4, X, [&](const std::vector<Vec3>& apart) {
    Body other = other_body(*body, apart);
    for (std::size_t h = 0; h < hinges.second.size(); ++h) {
      const int first = 4 * static_cast<int>(h);
      const auto& [a, b, c] = hinges.second[h];
      other.triangles.push_back({first, first + 1, first + 2});
      other.triangles.push_back({first + a, first + b, first + c});
    }
    return one_of<BendingForce>(thin_forces(choice, other, material, {}, stacked(apart)));
  }));
}

void add_springs(const BodyChoice& choice, const LiveBody& live, std::vector<RestPowers>& forces) {
  std::vector<int> ends;
  for (const auto& edge : live.body->edges) ends.insert(ends.end(), edge.begin(), edge.end());
  forces.emplace_back(LocalForces(ends, 2, live.placed.nodes, [&](const std::vector<Vec3>& apart) {
    Body other = other_body(*live.body, apart);
    for (int i = 0; i < static_cast<int>(apart.size()); i += 2) other.edges.push_back({i, i + 1});
    return make_springs(*choice.springs, other, stacked(apart));
  }));
}

/// What the body's rest positions are for.
struct RestShape {
  int first_node = 0, nodes = 0;
  std::vector<RestPowers> forces;
  MassPowers masses;  // empty: they do not depend on it
  Vec3 gravity = Vec3::Zero();
  bool starts_so = true;  // the body starts in it
};

class RestVariation final : public SystemVariation {
 public:
  RestVariation(const MechanicalSystem& system, std::string name, RestShape shape)
      : system_(system), name_(std::move(name)), shape_(std::move(shape)) {
    const UnknownMap& map = system.map();
    for (const int node : map.prescribed_nodes())
      if (node >= shape_.first_node && node < shape_.first_node + shape_.nodes) {
        const Mat3* free = map.guide(node);
        held_.push_back({node, free ? Mat3(Mat3::Identity() - *free) : Mat3(Mat3::Identity())});
      }
  }

  Index size() const override { return 3 * static_cast<Index>(shape_.nodes); }

  Matrix sources(const CallEquation& equation) override {
    Matrix g = Matrix::Zero(equation.x.size(), size());
    for (Index i = 0; i < g.rows(); ++i) {
      Vector row = Vector::Zero(size());
      add_powers(equation, Vector::Unit(g.rows(), i), row);
      g.row(i) = row;
    }
    return g;
  }

  void add_powers(const CallEquation& equation, const Vector& w, Eigen::Ref<Vector> power) override {
    const Vector along = system_.spread(w);
    Vector y = -system_.spread(equation.x);  // the sum of m_ab along_a · y_b is what masses contribute
    for (const ForceTerm& term : equation.terms) {
      power += evaluated(term, system_.length_scale(), [&](const State& u) { return of_forces(term.of, u, along); });
      if (term.is_slope() || term.of == ForceTerm::Of::contact) continue;
      for (Index i = 0; i < y.size(); i += 3) y.segment<3>(i) += term.c * shape_.gravity;
      subtract_prescribed_accelerations(system_, term, y);
    }
    if (shape_.masses) shape_.masses(own(along), own(y), power);
  }

  void add_start_powers(const Vector& by_q, const Vector&, Eigen::Ref<Vector> power) const override {
    if (shape_.starts_so && by_q.size() > 0) power += own(system_.map().on_nodes(by_q));
  }
  bool moves() const override { return !held_.empty(); }
  void add_placed_powers(const State&, const State& adjoint, Eigen::Ref<Vector> power) const override {
    if (adjoint.q.size() > 0) add_held(adjoint.q, power);
  }
  Vector changes(const SystemQuantity& quantity) override {
    if (quantity.energy != 0) throw InputError(name_, "the elastic energy is not differentiated by rest positions");
    Vector sums = Vector::Zero(size());
    if (quantity.along.size() > 0) {
      const State body{own(quantity.full.q), own(quantity.full.v), quantity.full.t};
      for (const RestPowers& add : shape_.forces) add(body, own(quantity.along), sums);
      if (shape_.masses) shape_.masses(own(quantity.along), shape_.gravity.replicate(shape_.nodes, 1), sums);
    }
    if (quantity.left.size() > 0 && shape_.masses) shape_.masses(own(quantity.left), own(quantity.right), sums);
    return sums;
  }

 private:
  Vector own(const Vector& full) const { return full.segment(3 * static_cast<Index>(shape_.first_node), size()); }
  /// What is held of a vector at nodes that stand at their rest positions.
  void add_held(const Vector& full, Eigen::Ref<Vector> to) const {
    for (const auto& [node, held] : held_)
      to.segment<3>(3 * static_cast<Index>(node - shape_.first_node)) += held * block(full, node);
  }

  /// ∂(w · f)/∂X.
  Vector of_forces(ForceTerm::Of of, const State& u, const Vector& w) const {
    Vector power = Vector::Zero(size());
    const State full = system_.full(u);
    if (of != ForceTerm::Of::contact) {
      const State body{own(full.q), own(full.v), full.t};
      for (const RestPowers& add : shape_.forces) add(body, own(w), power);
    }
    if (!held_.empty()) add_held(by_places(of, full, w), power);
    return power;
  }

  /// ∂(w · f)/∂x at the held nodes.
  Vector by_places(ForceTerm::Of of, const State& full, const Vector& w) const {
    const auto force = [&](const Vector& q) {
      const State at{q, full.v, full.t};
      Vector f = Vector::Zero(q.size());
      for (const auto& one : system_.forces().all())
        if (acts(*one, of)) one->add_force(at, f);
      return f;
    };
    const double size = w.lpNorm<Eigen::Infinity>();
    Vector powers = Vector::Zero(w.size());
    if (size == 0) return powers;
    constexpr double relative = 3e-4;
    const double step = relative * system_.length_scale();
    const auto slope = [&](const Vector& direction, double s) {
      const auto over = [&](double e) {
        return Vector((force(full.q + e * direction) - force(full.q - e * direction)) / (2 * e));
      };
      return Vector((4 * over(s) - over(2 * s)) / 3);
    };
    const auto& all = system_.forces().all();
    if (std::all_of(all.begin(), all.end(), [&](const auto& one) { return !acts(*one, of) || is_symmetric(*one); }))
      return slope(w, step / size);
    Vector direction = Vector::Zero(w.size());
    for (const auto& [node, held] : held_)
      for (Index k = 3 * static_cast<Index>(node); k < 3 * static_cast<Index>(node) + 3; ++k) {
        direction[k] = 1;
        powers[k] = slope(direction, step).dot(w);
        direction[k] = 0;
      }
    return powers;
  }

  static bool acts(const Force& force, ForceTerm::Of of) {
    return of == ForceTerm::Of::all || force.traits().wholly_implicit == (of == ForceTerm::Of::contact);
  }
  static bool is_symmetric(const Force& force) {
    const ForceTraits traits = force.traits();
    return traits.symmetric && traits.lag == Lag::none;
  }

  struct Held {
    int node;
    Mat3 directions;
  };

  const MechanicalSystem& system_;
  std::string name_;
  RestShape shape_;
  std::vector<Held> held_;
};

void require_known(const Scene& scene, int number, const LiveBody& live, const std::string& name, bool moving) {
  const auto refuse = [&](const std::string& why) { throw InputError(name, why); };
  const BodyChoice& choice = scene.bodies[ix(number)];
  const BodyMaterials& materials = live.placed.materials;
  if (live.placed.thin && live.body->triangles.empty())
    refuse("is not possible for rods: where they are straight, their bending does not depend smoothly on it");
  if (!choice.rigid.empty()) refuse("is not possible for a body with rigid parts");
  if (materials.viscous()) refuse("is not possible for a viscous body");
  if (materials.has_means())
    refuse("is not possible where elements share their volume change; take \"dilatation\": \"local\"");
  if (!choice.masses.empty()) refuse("is not possible for a body with added masses");
  if (!scene.stitches.empty()) refuse("is not possible in a scene with stitches");
  for (const auto& force : choice.forces) {
    const auto* load = dynamic_cast<const LoadChoice*>(force.get());
    if (!load)
      refuse("is not possible for a body with cavities or targets, which depend on its rest shape in their way");
    if (!load->traction.isZero(0))
      refuse("is not possible with tractions, which act per area of the rest shape; a pressure or a force is");
  }
  if (!scene.forces.empty()) refuse("is not possible in a scene with attachments or wind");
  if (scene.contact && !scene.contact->stiffness) refuse("needs a given contact.stiffness");
  for (const Script& script : choice.scripts)
    for (const MotionKey& key : script.keys)
      if (!key.rotation.isZero(0)) refuse("is not possible for a body with a script that turns nodes");
  if (!moving) return;
  if (choice.damping.any()) refuse("is not possible for a motion with damping of the body");
  if (!choice.angular_velocity.isZero(0))
    refuse("is not possible for a motion with an angular velocity at the start, about a middle that depends on it");
}

}  // namespace

std::optional<int> body_of_rest(const std::string& name) { return body_before(name, "].rest"); }

std::vector<double> rest_positions(const Model& model, int body) {
  const Body& b = model.bodies[ix(body)];
  const Vector x =
      model.system->map().reference().segment(3 * static_cast<Index>(b.first_node), 3 * static_cast<Index>(b.nodes));
  return {x.begin(), x.end()};
}

std::unique_ptr<SystemVariation> make_rest_variation(const Scene& scene, const Model& model, int body,
                                                     const std::string& name, bool moving) {
  const BodyChoice& choice = choice_of_body(scene, body, name);
  const auto live = LiveBodies(scene, model).at(body, choice);
  require_known(scene, body, *live, name, moving);
  RestShape shape;
  shape.first_node = live->body->first_node;
  shape.nodes = live->body->nodes;
  shape.gravity = scene.gravity;
  shape.starts_so = !scene.start;
  const MassKind kind = choice.mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent;
  if (live->placed.thin) {
    add_sheet(choice, *live, shape.forces);
    shape.masses = [live, kind, thickness = choice.thickness](const Vector& w, const Vector& y, Eigen::Ref<Vector> to) {
      add_mass_rest_powers({live->placed.nodes, live->body->triangles}, live->placed.thin->density, thickness, kind, w,
                           y, to);
    };
  } else if (!live->placed.materials.of_element.empty()) {
    shape.forces.emplace_back([live](const State& u, const Vector& w, Eigen::Ref<Vector> to) {
      const BodyMaterials& m = live->placed.materials;
      add_elastic_rest_powers(live->placed.shape.elements, m.materials, m.of_element, u.q, w, to);
    });
    shape.masses = [live, kind](const Vector& w, const Vector& y, Eigen::Ref<Vector> to) {
      add_mass_rest_powers(live->placed.shape.elements, live->placed.materials.density, kind, w, y, to);
    };
  }
  if (choice.springs && !choice.springs->rest_length) add_springs(choice, *live, shape.forces);
  return std::make_unique<RestVariation>(*model.system, name, std::move(shape));
}

}  // namespace limber
