#include "limber/scene/construction/element_fields.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/lanes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/force/element_batches.hpp"
#include "limber/force/mean_energy.hpp"
#include "limber/force/plane_stress.hpp"
#include "limber/material/decompose.hpp"
#include "limber/scene/construction/body_materials.hpp"
#include "limber/scene/construction/build_rigid.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double or_nan(double x) { return std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN(); }

double von_mises(const Mat3& sigma) {
  const Mat3 s = (sigma + sigma.transpose()) / 2 - sigma.trace() / 3 * Mat3::Identity();
  return std::sqrt(1.5) * s.norm();
}

Mat3 or_nan(const Mat3& sigma) {
  return sigma.allFinite() ? sigma : Mat3(Mat3::Constant(std::numeric_limits<double>::quiet_NaN()));
}

/// The shape in its place. Throws InputError unless it is that of the trajectory.
BodyShape placed_shape(const BodyChoice& choice, const BodyRange& range, const TrajectoryHeader& header) {
  std::vector<std::string> notes;
  BodyShape shape = make_shape(choice, notes);
  const auto differs = [&](const char* what, std::size_t now, std::size_t then) {
    throw InputError(choice.where + ".mesh", fmt::format("has {} {}, but the trajectory has {} of '{}': the mesh has "
                                                         "changed since the run",
                                                         now, what, then, range.name));
  };
  if (shape.mesh.nodes.size() != index(range.node_count))
    differs("nodes", shape.mesh.nodes.size(), index(range.node_count));
  if (shape.mesh.tets.size() != index(range.tet_count))
    differs("tetrahedra", shape.mesh.tets.size(), index(range.tet_count));
  if (shape.triangles.size() != index(range.triangle_count))
    differs("triangles", shape.triangles.size(), index(range.triangle_count));
  // The rest shape as it was run, to the last bit.
  shape.elements.nodes.assign(header.nodes.begin() + range.first_node,
                              header.nodes.begin() + range.first_node + range.node_count);
  return shape;
}

}  // namespace

struct ElementFields::Solid {
  ElementBatches elements;
  std::vector<AnyMaterial> materials;
  std::vector<int> of_element;
  std::vector<std::size_t> first_cell;  // #E
  std::size_t cells_each;
  std::shared_ptr<const MeanEnergy> means = {};  // null: there is none
  std::vector<double> own = {};                  // the part of each element's own energy; empty: all
};

ElementFields::ElementFields(const Scene& scene, const TrajectoryHeader& trajectory) : header_(trajectory) {
  if (scene.bodies.size() != header_.bodies.size())
    throw InputError(
        "bodies", fmt::format("has {} bodies, but the trajectory has {}", scene.bodies.size(), header_.bodies.size()));
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyChoice& choice = scene.bodies[b];
    const BodyRange& range = header_.bodies[b];
    if (choice.materials.empty()) continue;
    BodyShape shape = placed_shape(choice, range, header_);
    if (range.tet_count > 0)
      add_solid(choice, std::move(shape), range, scene.gravity);
    else if (range.triangle_count > 0)
      sheets_.push_back(
          {made(choice.materials.at("default")).material, index(range.first_triangle), index(range.triangle_count)});
    else
      rods_.push_back({made(choice.materials.at("default")).young, index(range.first_edge), index(range.edge_count)});
  }
}

