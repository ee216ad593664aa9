#include "limber/scene/mesh_facts.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

void require_sound(const TetMesh& mesh, const std::string& where) {
  const auto n = static_cast<int>(mesh.nodes.size());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (!mesh.nodes[i].allFinite())
      throw InputError(where, fmt::format("the coordinates of node {} are not finite", i));
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (const int i : mesh.tets[t])
      if (i < 0 || i >= n)
        throw InputError(where, fmt::format("tetrahedron {} names the node {}; there are {}", t, i, n));
}

std::vector<std::string> flaws_of(const MeshReport& r) {
  std::vector<std::string> flaws;
  const auto add = [&](std::size_t count, const char* one, const char* many, const char* what) {
    if (count > 0) flaws.push_back(fmt::format("{} {} {}", count, count == 1 ? one : many, what));
  };
  add(r.inverted, "tetrahedron", "tetrahedra", "negatively ordered; a run reorders them");
  add(r.flat, "tetrahedron", "tetrahedra", "without volume");
  add(r.unreferenced_nodes, "node", "nodes", "in no tetrahedron");
  add(r.nonmanifold_edges, "edge", "edges", "of the surface not between two triangles: parts meet in an edge only");
  add(r.pinched_nodes, "node", "nodes", "where the surface touches itself");
  if (r.components > 1)
    flaws.push_back(fmt::format("{} components that no face joins: they move on their own", r.components));
  return flaws;
}

template <std::size_t n>
std::string histogram(const std::array<std::size_t, n>& counts, double bin, int digits) {
  constexpr std::size_t columns = 50;
  const std::size_t most = std::max<std::size_t>(1, *std::max_element(counts.begin(), counts.end()));
  std::string text;
  for (std::size_t k = 0; k < n; ++k) {
    // The least bar shows that there is something.
    const std::size_t length = (counts[k] * columns + most - 1) / most;
    text += fmt::format("  {:>5.{}f} - {:<5.{}f} {:>10}  {}\n", bin * static_cast<double>(k), digits,
                        bin * static_cast<double>(k + 1), digits, counts[k], std::string(length, '#'));
  }
  return text;
}

}  // namespace

std::vector<std::string> size_warnings(const Box3& box) {
  const Vec3 size = box.max - box.min;
  const double largest = size.maxCoeff();
  if (largest <= 1000 && (largest >= 1e-6 || largest == 0)) return {};  // a single point has no size
  return {fmt::format("{:.4g} x {:.4g} x {:.4g} m, {}: are its coordinates in metres?", size[0], size[1], size[2],
                      largest > 1000 ? "larger than 1 km" : "smaller than 1 um")};
}

double pressure_wave_speed(double young, double poisson, double density) {
  return std::sqrt(young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson) * density));
}

double smallest_thickness(const TetMesh& mesh) {
  double largest = 0;  // eigenvalue
  for (const auto& [a, b, c, d] : mesh.tets) {
    Mat3 edges;
    edges << mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a], mesh.nodes[d] - mesh.nodes[a];
    // The gradients of the barycentric coordinates are n/a; those of the first three nodes but one are the rows.
    Mat3 inverse;
    bool invertible = false;
    edges.computeInverseWithCheck(inverse, invertible, 0);
    if (!invertible || !inverse.allFinite()) return 0;
    const Vec3 first = -inverse.colwise().sum().transpose();
    const Mat3 sum = inverse.transpose() * inverse + first * first.transpose();
    largest = std::max(largest, Eigen::SelfAdjointEigenSolver<Mat3>(sum, Eigen::EigenvaluesOnly).eigenvalues()[2]);
  }
  return 1 / std::sqrt(largest);
}

