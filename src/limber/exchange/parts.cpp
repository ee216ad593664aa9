#include "limber/exchange/parts.hpp"

namespace limber {
namespace {

struct Selected {
  std::vector<std::size_t> polygons, lines;
};

/// Leaves only the vertices that are used.
void number_vertices(const SurfaceMesh& all, SurfacePart& part) {
  std::vector<int> number(all.positions.size(), -1);
  for (const int i : part.mesh.corners) number[static_cast<std::size_t>(i)] = 0;
  for (const auto& line : part.mesh.lines)
    for (const int i : line) number[static_cast<std::size_t>(i)] = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(part.vertices.size());
    part.vertices.push_back(i);
  }
  for (int& i : part.mesh.corners) i = number[static_cast<std::size_t>(i)];
  for (auto& line : part.mesh.lines)
    for (int& i : line) i = number[static_cast<std::size_t>(i)];
  part.mesh.positions = part.positions(all.positions);
}

SurfacePart take(const SurfaceMesh& all, const Selected& selected, const std::string& name) {
  SurfacePart part{name, {}, {}, 0};
  part.mesh.uv = all.uv;
  part.mesh.labels = all.labels;
  part.mesh.material_files = all.material_files;
  part.mesh.first_corner.push_back(0);
  for (const std::size_t p : selected.polygons) {
    for (std::size_t c = all.first_corner[p]; c < all.first_corner[p + 1]; ++c) {
      part.mesh.corners.push_back(all.corners[c]);
      part.mesh.corner_uv.push_back(all.corner_uv[c]);
    }
    part.mesh.first_corner.push_back(part.mesh.corners.size());
    part.mesh.label.push_back(all.label[p]);
  }
  for (const std::size_t l : selected.lines) {
    part.mesh.lines.push_back(all.lines[l]);
    part.mesh.line_label.push_back(all.line_label[l]);
  }
  number_vertices(all, part);
  return part;
}

}  // namespace

std::vector<Vec3> SurfacePart::positions(const std::vector<Vec3>& of_surface) const {
  std::vector<Vec3> own;
  own.reserve(vertices.size());
  for (const std::size_t i : vertices) own.push_back(of_surface[i]);
  return own;
}

std::vector<SurfacePart> body_parts(const MovingSurface& surface) {
  std::vector<Selected> selected(surface.bodies.size());
  for (std::size_t p = 0; p < surface.polygon_body.size(); ++p)
    selected[static_cast<std::size_t>(surface.polygon_body[p])].polygons.push_back(p);
  for (std::size_t l = 0; l < surface.line_body.size(); ++l)
    selected[static_cast<std::size_t>(surface.line_body[l])].lines.push_back(l);
  std::vector<SurfacePart> parts;
  for (std::size_t b = 0; b < selected.size(); ++b)
    if (!selected[b].polygons.empty() || !selected[b].lines.empty()) {
      parts.push_back(take(surface.mesh, selected[b], surface.bodies[b]));
      if (b < surface.thickness.size()) parts.back().thickness = surface.thickness[b];
    }
  return parts;
}

SurfacePart whole_part(const MovingSurface& surface, const std::string& name) {
  Selected all;
  for (std::size_t p = 0; p < surface.mesh.polygons(); ++p) all.polygons.push_back(p);
  for (std::size_t l = 0; l < surface.mesh.lines.size(); ++l) all.lines.push_back(l);
  return take(surface.mesh, all, name);
}

}  // namespace limber