void ElementFields::add_solid(const BodyChoice& choice, BodyShape shape, const BodyRange& range, const Vec3& gravity) {
  BodyMaterials m = body_materials(choice, shape);
  std::vector<bool> rigid(shape.elements.count(), false);
  if (!choice.rigid.empty()) {
    TetMesh pieces = shape.mesh;
    pieces.nodes = shape.elements.nodes;
    rigid = rigid_parts(choice, {shape.elements, pieces, shape.mesh.nodes, range.first_node, m.materials, m.of_element,
                                 m.density, gravity})
                .inside;
  }
  std::vector<std::size_t> first_cell;
  for (std::size_t e = 0; e < rigid.size(); ++e)
    if (!rigid[e]) first_cell.push_back(index(range.first_tet) + shape.first_tet(e));
  take_out(rigid, shape.elements, m.of_element);
  const MeanShares shares{shape.elements,
                          range.first_node,
                          m.materials,
                          m.of_element,
                          m.means.bulk,
                          m.means.group,
                          m.viscous() ? Shear::in_elements : Shear::on_edges};
  solids_.push_back(std::make_shared<Solid>(
      Solid{ElementBatches(shape.elements, range.first_node, std::vector<int>(m.of_element.size(), 0)), m.materials,
            m.of_element, std::move(first_cell), index(pieces(shape.elements.kind)), make_mean_energy(shares),
            own_parts(shares)}));
}

void ElementFields::only_at(const std::vector<bool>& nodes) {
  wanted_.assign(header_.tets.size(), false);
  for (const auto& solid : solids_)
    for (const std::size_t first : solid->first_cell)
      for (std::size_t cell = first; cell < first + solid->cells_each; ++cell)
        for (const int node : header_.tets[cell]) wanted_[first] = wanted_[first] || nodes[index(node)];
}

void ElementFields::evaluate(const Solid& solid, const Vector& q, ElementValues& values) const {
  const ElementBatches& elements = solid.elements;
  const int n = elements.nodes_each();
  std::vector<Mat3> mean_stress(solid.means ? elements.count() : 0, Mat3::Zero());
  std::vector<double> mean_psi(mean_stress.size(), 0);
  if (solid.means) solid.means->add_stress(q, mean_stress, mean_psi);
  parallel_for(static_cast<Index>(elements.order().size()), [&](Index place) {
    const auto i = static_cast<std::size_t>(place);
    const std::size_t e = index(elements.order()[i]);
    if (i > 0 && index(elements.order()[i - 1]) == e) return;  // fills up a batch
    if (!wanted_.empty() && !wanted_[solid.first_cell[e]]) return;
    const int batch = static_cast<int>(place) / lane_count, lane = static_cast<int>(place) % lane_count;
    const AnyMaterial& m = solid.materials[index(solid.of_element[e])];
    const int* nodes = elements.nodes(batch) + lane;
    Mat3 sigma = Mat3::Zero();
    double psi = 0, volume = 0;
    for (int point = 0; point < elements.points(); ++point) {
      const double* shape = elements.shape(batch, point) + lane;
      Mat3 F = Mat3::Zero();
      for (int a = 1; a < n; ++a) {
        const double* g = shape + 3 * (a - 1) * lane_count;
        F += (q.segment<3>(nodes[a * lane_count]) - q.segment<3>(nodes[0])) *
             Vec3(g[0], g[lane_count], g[2 * lane_count]).transpose();
      }
      const double weight = shape[3 * (n - 1) * lane_count];
      sigma += weight / F.determinant() * stress(m, F) * F.transpose();
      psi += weight * energy(m, F);
      volume += weight;
    }
    if (solid.means) {
      const double own = solid.own.empty() ? 1 : solid.own[e];
      sigma = own * sigma + volume * mean_stress[e];
      psi = own * psi + volume * mean_psi[e];
    }
    for (std::size_t k = 0; k < solid.cells_each; ++k) {
      values.von_mises[solid.first_cell[e] + k] = or_nan(von_mises(sigma / volume));
      values.energy_density[solid.first_cell[e] + k] = or_nan(psi / volume);
      if (!values.stress.empty())
        values.stress[solid.first_cell[e] + k] = or_nan(Mat3((sigma + sigma.transpose()) / (2 * volume)));
    }
  });
}

