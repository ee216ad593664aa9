#include "limber/view/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/scene/run/run.hpp"

namespace limber {
namespace {

std::vector<std::optional<SurfaceMesh>> moving_with(const Model& model) {
  std::vector<std::optional<SurfaceMesh>> surfaces;
  for (const Body& body : model.bodies) surfaces.push_back(body.surface);
  return surfaces;
}

void require_number(const char* what, std::size_t number, std::size_t count) {
  if (number < count) return;
  throw InputError(what, count == 0 ? fmt::format("{}: the bodies of this scene have no {}s", number, what)
                                    : fmt::format("{}: the bodies have {}s 0 to {}", number, what, count - 1));
}

}  // namespace

ObstacleSurfaces::ObstacleSurfaces(const std::vector<ObstacleChoice>& choices, double line_radius,
                                   std::vector<std::string>& notes)
    : line_radius_(line_radius) {
  for (std::size_t k = 0; k < choices.size(); ++k) {
    try {
      all_.push_back({k, MovingObstacle(choices[k])});
    } catch (const InputError& e) {
      notes.push_back(fmt::format("{} is not shown: {}", choices[k].where, e.what()));
    }
  }
}

std::vector<MovingObstacle::Plane> ObstacleSurfaces::planes(double t) const {
  std::vector<MovingObstacle::Plane> all;
  for (const Drawn& o : all_)
    if (const auto plane = o.obstacle.plane(t)) all.push_back(*plane);
  return all;
}

bool ObstacleSurfaces::planes_move() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Drawn& o) { return o.obstacle.plane(0) && o.obstacle.moves(); });
}

ViewShape::ViewShape(const Scene& scene, const Model& model)
    : ViewShape(scene, trajectory_header(model, Velocities::store, 0), moving_with(model)) {}

ViewShape::ViewShape(const Scene& scene, const TrajectoryHeader& header,
                     const std::vector<std::optional<SurfaceMesh>>& given)
    : scene_(scene), header_(header), bodies_(header_, given), rest_(bodies_.mesh().positions) {
  auto [corners, body] = bodies_.triangles();
  triangles_ = std::move(corners);
  body_triangles_ = triangles_.size();
  // Vertices of a body follow one another.
  std::vector<int> owner(rest_.size(), 0);
  for (std::size_t t = 0; t < body_triangles_; ++t)
    for (const int corner : triangles_[t]) owner[static_cast<std::size_t>(corner)] = body[t];
  for (std::size_t l = 0; l < lines().size(); ++l)
    for (const int corner : lines()[l]) owner[static_cast<std::size_t>(corner)] = bodies_.line_body()[l];
  for (std::size_t i = 1; i < owner.size(); ++i) owner[i] = std::max(owner[i], owner[i - 1]);
  for (std::size_t b = 0; b < header_.bodies.size(); ++b) {
    const auto [first, last] = std::equal_range(owner.begin(), owner.end(), static_cast<int>(b));
    parts_.push_back({header_.bodies[b].name, static_cast<std::size_t>(first - owner.begin()),
                      static_cast<std::size_t>(last - first), false});
  }

  std::vector<bool> prescribed(header_.nodes.size(), false);
  for (const int node : header_.prescribed) prescribed[static_cast<std::size_t>(node)] = true;
  for (const BodyPoint& v : bodies_.vertices()) {
    bool held = true;
    for (std::size_t k = 0; k < 4; ++k)
      held = held && (v.weights[k] == 0 || prescribed[static_cast<std::size_t>(v.nodes[k])]);
    held_.push_back(held);
  }

  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Vec3& x : rest_) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  obstacles_.emplace(scene.obstacles, rest_.empty() ? 0 : .004 * (high - low).norm(), notes_);
  obstacles_->each(0, [&](std::size_t k, const TriMesh& mesh) {
    const int first = static_cast<int>(rest_.size());
    parts_.push_back({fmt::format("obstacle {}", k + 1), rest_.size(), mesh.nodes.size(), true});
    rest_.insert(rest_.end(), mesh.nodes.begin(), mesh.nodes.end());
    for (const auto& [a, b, c] : mesh.triangles) triangles_.push_back({first + a, first + b, first + c});
  });
  held_.resize(rest_.size(), false);
}

