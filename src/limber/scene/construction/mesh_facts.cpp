#include "limber/scene/construction/mesh_facts.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/material/decompose.hpp"
#include "limber/mesh/element_type.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

struct CellWords {
  const char *one, *many;
  const char* flat;  // what is wrong with the flat ones
};
constexpr CellWords tet_words{"tetrahedron", "tetrahedra", "without volume"};
constexpr CellWords hex_words{"hexahedron", "hexahedra", "folded or flat"};

template <std::size_t n>
void require_sound(const std::vector<Vec3>& nodes, const std::vector<std::array<int, n>>& cells, const CellWords& words,
                   const std::string& where) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!nodes[i].allFinite()) throw InputError(where, fmt::format("the coordinates of node {} are not finite", i));
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (const int i : cells[c])
      if (i < 0 || static_cast<std::size_t>(i) >= nodes.size())
        throw InputError(where, fmt::format("{} {} names the node {}; there are {}", words.one, c, i, nodes.size()));
}

std::vector<std::string> flaws_of(const MeshReport& r, const CellWords& words) {
  std::vector<std::string> flaws;
  const auto add = [&](std::size_t count, const char* one, const char* many, const std::string& what) {
    if (count > 0) flaws.push_back(fmt::format("{} {} {}", count, count == 1 ? one : many, what));
  };
  add(r.inverted, words.one, words.many, "negatively ordered; a run reorders them");
  add(r.flat, words.one, words.many, words.flat);
  add(r.unreferenced_nodes, "node", "nodes", std::string("in no ") + words.one);
  add(r.nonmanifold_edges, "edge", "edges", "of the surface not between two triangles: parts meet in an edge only");
  add(r.pinched_nodes, "node", "nodes", "where the surface touches itself");
  if (r.components > 1)
    flaws.push_back(fmt::format("{} components that no face joins: they move on their own", r.components));
  return flaws;
}

/// What does not depend on the kind of cells; `f` has its report.
template <class Mesh>
void add_common(const Mesh& mesh, double wave_speed, const CellWords& words, const std::string& where, MeshFacts& f) {
  f.box = bounding_box(mesh.nodes);
  f.wave_speed = wave_speed;
  f.thickness = f.report.flat > 0 ? 0 : smallest_thickness(mesh);
  f.flaws = flaws_of(f.report, words);
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
    Mesh copy = mesh;
    check_and_orient(copy, where);
  } catch (const InputError& e) {
    f.refused = e.message();
  }
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

std::string shapes(const MeshReport& r) {
  return fmt::format(
             "dihedral angles {:.2f} to {:.2f} degrees; the smallest in tetrahedron {} near ({:.4g}, {:.4g}, {:.4g})\n",
             r.min_dihedral, r.max_dihedral, r.worst_tet, r.worst_at[0], r.worst_at[1], r.worst_at[2]) +
         histogram(r.dihedral_histogram, 10, 0) +
         fmt::format("radius ratio (3 inscribed / circumscribed, 1 is best) from {:.4f}, mean {:.4f}\n",
                     r.min_radius_ratio, r.mean_radius_ratio) +
         histogram(r.radius_ratio_histogram, 0.1, 1);
}

std::string shapes(const HexQuality& q) {
  return fmt::format(
             "scaled Jacobian (the least at a corner, 1 is best) from {:.4f}, mean {:.4f}; the smallest in hexahedron "
             "{} "
             "near ({:.4g}, {:.4g}, {:.4g})\n",
             q.min_scaled_jacobian, q.mean_scaled_jacobian, q.worst_hex, q.worst_at[0], q.worst_at[1], q.worst_at[2]) +
         histogram(q.scaled_jacobian_histogram, 0.1, 1);
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
    M3<double> symmetric;
    std::copy_n(sum.data(), 9, symmetric.m);
    largest = std::max(largest, svd(symmetric).s[0]);
  }
  return 1 / std::sqrt(largest);
}

double smallest_thickness(const HexMesh& mesh) {
  const Quadrature rule = energy_rule(ElementKind::hex8, Sides::straight);
  double largest = 0;  // eigenvalue
  for (const auto& hex : mesh.hexes) {
    Matrix x(8, 3);
    for (Index a = 0; a < 8; ++a) x.row(a) = mesh.nodes[static_cast<std::size_t>(hex[static_cast<std::size_t>(a)])];
    Matrix K = Matrix::Zero(8, 8);
    Vector mass = Vector::Zero(8);
    for (Index q = 0; q < rule.weights.size(); ++q) {
      const Matrix dN = shape_gradients(ElementKind::hex8, rule.points.row(q));
      const Mat3 map = x.transpose() * dN;
      // Negatively ordered ones are mirrored, which changes nothing here.
      const double weight = rule.weights[q] * std::abs(map.determinant());
      if (!(weight > 0)) return 0;
      const Matrix gradients = dN * map.inverse();
      K += weight * gradients * gradients.transpose();
      mass += weight * shape_values(ElementKind::hex8, rule.points.row(q));
    }
    if (!(mass.minCoeff() > 0)) return 0;
    const Vector scale = mass.cwiseSqrt().cwiseInverse();
    const Matrix scaled = scale.asDiagonal() * K * scale.asDiagonal();
    largest = std::max(largest,
                       Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff());
  }
  return 2 / std::sqrt(largest);
}

