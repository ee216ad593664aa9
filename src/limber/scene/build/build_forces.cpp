#include "limber/scene/build/build_forces.hpp"

#include <fmt/format.h>

#include <limits>

#include "limber/core/errors.hpp"
#include "limber/force/loads.hpp"
#include "limber/force/springs.hpp"
#include "limber/force/targets.hpp"
#include "limber/force/wind.hpp"

namespace limber {
namespace {

Vec3 node(const Vector& positions, int i) { return positions.segment<3>(3 * static_cast<Index>(i)); }

Vec3 centre(const std::vector<Vec3>& points) {
  const Box3 box = bounding_box(points);
  return (box.min + box.max) / 2;
}

std::vector<Vec3> picked(const std::vector<int>& nodes, const std::vector<Vec3>& from) {
  std::vector<Vec3> points;
  for (const int i : nodes) points.push_back(from[static_cast<std::size_t>(i)]);
  return points;
}

/// Body numbering → numbering of all nodes.
std::vector<int> shifted(std::vector<int> nodes, int first) {
  for (int& i : nodes) i += first;
  return nodes;
}

TimeFunction<Vec3> load_in_time(const LoadChoice& load, const Vec3& force) {
  if (const auto* keyed = std::get_if<KeyedFactor>(&load.time)) {
    std::vector<Vec3> values;
    for (const double factor : keyed->values) values.push_back(factor * force);
    return TimeFunction<Vec3>::table(keyed->times, values, keyed->interpolation, load.where + ".time.keys");
  }
  if (const auto* sine = std::get_if<SineFactor>(&load.time))
    return TimeFunction<Vec3>::sine(sine->amplitude * force, sine->frequency, sine->phase, sine->offset * force);
  return TimeFunction<Vec3>::constant(force);
}

std::shared_ptr<Force> make_springs(const SpringsChoice& choice, const Body& body, const Vector& positions) {
  std::vector<std::array<int, 2>> all;
  for (const auto& [a, b] : body.edges) {
    const int n = static_cast<int>(body.rest.nodes.size());
    if (a >= n || b >= n)
      throw InputError(choice.where + ".edges", fmt::format("edge [{}, {}] names a node outside 0 to {}", a, b, n - 1));
    all.push_back({body.first_node + a, body.first_node + b});
  }
  auto springs = network_springs(all, positions, choice.stiffness, choice.damping);
  if (choice.rest_length)
    for (auto& s : springs) s.rest_length = *choice.rest_length;
  return std::make_shared<PointSprings>(std::move(springs), static_cast<int>(positions.size() / 3), EnergyKind::elastic,
                                        choice.where);
}

std::shared_ptr<Force> make_target(const TargetChoice& choice, const Body& body, const std::vector<Vec3>& meshed) {
  const std::vector<int> nodes = resolve(choice.nodes, meshed);
  const std::vector<Vec3> start = picked(nodes, body.rest.nodes);
  const Vec3 pivot = choice.pivot.value_or(centre(start));
  std::vector<double> times;
  std::vector<Vector> shapes;
  for (std::size_t k = 0; k < choice.keys.size(); ++k) {
    const auto& key = choice.keys[k];
    if (!key.positions.empty() && key.positions.size() != nodes.size())
      throw InputError(fmt::format("{}.keys[{}].positions", choice.where, k),
                       fmt::format("{} positions for {} selected nodes", key.positions.size(), nodes.size()));
    Vector shape(3 * static_cast<Index>(nodes.size()));
    const Mat3 turn = rotation_minus_identity(key.motion.rotation);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      shape.segment<3>(3 * static_cast<Index>(i)) =
          key.positions.empty() ? Vec3(start[i] + turn * (start[i] - pivot) + key.motion.translation)
                                : key.positions[i];
    times.push_back(key.motion.time);
    shapes.push_back(std::move(shape));
  }
  TargetShapes targets{KeyTimes(times, choice.interpolation, choice.where + ".keys"), std::move(shapes)};
  return std::make_shared<TargetSprings>(shifted(nodes, body.first_node), std::move(targets), choice.stiffness,
                                         choice.damping, choice.where);
}

std::vector<Spring> attach(const AttachmentChoice& choice, const std::vector<int>& a, const std::vector<int>& b,
                           const Vector& x) {
  if (choice.pairing == AttachmentChoice::Pairing::order && a.size() != b.size())
    throw InputError(choice.where, fmt::format("pairing in order needs as many nodes on both sides, got {} and {}",
                                               a.size(), b.size()));
  std::vector<Spring> springs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    int to = -1;
    if (choice.pairing == AttachmentChoice::Pairing::order) {
      to = b[i];
    } else {
      double least = std::numeric_limits<double>::infinity();
      for (const int j : b)
        if (const double d = (node(x, a[i]) - node(x, j)).squaredNorm(); d < least) least = d, to = j;
    }
    const double length = choice.rest_length.value_or((node(x, a[i]) - node(x, to)).norm());
    springs.push_back({WeightedPoint::node(a[i]), WeightedPoint::node(to), choice.stiffness, length, choice.damping});
  }
  return springs;
}

}  // namespace