void ElementFields::evaluate(const Sheet& sheet, const Vector& q, ElementValues& values) const {
  const std::size_t first_cell = header_.tets.size();
  parallel_for(static_cast<Index>(sheet.count), [&](Index k) {
    const std::size_t t = sheet.first + static_cast<std::size_t>(k);
    const auto& [a, b, c] = header_.triangles[t];
    const Vec3 e = header_.nodes[index(b)] - header_.nodes[index(a)],
               d = header_.nodes[index(c)] - header_.nodes[index(a)];
    const Vec3 along = e.normalized(), across = (d - d.dot(along) * along).normalized();
    Eigen::Matrix2d rest;
    rest << e.norm(), d.dot(along), 0, d.dot(across);
    Eigen::Matrix<double, 3, 2> edges;
    edges << q.segment<3>(3 * b) - q.segment<3>(3 * a), q.segment<3>(3 * c) - q.segment<3>(3 * a);
    const Eigen::Matrix<double, 3, 2> F = edges * rest.inverse();
    const Svd<double> principal = svd(M3<double>{F(0, 0), F(0, 1), 0, F(1, 0), F(1, 1), 0, F(2, 0), F(2, 1), 0});
    const V3<double>& s = principal.s;
    const PlaneStress r = plane_stress(sheet.material, s[0], s[1]);
    const double first = r.first[0] / (s[1] * r.thickness), second = r.first[1] / (s[0] * r.thickness);
    values.von_mises[first_cell + t] = or_nan(std::sqrt(first * first - first * second + second * second));
    values.energy_density[first_cell + t] = or_nan(plane_stress_energy(sheet.material, s[0], s[1]));
    if (!values.stress.empty()) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> U(principal.U.m);
      values.stress[first_cell + t] = or_nan(Mat3(U * Vec3(first, second, 0).asDiagonal() * U.transpose()));
    }
  });
}

void ElementFields::evaluate(const Rod& rod, const Vector& q, ElementValues& values) const {
  const std::size_t first_cell = header_.tets.size() + header_.triangles.size();
  for (std::size_t i = rod.first; i < rod.first + rod.count; ++i) {
    const auto& [a, b] = header_.edges[i];
    const double rest = (header_.nodes[index(b)] - header_.nodes[index(a)]).norm();
    const Vec3 along = q.segment<3>(3 * b) - q.segment<3>(3 * a);
    const double strain = along.norm() / rest - 1;
    values.von_mises[first_cell + i] = or_nan(rod.young * std::abs(strain));
    values.energy_density[first_cell + i] = or_nan(rod.young * strain * strain / 2);
    if (!values.stress.empty())
      values.stress[first_cell + i] =
          or_nan(Mat3(rod.young * strain * along.normalized() * along.normalized().transpose()));
  }
}

ElementValues ElementFields::at(const Vector& q, StressTensors tensors) const {
  const std::size_t cells = header_.tets.size() + header_.triangles.size() + header_.edges.size();
  ElementValues values{std::vector<double>(cells, 0), std::vector<double>(cells, 0), {}};
  if (tensors == StressTensors::keep) values.stress.assign(cells, Mat3::Zero());
  for (const auto& solid : solids_) evaluate(*solid, q, values);
  for (const Sheet& sheet : sheets_) evaluate(sheet, q, values);
  for (const Rod& rod : rods_) evaluate(rod, q, values);
  return values;
}

Vector ElementFields::at_nodes(const std::vector<double>& values) const {
  const auto n = static_cast<Index>(header_.nodes.size());
  Vector sum = Vector::Zero(n), count = Vector::Zero(n);
  std::size_t cell = 0;
  const auto spread = [&](const auto& cells) {
    for (const auto& nodes : cells) {
      const double value = values[cell++];
      if (std::isnan(value)) continue;
      for (const int i : nodes) sum[i] += value, count[i] += 1;
    }
  };
  spread(header_.tets);
  spread(header_.triangles);
  spread(header_.edges);
  return sum.cwiseQuotient(count.cwiseMax(1));
}

}  // namespace limber