MeshFacts gather_mesh_facts(const TetMesh& mesh, double wave_speed, const std::string& where) {
  require_sound(mesh, where);
  MeshFacts f;
  f.report = mesh_report(mesh);
  f.box = bounding_box(mesh.nodes);
  f.wave_speed = wave_speed;
  f.thickness = f.report.flat > 0 ? 0 : smallest_thickness(mesh);
  f.flaws = flaws_of(f.report);
  f.warnings = size_warnings(f.box);
  for (const auto& [name, values] : mesh.fields) {
    FieldFacts field{name, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    for (const double x : values) {
      field.smallest = std::fmin(field.smallest, x);
      field.largest = std::fmax(field.largest, x);
    }
    f.fields.push_back(field);
  }
  try {
    TetMesh copy = mesh;
    check_and_orient(copy, where);
  } catch (const InputError& e) {
    f.refused = e.message();
  }
  return f;
}

std::string describe(const MeshFacts& f) {
  const MeshReport& r = f.report;
  const Vec3 size = f.box.max - f.box.min;
  std::string s = fmt::format("{} nodes, {} tetrahedra, {} surface triangles, {} {}\n", r.nodes, r.tets,
                              r.surface_triangles, r.components, r.components == 1 ? "component" : "components");
  s += fmt::format("size    {:.5g} x {:.5g} x {:.5g} m, from ({:.5g}, {:.5g}, {:.5g}) to ({:.5g}, {:.5g}, {:.5g})\n",
                   size[0], size[1], size[2], f.box.min[0], f.box.min[1], f.box.min[2], f.box.max[0], f.box.max[1],
                   f.box.max[2]);
  s += fmt::format("volume  {:.6g} m^3; of a tetrahedron {:.4g} to {:.4g} m^3\n", r.volume, r.min_volume, r.max_volume);
  s += fmt::format("edges   {:.4g} to {:.4g} m, mean {:.4g} m\n", r.min_edge, r.max_edge, r.mean_edge);
  s += fmt::format(
      "dihedral angles {:.2f} to {:.2f} degrees; the smallest in tetrahedron {} near ({:.4g}, {:.4g}, {:.4g})\n",
      r.min_dihedral, r.max_dihedral, r.worst_tet, r.worst_at[0], r.worst_at[1], r.worst_at[2]);
  s += histogram(r.dihedral_histogram, 10, 0);
  s += fmt::format("radius ratio (3 inscribed / circumscribed, 1 is best) from {:.4f}, mean {:.4f}\n",
                   r.min_radius_ratio, r.mean_radius_ratio);
  s += histogram(r.radius_ratio_histogram, 0.1, 1);
  s += fmt::format(
      "largest frequency about 2 c/d = {:.4g} rad/s ({:.4g} Hz), with waves at c = {:.4g} m/s and the "
      "thinnest tetrahedron d = {:.4g} m\n",
      f.largest_omega(), f.largest_omega() / (2 * std::acos(-1.0)), f.wave_speed, f.thickness);
  s += fmt::format(
      "explicit methods need steps below about d/c = {:.3g} s; implicit ones damp what is faster than their "
      "step\n",
      f.explicit_step());
  for (const auto& field : f.fields)
    s += fmt::format("field   {}, {:.6g} to {:.6g}\n", field.name, field.smallest, field.largest);
  for (const auto& flaw : f.flaws) s += "found: " + flaw + "\n";
  for (const auto& warning : f.warnings) s += "warning: " + warning + "\n";
  if (!f.refused.empty()) return s + "a run would refuse it: " + f.refused + "\n";
  return s + (f.flaws.empty() ? "nothing is wrong with it\n" : "a run would take it\n");
}

nlohmann::json to_json(const MeshFacts& f) {
  const MeshReport& r = f.report;
  const auto vector = [](const Vec3& x) { return nlohmann::json{x[0], x[1], x[2]}; };
  nlohmann::json j{{"nodes", r.nodes},
                   {"tets", r.tets},
                   {"surface_triangles", r.surface_triangles},
                   {"components", r.components},
                   {"box", {{"min", vector(f.box.min)}, {"max", vector(f.box.max)}}},
                   {"volume", r.volume},
                   {"min_volume", r.min_volume},
                   {"max_volume", r.max_volume},
                   {"min_edge", r.min_edge},
                   {"mean_edge", r.mean_edge},
                   {"max_edge", r.max_edge},
                   {"min_dihedral", r.min_dihedral},
                   {"max_dihedral", r.max_dihedral},
                   {"dihedral_histogram", r.dihedral_histogram},
                   {"min_radius_ratio", r.min_radius_ratio},
                   {"mean_radius_ratio", r.mean_radius_ratio},
                   {"radius_ratio_histogram", r.radius_ratio_histogram},
                   {"worst_tet", r.worst_tet},
                   {"worst_at", vector(r.worst_at)},
                   {"inverted", r.inverted},
                   {"flat", r.flat},
                   {"unreferenced_nodes", r.unreferenced_nodes},
                   {"nonmanifold_edges", r.nonmanifold_edges},
                   {"pinched_nodes", r.pinched_nodes},
                   {"euler", r.euler},
                   {"wave_speed", f.wave_speed},
                   {"thickness", f.thickness},
                   {"explicit_step", f.explicit_step()},
                   {"flaws", f.flaws},
                   {"warnings", f.warnings}};
  j["largest_omega"] = f.thickness > 0 ? nlohmann::json(f.largest_omega()) : nlohmann::json();
  j["fields"] = nlohmann::json::array();
  for (const auto& field : f.fields)
    j["fields"].push_back({{"name", field.name}, {"smallest", field.smallest}, {"largest", field.largest}});
  j["refused"] = f.refused.empty() ? nlohmann::json() : nlohmann::json(f.refused);
  return j;
}

}  // namespace limber
