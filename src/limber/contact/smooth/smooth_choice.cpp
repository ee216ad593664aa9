#include "limber/contact/smooth/smooth_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "limber/contact/smooth/smooth_contacts.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {
namespace {

constexpr double edges_in_radius = 2;
constexpr double furthest_stand_off = .25;  // in radii
constexpr double flat_height = .6;          // in radii: up to there φ of a flat piece is the height

/// Per object: whether it has edges or points that belong to no triangle.
std::vector<char> loose_objects(const ContactScene& scene) {
  std::vector<char> loose(scene.objects.size(), 0), in_triangle(scene.surface.object.size(), 0);
  std::set<std::array<int, 2>> sides;
  for (const auto& t : scene.surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      in_triangle[ix(t[k])] = 1;
      sides.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    }
  for (const auto& e : scene.surface.edges)
    if (!sides.contains({std::min(e[0], e[1]), std::max(e[0], e[1])})) loose[ix(scene.surface.object[ix(e[0])])] = 1;
  for (const int p : scene.surface.points)
    if (!in_triangle[ix(p)]) loose[ix(scene.surface.object[ix(p)])] = 1;
  return loose;
}

}  // namespace

std::vector<KeptTriangles> choose_smooth_surfaces(ContactScene& scene) {
  const std::size_t n = scene.objects.size();
  std::vector<std::vector<std::array<int, 3>>> triangles(n);
  std::vector<double> thickness(n, 0);  // half of it [m]
  std::vector<char> is_body(n, 0);
  for (const auto& t : scene.surface.triangles) triangles[ix(scene.surface.object[ix(t[0])])].push_back(t);
  for (std::size_t i = 0; i < scene.surface.object.size(); ++i) {
    thickness[ix(scene.surface.object[i])] = scene.surface.radius[i];
    is_body[ix(scene.surface.object[i])] = i < ix(scene.body_nodes);
  }

  const std::vector<char> loose = loose_objects(scene);
  std::vector<KeptTriangles> kept;
  std::vector<double>& r = scene.smooth_radius;
  r.assign(n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    if (triangles[a].empty()) continue;
    const double radius = edges_in_radius * mean_edge(triangles[a], scene.rest);
    const auto keep = [&](const std::string& why) { kept.push_back({static_cast<int>(a), why}); };
    if (loose[a])
      keep("has edges or points that belong to no triangle");
    else if (!is_body[a] && !is_closed({{}, triangles[a]}))
      keep("has a surface that is not closed");
    else if (stand_off(triangles[a], scene.rest, radius) > furthest_stand_off)
      keep(fmt::format("has too few triangles (the averages reach {:.3g} m)", radius));
    else if (const double reach = 2 * (scene.delta + thickness[a]); reach > flat_height * radius)
      keep(
          fmt::format("has edges too short for contact.delta: 2 (delta + half the thickness) is {:.3g} m, and may be "
                      "{:.3g} m",
                      reach, flat_height * radius));
    else
      r[a] = radius;
  }
  scene.smooth.assign(n, std::vector<char>(n, 0));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      if (r[a] == 0 || !scene.may_collide[a][b] || (!triangles[b].empty() && r[b] == 0)) continue;
      const double reach = 2 * scene.delta + thickness[a] + thickness[b];
      if (reach <= flat_height * r[a])
        scene.smooth[a][b] = 1;
      else if (kept.empty() || kept.back().object != static_cast<int>(b))
        kept.push_back({static_cast<int>(b), fmt::format("is too thick beside the edges of '{}'", scene.objects[a])});
    }
  return kept;
}

}  // namespace limber
