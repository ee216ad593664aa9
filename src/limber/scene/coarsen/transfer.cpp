#include "limber/scene/coarsen/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/mesh/embed.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {
namespace {

/// A point that stands for a part of a fine element.
struct FineSample {
  std::size_t element;
  double volume;
};

/// The four points of degree 2 of each tetrahedron.
std::pair<std::vector<Vec3>, std::vector<FineSample>> fine_samples(const BodyShape& fine) {
  constexpr double far = .5854101966249685, near = .1381966011250105;
  const auto each = ix(pieces(fine.elements.kind));
  std::pair<std::vector<Vec3>, std::vector<FineSample>> all;
  for (std::size_t t = 0; t < fine.mesh.tets.size(); ++t)
    for (std::size_t k = 0; k < 4; ++k) {
      Vec3 x = Vec3::Zero();
      for (std::size_t j = 0; j < 4; ++j) x += (j == k ? far : near) * fine.mesh.nodes[ix(fine.mesh.tets[t][j])];
      all.first.push_back(x);
      all.second.push_back({t / each, signed_volume(fine.mesh, t) / 4});
    }
  return all;
}

/// A mean by volume.
struct VolumeMean {
  double sum = 0, volume = 0;
  void add(double value, double v) { sum += v * value, volume += v; }
  double value() const { return sum / volume; }
};

void require_young(const BodyChoice& body) {
  for (const auto& entry : body.materials) {
    const MaterialChoice& m = entry.second;
    if (!m.parameters.count("young") && !m.fields.count("young"))
      throw InputError(m.where,
                       "has no \"young\": its own constants determine it, and a coarse body needs a modulus of each "
                       "element; give young and poisson");
  }
}

}  // namespace

CutMesh cut_mesh(const SolidMesh& mesh) {
  if (const auto* tets = std::get_if<TetMesh>(&mesh)) return {*tets, 1};
  return {subdivide(hexahedra(std::get<HexMesh>(mesh))), ix(pieces(ElementKind::hex8))};
}

Transferred transfer_materials(const BodyChoice& body, const PlacedBody& fine, const SolidMesh& coarse) {
  require_young(body);
  const BodyShape& shape = fine.shape;
  const std::vector<std::string> keys = material_keys(body, shape);
  std::vector<double> young(keys.size());
  for (std::size_t e = 0; e < keys.size(); ++e) {
    const MaterialChoice& choice = body.materials.at(keys[e]);
    young[e] = made(choice, field_values(choice, shape.mesh.fields, e, shape.first_tet(e)), e).young;
  }
  const auto [points, samples] = fine_samples(shape);
  const CutMesh cut = cut_mesh(coarse);
  const std::size_t count = cut.tets.tets.size() / cut.each;

  std::vector<std::vector<FineSample>> parts(count);
  const Embedding placed = embed(points, cut.tets);
  for (std::size_t i = 0; i < samples.size(); ++i) parts[ix(placed.tet[i]) / cut.each].push_back(samples[i]);
  // Elements in which there is no point take over from the fine element at their centre.
  std::vector<Vec3> centres;
  std::vector<std::size_t> without;
  for (std::size_t e = 0; e < count; ++e) {
    if (!parts[e].empty()) continue;
    Vec3 centre = Vec3::Zero();
    for (std::size_t t = e * cut.each; t < (e + 1) * cut.each; ++t)
      for (const int i : cut.tets.tets[t]) centre += cut.tets.nodes[ix(i)] / (4. * static_cast<double>(cut.each));
    centres.push_back(centre);
    without.push_back(e);
  }
  if (!centres.empty()) {
    const Embedding inside = embed(centres, shape.mesh);
    const auto each = ix(pieces(shape.elements.kind));
    for (std::size_t i = 0; i < without.size(); ++i) parts[without[i]].push_back({ix(inside.tet[i]) / each, 1});
  }

  Transferred all;
  for (const auto& part : parts) {
    std::map<std::string, double> share;
    VolumeMean modulus, mass;
    for (const FineSample& s : part) {
      share[keys[s.element]] += s.volume;
      modulus.add(young[s.element], s.volume);
      mass.add(fine.materials.density[s.element], s.volume);
    }
    all.material.push_back(std::max_element(share.begin(), share.end(), [](const auto& a, const auto& b) {
                             return a.second < b.second;
                           })->first);
    all.young.push_back(modulus.value());
    all.density.push_back(mass.value());
    for (const auto& [name, values] : shape.mesh.fields) {
      VolumeMean field;
      for (const FineSample& s : part) field.add(values[shape.first_tet(s.element)], s.volume);
      all.fields[name].push_back(field.value());
    }
  }
  return all;
}

}  // namespace limber
