#include "limber/scene/construction/build_contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "limber/contact/forces/collision_gaps.hpp"
#include "limber/contact/geometry/distance_grid.hpp"
#include "limber/contact/smooth/smooth_choice.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/contact_start.hpp"
#include "limber/scene/construction/obstacle_parts.hpp"

namespace limber {
namespace {

using Shape = ObstacleChoice::Shape;

/// The surfaces that touch, and the forces between them.
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
    // Bodies that lie far from each other make the box large, and a delta as large as their cells makes them touch
    // themselves.
    c_.delta = choice_.delta.value_or(std::min(1e-3 * diagonal_of(positions_), .25 * smallest_mean_edge_));
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
    ContactStart(scene_, bodies_, *collisions, contact.smooth.get(), positions_, notes_).clear();
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
    if (mean_edge > 0) smallest_mean_edge_ = std::min(smallest_mean_edge_, mean_edge);
    double mass = 0;
    for (const int p : points) mass += b.mass[ix(p - first)];
    mass /= std::max<double>(1, static_cast<double>(points.size()));
    const double h = scene_.time.typical_step();
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

  const Scene& scene_;
  const ContactChoice& choice_;
  const std::vector<ContactBody>& bodies_;
  Vector& positions_;
  std::vector<std::string>& notes_;
  ContactScene c_;
  std::vector<Vec3> obstacle_nodes_;
  double smallest_mean_edge_ = std::numeric_limits<double>::infinity();  // of the surfaces of bodies
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