std::vector<MovingObstacle::Plane> ViewShape::planes(double t) const { return obstacles_->planes(t); }

BodyPoint ViewShape::on_triangle(std::size_t triangle, const std::vector<double>& weights) const {
  require_number("triangle", triangle, body_triangles_);
  return mean_of(triangles_[triangle], weights);
}

BodyPoint ViewShape::on_line(std::size_t line, const std::vector<double>& weights) const {
  require_number("line", line, lines().size());
  return mean_of(lines()[line], weights);
}

BodyPoint ViewShape::mean_of(std::span<const int> corners, const std::vector<double>& weights) const {
  if (weights.size() != corners.size())
    throw InputError("weights",
                     fmt::format("are {}; there is one for each of the {} corners", weights.size(), corners.size()));
  double sum = 0;
  for (const double w : weights) {
    if (!(w >= -1e-6 && w <= 1 + 1e-6)) throw InputError("weights", "each is from 0 to 1");
    sum += w;
  }
  if (!(std::abs(sum - 1) < 1e-3)) throw InputError("weights", fmt::format("their sum is {}, not 1", sum));
  // Nodes with their weights, the four heaviest.
  std::vector<std::pair<double, int>> nodes;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const BodyPoint& v = bodies_.vertices()[static_cast<std::size_t>(corners[c])];
    for (std::size_t k = 0; k < 4; ++k) {
      const double w = weights[c] / sum * v.weights[k];
      if (w == 0) continue;
      const auto same = std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return n.second == v.nodes[k]; });
      if (same != nodes.end())
        same->first += w;
      else
        nodes.emplace_back(w, v.nodes[k]);
    }
  }
  std::sort(nodes.rbegin(), nodes.rend());
  if (nodes.size() > 4) nodes.resize(4);
  double total = 0;
  for (const auto& n : nodes) total += n.first;
  if (!(total > 0)) throw InputError("weights", "what they name does not move with a body");
  BodyPoint p;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    p.nodes[k] = nodes[k].second;
    p.weights[k] = nodes[k].first / total;
  }
  return p;
}

std::vector<Vec3> ViewShape::positions(const Vector& q, double t) const {
  std::vector<Vec3> all = bodies_.positions(q);
  all.reserve(vertices());
  obstacles_->each(
      t, [&](std::size_t, const TriMesh& mesh) { all.insert(all.end(), mesh.nodes.begin(), mesh.nodes.end()); });
  return all;
}

std::shared_ptr<const ElementFields> ViewShape::fields() const {
  return *fields_.at(0, [this](auto& made) {
    auto fields = std::make_shared<ElementFields>(scene_, header_);
    std::vector<bool> seen(header_.nodes.size(), false);
    for (const BodyPoint& v : bodies_.vertices())
      for (std::size_t k = 0; k < 4; ++k)
        if (v.weights[k] != 0) seen[static_cast<std::size_t>(v.nodes[k])] = true;
    fields->only_at(seen);
    made = std::move(fields);
  });
}

std::vector<double> ViewShape::values(Field field, const Vector& q, const Vector& contact) const {
  std::vector<double> all;
  if (field == Field::none) return all;
  if (field == Field::stress) {
    const auto stresses = fields();
    all = bodies_.interpolated(stresses->at_nodes(stresses->at(q).von_mises));
  }
  if (field == Field::contact && contact.size() > 0) all = bodies_.interpolated(contact);
  if (field == Field::displacement) {
    const std::vector<Vec3> now = bodies_.positions(q);
    for (std::size_t i = 0; i < now.size(); ++i) all.push_back((now[i] - rest_[i]).norm());
  }
  all.resize(vertices(), 0);
  return all;
}

}  // namespace limber
