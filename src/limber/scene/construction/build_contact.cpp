#include "limber/scene/construction/build_contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "limber/contact/forces/collision_gaps.hpp"
#include "limber/contact/geometry/crossings.hpp"
#include "limber/contact/geometry/distance_grid.hpp"
#include "limber/contact/geometry/push_apart.hpp"
#include "limber/contact/smooth/smooth_choice.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/obstacle_parts.hpp"

namespace limber {
namespace {

using Shape = ObstacleChoice::Shape;

std::string text(const Vec3& x) { return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", x[0], x[1], x[2]); }

class Builder {
 public:
  Builder(const Scene& scene, const std::vector<ContactBody>& bodies, Vector& positions,
          std::vector<std::string>& notes)
      : scene_(scene), choice_(*scene.contact), bodies_(bodies), positions_(positions), notes_(notes) {}

  Contact build(const Communicator& processes) {
    c_.process = processes.rank();
    c_.processes = processes.size();
    c_.body_nodes = static_cast<int>(positions_.size() / 3);
    for (const ContactBody& b : bodies_) add_body(b);
    c_.delta = choice_.delta.value_or(1e-3 * diagonal());
    for (const ObstacleChoice& o : scene_.obstacles) add_obstacle(o);
    finish_surface();
    make_tables();
    warn_of_coarse_delta();
    const bool inequalities = choice_.formulation != ContactChoice::Formulation::barrier;
    if (inequalities) refuse_beside_inequalities();
    if (choice_.surface == ContactChoice::Surface::smooth) smooth_surfaces();
    Contact contact;
    auto collisions = std::make_shared<Collisions>(c_);
    if (!c_.smooth.empty()) contact.smooth = std::make_shared<SmoothContacts>(collisions);
    if (choice_.start == ContactChoice::Start::push_apart) {
      push_apart(*collisions);
      if (contact.smooth) part_smooth(*contact.smooth);
    }
    refuse_crossings(*collisions);
    part_close_starts(*collisions);
    if (contact.smooth) refuse_between(*contact.smooth);
    contact.collisions = collisions;
    if (inequalities) {
      contact.gaps = std::make_shared<CollisionGaps>(
          collisions,
          choice_.formulation == ContactChoice::Formulation::velocity ? GapRule::velocity : GapRule::nonpenetration);
      return contact;
    }
    contact.stiffness = std::make_shared<ContactStiffness>(
        c_, choice_.stiffness ? ContactStiffness::Rule::given : ContactStiffness::Rule::adaptive);
    const State start{positions_, Vector::Zero(positions_.size()), 0};
    auto barrier = std::make_shared<BarrierForce>(collisions, contact.stiffness);
    contact.stiffness->soften(barrier->depths(start));
    contact.forces.push_back(std::move(barrier));
    if (contact.smooth) {
      auto smooth = std::make_shared<SmoothContactForce>(contact.smooth, contact.stiffness);
      contact.stiffness->soften(smooth->depths(start));
      contact.forces.push_back(std::move(smooth));
    }
    if (rough()) add_friction(contact);
    return contact;
  }

 private:
  void add_friction(Contact& contact) const {
    const FrictionForm form =
        choice_.friction_form == ContactChoice::Form::coupled ? FrictionForm::coupled : FrictionForm::lagged;
    auto friction = std::make_shared<FrictionForce>(contact.collisions, contact.stiffness, form, choice_.epsilon);
    contact.friction = friction;
    contact.forces.push_back(std::move(friction));
    if (!contact.smooth) return;
    auto smooth = std::make_shared<SmoothFrictionForce>(contact.smooth, contact.stiffness, form, choice_.epsilon);
    contact.smooth_friction = smooth;
    contact.forces.push_back(std::move(smooth));
  }

  bool rough() const {
    return std::any_of(c_.mu.begin(), c_.mu.end(), [](const auto& row) {
      return std::any_of(row.begin(), row.end(), [](double mu) { return mu > 0; });
    });
  }

  void refuse_beside_inequalities() const {
    if (rough()) throw InputError("contact.friction", "only the formulation \"barrier\" has friction; leave it out");
    if (choice_.surface == ContactChoice::Surface::smooth)
      throw InputError("contact.surface", "\"smooth\" needs the formulation \"barrier\"; use \"triangles\"");
  }

  double diagonal() const {
    std::vector<Vec3> nodes;
    for (Index i = 0; i < positions_.size(); i += 3) nodes.emplace_back(positions_.segment<3>(i));
    const double d = bounding_box(nodes).diagonal();
    return d > 0 ? d : 1;
  }

  int add_object(const std::string& name, double stiffness) {
    c_.objects.push_back(name);
    c_.stiffness.push_back(stiffness);
    c_.load.push_back({stiffness, stiffness});
    return static_cast<int>(c_.objects.size()) - 1;
  }

  void add_body(const ContactBody& b) {
    const int object = add_object(b.choice->name, 0), first = b.body->first_node;
    const std::size_t count = b.body->rest.nodes.size();
    c_.surface.object.insert(c_.surface.object.end(), count, object);
    c_.surface.radius.insert(c_.surface.radius.end(), count, b.choice->thickness / 2);
    std::set<int> points;
    std::set<std::array<int, 2>> edges;
    const auto add_edge = [&](int i, int j) {
      edges.insert({std::min(i, j), std::max(i, j)});
      points.insert(i);
      points.insert(j);
    };
    for (const auto& t : b.body->surface_triangles()) {
      c_.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      for (std::size_t k = 0; k < 3; ++k) add_edge(first + t[k], first + t[(k + 1) % 3]);
    }
    if (b.body->rest.tets.empty()) {
      if (b.choice->thickness == 0)
        throw InputError(
            b.choice->where + ".thickness",
            fmt::format("'{}' is made of points, edges or triangles, which need a thickness > 0 to collide "
                        "(a fraction of its edges, say)",
                        b.choice->name));
      if (b.body->triangles.empty())
        for (const auto& e : b.body->edges) add_edge(first + e[0], first + e[1]);
      for (std::size_t i = 0; i < count; ++i) points.insert(first + static_cast<int>(i));
    }
    double length = 0;
    for (const auto& e : edges) {
      c_.surface.edges.push_back(e);
      length += (node(e[0]) - node(e[1])).norm();
    }
    c_.surface.points.insert(c_.surface.points.end(), points.begin(), points.end());
    const double mean_edge = edges.empty() ? 0 : length / static_cast<double>(edges.size());
    double mass = 0;
    for (const int p : points) mass += b.mass[ix(p - first)];
    mass /= std::max<double>(1, static_cast<double>(points.size()));
    const double h = scene_.time.step;
    c_.stiffness[ix(object)] = std::min(b.young * mean_edge + b.spring, mass / (h * h));
    // A body lies on one of some six sides.
    const double weight = std::accumulate(b.mass.begin(), b.mass.end(), 0.0) * scene_.gravity.norm();
    c_.load[ix(object)] = {weight, weight / std::max(1.0, static_cast<double>(points.size()) / 6)};
  }

  Vec3 node(int i) const { return positions_.segment<3>(3 * static_cast<Index>(i)); }

  void add_implicit(const ObstacleChoice& o, int object, ShapePtr shape, const Vec3& centre) {
    c_.implicit.push_back({MovingShape(std::move(shape), obstacle_motion(o, centre)), object});
  }

  /// Its points, edges and triangles join the contact surface.
  void add_surface(const ObstacleChoice& o, int object, const std::vector<Vec3>& nodes,
                   const std::vector<std::array<int, 2>>& edges, const std::vector<std::array<int, 3>>& triangles,
                   double radius, const Vec3& centre, std::shared_ptr<const NodeSequence> sequence = nullptr) {
    SurfaceObstacle surface{{}, nodes, obstacle_motion(o, centre), std::move(sequence)};
    const int first = static_cast<int>(c_.surface.object.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      surface.nodes.push_back(first + static_cast<int>(i));
      c_.surface.object.push_back(object);
      c_.surface.radius.push_back(radius);
      c_.surface.points.push_back(first + static_cast<int>(i));
      obstacle_nodes_.push_back(nodes[i]);
    }
    std::set<std::array<int, 2>> all;
    for (const auto& e : edges) all.insert({std::min(e[0], e[1]), std::max(e[0], e[1])});
    for (const auto& t : triangles) {
      c_.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      for (std::size_t k = 0; k < 3; ++k) all.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
    for (const auto& e : all) c_.surface.edges.push_back({first + e[0], first + e[1]});
    c_.surfaces.push_back(std::move(surface));
  }

  void add_obstacle(const ObstacleChoice& o) {
    const int object = add_object(o.name, std::numeric_limits<double>::infinity());
    switch (o.shape) {
      case Shape::plane:
      case Shape::half_space:
        return add_implicit(o, object, half_space(o.point, o.normal), obstacle_centre(o));
      case Shape::sphere:
        return add_surface(o, object, {o.center}, {}, {}, o.radius, obstacle_centre(o));
      case Shape::capsule:
        return add_surface(o, object, {o.a, o.b}, {{0, 1}}, {}, o.radius, obstacle_centre(o));
      case Shape::cylinder:
        return add_implicit(o, object, cylinder(o.a, o.b, o.radius), obstacle_centre(o));
      case Shape::torus:
        return add_implicit(o, object, torus(o.center, o.axis, o.major, o.minor), obstacle_centre(o));
      case Shape::box:
      case Shape::mesh:
        return add_mesh(o, object);
    }
  }

  void add_mesh(const ObstacleChoice& o, int object) {
    const ObstacleSurface surface = obstacle_surface(o);
    const TriMesh& mesh = surface.mesh;
    const Vec3 centre = obstacle_centre(o, mesh);
    notes_.insert(notes_.end(), surface.notes.begin(), surface.notes.end());
    if (surface.form == ObstacleChoice::Form::triangles)
      return add_surface(o, object, mesh.nodes, surface.edges, mesh.triangles, o.thickness / 2, centre,
                         surface.sequence);
    const auto grid = std::make_shared<DistanceGrid>(mesh, o.resolution, 4 * c_.delta);
    if (!grid->has_inside())
      throw InputError(o.where + ".file", fmt::format("the surface in {} encloses nothing, so it has no inside and "
                                                      "outside; use \"form\": \"triangles\"",
                                                      o.file));
    add_implicit(o, object, grid, centre);
  }

  void finish_surface() {
    c_.rest.resize(3 * static_cast<Index>(c_.surface.object.size()));
    c_.rest.head(positions_.size()) = positions_;
    for (std::size_t i = 0; i < obstacle_nodes_.size(); ++i)
      c_.rest.segment<3>(positions_.size() + 3 * static_cast<Index>(i)) = obstacle_nodes_[i];
    std::sort(c_.surface.points.begin(), c_.surface.points.end());
  }

  void make_tables() {
    const std::size_t n = c_.objects.size(), bodies = bodies_.size();
    c_.may_collide.assign(n, std::vector<char>(n, 0));
    c_.mu.assign(n, std::vector<double>(n, choice_.friction));
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        c_.may_collide[a][b] = (a == b ? a < bodies && choice_.self : a < bodies || b < bodies) ? 1 : 0;
    for (const StitchChoice& s : scene_.stitches)  // they touch along the seam
      c_.may_collide[ix(s.body)][ix(s.to)] = c_.may_collide[ix(s.to)][ix(s.body)] = 0;
    for (const FrictionPair& pair : choice_.friction_pairs) {
      std::array<std::size_t, 2> of;
      for (std::size_t k = 0; k < 2; ++k) {
        const auto it = std::find(c_.objects.begin(), c_.objects.end(), pair.between[k]);
        if (it == c_.objects.end())
          throw InputError(
              fmt::format("{}.between[{}]", pair.where, k),
              fmt::format("there is no body or obstacle '{}'; there are {}", pair.between[k], join(c_.objects)));
        of[k] = static_cast<std::size_t>(it - c_.objects.begin());
      }
      c_.mu[of[0]][of[1]] = c_.mu[of[1]][of[0]] = pair.mu;
    }
    if (choice_.stiffness)
      for (std::size_t b = 0; b < bodies; ++b) c_.stiffness[b] = *choice_.stiffness;
  }

  void warn_of_coarse_delta() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      double shortest = std::numeric_limits<double>::infinity();
      for (const auto& e : c_.surface.edges)
        if (c_.surface.object[ix(e[0])] == static_cast<int>(b))
          shortest = std::min(shortest, (node(e[0]) - node(e[1])).norm());
      const double reach = c_.delta + bodies_[b].choice->thickness;
      if (reach > shortest)
        notes_.push_back(fmt::format(
            "contact.delta: {:.3g} m ({:.3g} m with the thickness) is larger than the shortest surface edge of '{}', "
            "{:.3g} m: the body pushes itself apart; take a smaller delta, or \"self\": false",
            c_.delta, reach, bodies_[b].choice->name, shortest));
    }
  }

  void smooth_surfaces() {
    std::string others;
    for (const KeptTriangles& k : choose_smooth_surfaces(c_)) {
      const std::string what = fmt::format("'{}' {}", c_.objects[ix(k.object)], k.why);
      if (k.object < static_cast<int>(bodies_.size()) && !bodies_[ix(k.object)].body->rest.tets.empty())
        throw InputError("contact.surface", what + "; refine its mesh, or use \"triangles\"");
      others += (others.empty() ? "" : ", ") + what;
    }
    if (!others.empty()) notes_.push_back("contact.surface: triangles are met as such where " + others);
  }

  /// The point that is deepest within the zero of a smooth surface; null: none is.
  const SmoothContact* deepest(const SmoothContacts& smooth) const {
    const auto& all = smooth.at(positions_, 0);
    const auto least = std::min_element(all.begin(), all.end(),
                                        [](const SmoothContact& a, const SmoothContact& b) { return a.gap < b.gap; });
    return least == all.end() || least->gap > 0 ? nullptr : &*least;
  }

  /// Smooth surfaces stand off from their triangles: what starts between the two is moved on along φ's gradient.
  void part_smooth(const SmoothContacts& smooth) {
    const std::vector<Vec3> before = moved_;
    for (int round = 0; round < 200; ++round) {
      const SmoothContact* c = deepest(smooth);
      if (!c || c->objects[0] == c->objects[1]) break;
      const int mover = movable(c->objects[0]) ? c->objects[0] : c->objects[1];
      if (!movable(mover)) break;
      shift(mover, (c_.delta - c->gap) * (mover == c->objects[0] ? 1 : -1) * c->normal());
    }
    for (std::size_t o = 0; o < moved_.size(); ++o)
      if (moved_[o] != before[o])
        notes_.push_back(fmt::format("contact.start: '{}' was moved by {} m more, off a smooth surface", c_.objects[o],
                                     text(moved_[o] - before[o])));
  }

  void refuse_between(const SmoothContacts& smooth) const {
    if (const SmoothContact* c = deepest(smooth))
      throw InputError(
          "contact.surface",
          fmt::format("node {} of '{}' at {} starts within the smooth surface of '{}', by {:.3g} m, though no "
                      "triangles cross (the smooth surface stands off beside edges and corners); move them "
                      "apart, let \"contact\": {{\"start\": \"push_apart\"}} do it, or use \"triangles\"",
                      c->node(), c_.objects[ix(c->objects[0])],
                      text(smooth.collisions().positions(positions_, 0).segment<3>(3 * c->node())),
                      c_.objects[ix(c->objects[1])], -c->gap));
  }

  std::string describe(const Crossing& c) const {
    const std::string &a = c_.objects[ix(c.objects[0])], &b = c_.objects[ix(c.objects[1])];
    if (c.objects[0] == c.objects[1]) return fmt::format("'{}' crosses itself near {}", a, text(c.where));
    if (c.depth == 0) return fmt::format("'{}' and '{}' cross at the start near {}", a, b, text(c.where));
    return fmt::format("'{}' is inside '{}' at the start: {}{}, {:.3g} m deep", a, b,
                       c.node < 0 ? "at " : fmt::format("node {} at ", c.node), text(c.where), c.depth);
  }

  void refuse_crossings(const Collisions& collisions) const {
    const auto found = find_crossings(collisions, positions_, 0);
    if (!found.empty()) {
      const auto itself = [](const Crossing& c) { return c.objects[0] == c.objects[1]; };
      // What no motion of whole bodies can mend comes first.
      const auto worst = std::max_element(found.begin(), found.end(), [&](const Crossing& a, const Crossing& b) {
        return std::pair(itself(a), a.depth) < std::pair(itself(b), b.depth);
      });
      const int object = worst->objects[0];
      const std::string where = object < static_cast<int>(bodies_.size())
                                    ? bodies_[ix(object)].choice->where
                                    : scene_.obstacles[ix(object) - bodies_.size()].where;
      throw InputError(where, fmt::format("{}{}; {}", describe(*worst),
                                          found.size() > 1 ? fmt::format(" (and {} more pairs)", found.size() - 1) : "",
                                          way_out(worst->objects)));
    }
    if (const auto c = collisions.nearest(positions_, 0); c && !(c->gap > 0))
      throw InputError("contact",
                       fmt::format("'{}' and '{}' {} at the start (gap {:.3g} m); {}", c_.objects[ix(c->objects[0])],
                                   c_.objects[ix(c->objects[1])], c->gap < -1e-12 * diagonal() ? "overlap" : "touch",
                                   c->gap, way_out(c->objects)));
  }

  /// What the user can do about two objects, or one, that cross.
  std::string way_out(const std::array<int, 2>& objects) const {
    if (objects[0] == objects[1])
      return "push_apart moves whole bodies and cannot help: mend the mesh, its placement or its thickness, or let the "
             "body pass through itself by \"contact\": {\"self\": false}";
    if (choice_.start == ContactChoice::Start::push_apart)
      return "push_apart found no way to part them (bodies with pinned or scripted nodes stay): move them apart";
    return "move them apart, or let \"contact\": {\"start\": \"push_apart\"} do it";
  }

  bool movable(int object) const { return object < static_cast<int>(bodies_.size()) && bodies_[ix(object)].movable; }

  void shift(int object, const Vec3& by) {
    for (int i = 0; i < c_.body_nodes; ++i)
      if (c_.surface.object[ix(i)] == object) positions_.segment<3>(3 * static_cast<Index>(i)) += by;
    moved_[ix(object)] += by;
  }

  void push_apart(const Collisions& collisions) {
    std::vector<char> may_move;
    for (std::size_t o = 0; o < c_.objects.size(); ++o) may_move.push_back(movable(static_cast<int>(o)));
    moved_ = limber::push_apart(collisions, may_move, positions_);
    for (std::size_t o = 0; o < moved_.size(); ++o)
      if (!moved_[o].isZero(0))
        notes_.push_back(fmt::format("contact.start: '{}' was moved by {} m to start free of others", c_.objects[o],
                                     text(moved_[o])));
  }

  /// Gaps that are tiny beside δ would begin with forces far beyond any load: such bodies are moved apart, and where
  /// they cannot be, this is said.
  void part_close_starts(const Collisions& collisions) {
    const double close = closest_start * c_.delta;
    const auto too_close = [&] {
      std::optional<Collision> closest;
      for (const Collision& c : collisions.at(positions_, 0))
        if (c.objects[0] != c.objects[1] && c.gap < close && (!closest || c.gap < closest->gap)) closest = c;
      return closest;
    };
    const auto names = [&](const Collision& c) {
      return fmt::format("'{}' and '{}' start with a gap of {:.2g} m, less than delta/{:.0f}",
                         c_.objects[ix(c.objects[0])], c_.objects[ix(c.objects[1])], c.gap, 1 / closest_start);
    };
    const auto before = too_close();
    if (!before) return;
    std::vector<char> may_move;
    for (std::size_t o = 0; o < c_.objects.size(); ++o) may_move.push_back(movable(static_cast<int>(o)));
    const std::vector<Vec3> by = limber::push_apart(collisions, may_move, positions_, close);
    std::string moved;
    for (std::size_t o = 0; o < by.size(); ++o)
      if (!by[o].isZero(0))
        moved += fmt::format("{}'{}' by {} m", moved.empty() ? "" : ", ", c_.objects[o], text(by[o]));
    if (!moved.empty()) {
      notes_.push_back(fmt::format("contact: {}; moved apart: {}", names(*before), moved));
      refuse_crossings(collisions);
    }
    if (const auto left = too_close())
      notes_.push_back(
          fmt::format("contact: {}, and cannot be moved; expect a rough start, or take a smaller "
                      "contact.delta",
                      names(*left)));
  }

  static constexpr double closest_start = .05;  // of δ

  const Scene& scene_;
  const ContactChoice& choice_;
  const std::vector<ContactBody>& bodies_;
  Vector& positions_;
  std::vector<std::string>& notes_;
  ContactScene c_;
  std::vector<Vec3> obstacle_nodes_;
  std::vector<Vec3> moved_;  // per object, at the start
};

}  // namespace

std::vector<ContactPoint> contact_points(const Contact& contact, const State& full) {
  if (contact.gaps) return contact_points(*contact.collisions, *contact.gaps, full);
  auto points = contact_points(*contact.collisions, *contact.stiffness, contact.friction.get(), full);
  if (!contact.smooth) return points;
  const auto more = contact_points(*contact.smooth, *contact.stiffness, contact.smooth_friction.get(), full);
  points.insert(points.end(), more.begin(), more.end());
  return points;
}

Contact build_contact(const Scene& scene, const std::vector<ContactBody>& bodies, Vector& positions,
                      std::vector<std::string>& notes, const Communicator& processes) {
  return Builder(scene, bodies, positions, notes).build(processes);
}

}  // namespace limber