Motion keyed_motion(const std::vector<MotionKey>& keys, Interpolation interpolation, const Vec3& pivot,
                    const std::string& where) {
  std::vector<double> times;
  std::vector<Vec3> translations, rotations;
  for (const auto& key : keys) {
    times.push_back(key.time);
    translations.push_back(key.translation);
    rotations.push_back(key.rotation);
  }
  return {pivot, TimeFunction<Vec3>::table(times, translations, interpolation, where + ".keys"),
          TimeFunction<Vec3>::table(times, rotations, interpolation, where + ".keys")};
}

Motion scripted_motion(const Script& script, const std::vector<Vec3>& meshed, const std::vector<Vec3>& placed) {
  const Vec3 pivot = script.pivot.value_or(centre(picked(resolve(script.nodes, meshed), placed)));
  return keyed_motion(script.keys, script.interpolation, pivot, script.where);
}

std::vector<std::shared_ptr<Force>> body_forces(const BodyChoice& choice, const Body& body,
                                                const std::vector<Vec3>& meshed, const Vector& positions) {
  std::vector<std::shared_ptr<Force>> forces;
  if (choice.springs) forces.push_back(make_springs(*choice.springs, body, positions));
  for (const auto& load : choice.loads) {
    const auto nodes = shifted(resolve(load.nodes, meshed), body.first_node);
    const Vec3 force =
        load.share == LoadChoice::Share::total ? Vec3(load.force / static_cast<double>(nodes.size())) : load.force;
    forces.push_back(std::make_shared<NodalLoads>(nodes, load_in_time(load, force)));
  }
  for (const auto& target : choice.targets) forces.push_back(make_target(target, body, meshed));
  return forces;
}

std::vector<std::shared_ptr<Force>> scene_forces(const Scene& scene, const std::vector<Body>& bodies,
                                                 const std::vector<std::vector<Vec3>>& meshed,
                                                 const Vector& positions) {
  std::vector<std::shared_ptr<Force>> forces;
  const auto nodes = [&](const AttachmentEnd& end) {
    const auto b = static_cast<std::size_t>(end.body);
    return shifted(resolve(end.nodes, meshed[b]), bodies[b].first_node);
  };
  for (const auto& a : scene.attachments)
    forces.push_back(std::make_shared<PointSprings>(attach(a, nodes(a.a), nodes(a.b), positions),
                                                    static_cast<int>(positions.size() / 3), EnergyKind::elastic,
                                                    a.where));
  if (scene.wind) {
    std::vector<std::array<int, 3>> triangles;
    for (const auto& body : bodies)
      for (const auto& t : body.surface_triangles())
        triangles.push_back({body.first_node + t[0], body.first_node + t[1], body.first_node + t[2]});
    const auto& w = *scene.wind;
    forces.push_back(std::make_shared<Wind>(
        std::move(triangles), TimeFunction<Vec3>::table(w.times, w.velocities, w.interpolation, "wind.velocity"),
        w.density, w.drag, "wind"));
  }
  return forces;
}

}  // namespace limber