MeshFacts gather_mesh_facts(const TetMesh& mesh, double wave_speed, const std::string& where) {
  require_sound(mesh.nodes, mesh.tets, tet_words, where);
  MeshFacts f;
  f.report = mesh_report(mesh);
  add_common(mesh, wave_speed, tet_words, where, f);
  return f;
}

MeshFacts gather_mesh_facts(const HexMesh& mesh, double wave_speed, const std::string& where) {
  require_sound(mesh.nodes, mesh.hexes, hex_words, where);
  MeshFacts f;
  f.report = mesh_report(subdivide(hexahedra(mesh)));
  const HexQuality& hexes = f.hexes.emplace(hex_quality(mesh));
  f.report.volume = hexes.volume;
  f.report.min_volume = hexes.min_volume;
  f.report.max_volume = hexes.max_volume;
  f.report.min_edge = hexes.min_edge;
  f.report.mean_edge = hexes.mean_edge;
  f.report.max_edge = hexes.max_edge;
  f.report.inverted = hexes.mirrored;
  f.report.flat = hexes.folded;
  add_common(mesh, wave_speed, hex_words, where, f);
  return f;
}

std::string describe(const MeshFacts& f) {
  const MeshReport& r = f.report;
  const CellWords& words = f.hexes ? hex_words : tet_words;
  const Vec3 size = f.box.max - f.box.min;
  std::string s =
      fmt::format("{} nodes, {} {}, {} surface triangles, {} {}\n", r.nodes, f.hexes ? f.hexes->hexes : r.tets,
                  words.many, r.surface_triangles, r.components, r.components == 1 ? "component" : "components");
  s += fmt::format("size    {:.5g} x {:.5g} x {:.5g} m, from ({:.5g}, {:.5g}, {:.5g}) to ({:.5g}, {:.5g}, {:.5g})\n",
                   size[0], size[1], size[2], f.box.min[0], f.box.min[1], f.box.min[2], f.box.max[0], f.box.max[1],
                   f.box.max[2]);
  s += fmt::format("volume  {:.6g} m^3; of a {} {:.4g} to {:.4g} m^3\n", r.volume, words.one, r.min_volume,
                   r.max_volume);
  s += fmt::format("edges   {:.4g} to {:.4g} m, mean {:.4g} m\n", r.min_edge, r.max_edge, r.mean_edge);
  s += f.hexes ? shapes(*f.hexes) : shapes(r);
  s += fmt::format(
      "largest frequency about 2 c/d = {:.4g} rad/s ({:.4g} Hz), with waves at c = {:.4g} m/s and the "
      "thinnest {} d = {:.4g} m\n",
      f.largest_omega(), f.largest_omega() / (2 * std::acos(-1.0)), f.wave_speed, words.one, f.thickness);
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

Document to_json(const MeshFacts& f) {
  const MeshReport& r = f.report;
  const auto vector = [](const Vec3& x) { return nlohmann::json{x[0], x[1], x[2]}; };
  nlohmann::json j{{"nodes", r.nodes},
                   {"surface_triangles", r.surface_triangles},
                   {"components", r.components},
                   {"box", {{"min", vector(f.box.min)}, {"max", vector(f.box.max)}}},
                   {"volume", r.volume},
                   {"min_volume", r.min_volume},
                   {"max_volume", r.max_volume},
                   {"min_edge", r.min_edge},
                   {"mean_edge", r.mean_edge},
                   {"max_edge", r.max_edge},
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
  if (f.hexes)
    j.update({{"hexes", f.hexes->hexes},
              {"min_scaled_jacobian", f.hexes->min_scaled_jacobian},
              {"mean_scaled_jacobian", f.hexes->mean_scaled_jacobian},
              {"scaled_jacobian_histogram", f.hexes->scaled_jacobian_histogram},
              {"worst_hex", f.hexes->worst_hex},
              {"worst_at", vector(f.hexes->worst_at)}});
  else
    j.update({{"tets", r.tets},
              {"min_dihedral", r.min_dihedral},
              {"max_dihedral", r.max_dihedral},
              {"dihedral_histogram", r.dihedral_histogram},
              {"min_radius_ratio", r.min_radius_ratio},
              {"mean_radius_ratio", r.mean_radius_ratio},
              {"radius_ratio_histogram", r.radius_ratio_histogram},
              {"worst_tet", r.worst_tet},
              {"worst_at", vector(r.worst_at)}});
  j["largest_omega"] = f.thickness > 0 ? nlohmann::json(f.largest_omega()) : nlohmann::json();
  j["fields"] = nlohmann::json::array();
  for (const auto& field : f.fields)
    j["fields"].push_back({{"name", field.name}, {"smallest", field.smallest}, {"largest", field.largest}});
  j["refused"] = f.refused.empty() ? nlohmann::json() : nlohmann::json(f.refused);
  return document_of(std::move(j));
}

}  // namespace limber
