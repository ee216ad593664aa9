#include "limber/scene/read_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "limber/mesh/io/formats.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

template <class Shape>
struct ShapeRow {
  const char* name;
  Rows<Shape> parameters;     // beside resolution and max_tets
  const char* coarsest_text;  // of the resolution
  TetMesh (*mesh)(const Shape& shape);
  double (*coarsest)(const Shape& shape);  // resolution that `mesh` takes
};

const auto& table() {
  static const Form size = form::positive(quantity::length), ratio = form::number(quantity::ratio),
                    angle = form::number(quantity::angle), count = form::whole(0);
  static const std::tuple rows{
      ShapeRow<CylinderShape>{
          "cylinder",
          {{"radius", &CylinderShape::radius, size, "radius"}, {"length", &CylinderShape::length, size, "length"}},
          "the radius",
          cylinder_mesh,
          [](const CylinderShape& s) { return s.radius; }},
      ShapeRow<SphereShape>{"sphere",
                            {{"radius", &SphereShape::radius, size, "radius"}},
                            "the radius",
                            sphere_mesh,
                            [](const SphereShape& s) { return s.radius; }},
      ShapeRow<ShellShape>{
          "shell",
          {{"radius", &ShellShape::radius, size, "of the outside"},
           {"length", &ShellShape::length, form::non_negative(quantity::length),
            "of the straight part, along y{}; 0: a hollow sphere"},
           {"thickness", &ShellShape::thickness, size, "of the wall, at most 0.9 of the radius"},
           {"offset", &ShellShape::offset, form::number(quantity::length),
            "of the hollow along x, at most 0.75 of the thickness{}: one wall becomes thicker than the other"},
           {"layers", &ShellShape::layers, form::whole(1), "of tetrahedra across the wall, 1 to 100"}},
          "the radius",
          shell_mesh,
          [](const ShellShape& s) { return s.radius; }},
      ShapeRow<TorusShape>{
          "torus",
          {{"major_radius", &TorusShape::major_radius, size, "from the middle to the middle of the tube"},
           {"minor_radius", &TorusShape::minor_radius, size, "of the tube, at most 0.7 `major_radius`"}},
          "the minor radius",
          torus_mesh,
          [](const TorusShape& s) { return s.minor_radius; }},
      ShapeRow<RopeShape>{"rope",
                          {{"radius", &RopeShape::radius, size, "radius"},
                           {"length", &RopeShape::length, size, "along x from the origin{}; not used with `path`"},
                           {"path", &RopeShape::path, form::points(),
                            "points `[[x, y, z], …]` that a smooth curve joins, two or more{}; it must bend with a "
                            "radius of at least 1.5 "
                            "times the rope's and keep clear of itself"}},
                          "the radius",
                          rope_mesh,
                          [](const RopeShape& s) { return s.radius; }},
      ShapeRow<TreeShape>{
          "tree",
          {{"trunk_length", &TreeShape::trunk_length, size, "length of the trunk"},
           {"trunk_radius", &TreeShape::trunk_radius, size,
            "without the flare at the ground, at most a quarter of the length"},
           {"levels", &TreeShape::levels, count, "of branches, 0 (a trunk alone) to 12"},
           {"branches", &TreeShape::branches, count,
            "of each branch, 1 to 12: one goes on at its end, the others leave its side"},
           {"length_ratio", &TreeShape::length_ratio, ratio, "of a branch to the one it leaves, in [0.2, 1.2]"},
           {"radius_ratio", &TreeShape::radius_ratio, ratio,
            "of a branch to the one it leaves, and of its end to its start, in [0.3, 0.95]"},
           {"spread", &TreeShape::spread, angle, "between a branch and those that leave its side, in [0.1, 2]"},
           {"twist", &TreeShape::twist, angle, "from one branch to the next around the one they leave, in [−10, 10]"},
           {"gravity_bend", &TreeShape::gravity_bend, angle,
            "how far a branch turns down over its length, in [−3, 3]{}; negative: up"},
           {"variation", &TreeShape::variation, ratio, "of lengths and angles, in [0, 1]"},
           {"seed", &TreeShape::seed, count, "of the variation, a whole number"}},
          "1.1 times the radius of the thinnest branch",
          tree_mesh,
          coarsest_resolution},
      ShapeRow<CreatureShape>{"creature",
                              {{"height", &CreatureShape::height, size, "from the soles to the tips of the ears"}},
                              "0.05 of the height",
                              creature_mesh,
                              coarsest_resolution},
      ShapeRow<BridgeShape>{
          "bridge",
          {{"length", &BridgeShape::length, size, "along x"},
           {"width", &BridgeShape::width, size, "along z"},
           {"height", &BridgeShape::height, size,
            "of the top of the deck{}; the arch may rise by 0.3 of the length at most"},
           {"deck_thickness", &BridgeShape::deck_thickness, size, "of the deck"},
           {"arch_thickness", &BridgeShape::arch_thickness, size, "of the arch"},
           {"clearance", &BridgeShape::clearance, size, "between arch and deck mid-span"},
           {"posts", &BridgeShape::posts, count, "1 to 1000"},
           {"post_width", &BridgeShape::post_width, size, "along x{}; posts may take 0.6 of their distance at most"}},
          "1.5 times the smallest of width, thicknesses, clearance and post width",
          bridge_mesh,
          [](const BridgeShape& s) {
            return 1.5 * std::min({s.width, s.deck_thickness, s.arch_thickness, s.clearance, s.post_width});
          }},
  };
  return rows;
}

template <class Shape>
Section<Shape> shape_section(const ShapeRow<Shape>& row) {
  Rows<Shape> keys = {{"shape", form::only("shape", row.name), "`\"" + std::string(row.name) + "\"`", required}};
  keys.add(row.parameters);
  keys.add({"resolution", &Shape::resolution, form::positive(quantity::length),
            std::string("mean length of the edges, at most ") + row.coarsest_text});
  for (const KnownKey& key : aim_keys()) keys.add({key.name, key.form, key.text});
  keys.add({"max_tets", &Shape::max_tets, form::whole(0),
            "most tetrahedra{}: a resolution that would make more is refused"});
  return {std::string("mesh_") + row.name, keys, one_aim()};
}

template <class Action>
void for_each_row(const Action& action) {
  std::apply([&](const auto&... row) { (action(row), ...); }, table());
}

template <class Shape>
TetMesh mesh_of(const ShapeRow<Shape>& row, Shape shape, const ProceduralShape& choice) {
  if (!choice.aim) return row.mesh(shape);
  return mesh_of_count(
      [&](double resolution) {
        shape.resolution = resolution;
        return row.mesh(shape);
      },
      row.coarsest(shape), *choice.aim, choice.target);
}

}  // namespace

const std::vector<ShapeKind>& shape_kinds() {
  static const auto kinds = [] {
    std::vector<ShapeKind> all;
    for_each_row([&](const auto& row) {
      ShapeKind kind{row.name, {}};
      for (const KnownKey& key : shape_section(row).rows)
        if (key.standard) kind.parameters.push_back({key.name, key.form.quantity.unit, nlohmann::json(*key.standard)});
      all.push_back(std::move(kind));
    });
    return all;
  }();
  return kinds;
}

std::vector<SectionTable> shape_sections() {
  std::vector<SectionTable> all;
  for_each_row([&](const auto& row) { all.push_back(shape_section(row)); });
  return all;
}

std::vector<KnownKey> aim_keys() {
  return {{"nodes", form::whole(4), "in place of the resolution: about so many nodes{}"},
          {"tets", form::whole(4), "in place of the resolution: about so many tetrahedra{}"}};
}

std::vector<std::pair<std::string, std::string>> one_aim() {
  return {{"resolution", "nodes"}, {"resolution", "tets"}, {"nodes", "tets"}};
}

Aim read_aim(const JsonSection& section, std::size_t max_tets) {
  Aim aim;
  const auto look = [&](const char* key, Count what) {
    const auto c = section.find(key);
    if (!c) return;
    aim = {what, static_cast<std::size_t>(c->integer(4))};
    if (aim.target > max_tets) c->fail(fmt::format("{} is more than max_tets allows, {}", c->echo(), max_tets));
  };
  look("nodes", Count::nodes);
  look("tets", Count::tets);
  return aim;
}

ProceduralShape read_shape(const JsonSection& section) {
  ProceduralShape choice;
  for_each_row([&]<class Shape>(const ShapeRow<Shape>& row) {
    if (section.kind() != std::string("mesh_") + row.name) return;
    Shape shape;
    shape_section(row).read(section, shape);
    const Aim aim = read_aim(section, shape.max_tets);
    choice = {shape, aim.what, aim.target};
  });
  return choice;
}

TetMesh shape_mesh(const ProceduralShape& choice, const std::string& where) {
  try {
    TetMesh mesh;
    for_each_row([&]<class Shape>(const ShapeRow<Shape>& row) {
      if (const auto* shape = std::get_if<Shape>(&choice.shape)) mesh = mesh_of(row, *shape, choice);
    });
    return mesh;
  } catch (const InputError& e) {
    if (!choice.aim || e.where() != "resolution") throw InputError(where + "." + e.where(), e.message());
    throw InputError(where + (*choice.aim == Count::nodes ? ".nodes" : ".tets"),
                     fmt::format("{} cannot be had: the resolution {}", choice.target, e.message()));
  }
}

SolidMesh source_mesh(const MeshSource& source, const std::string& where) {
  if (const auto* box = std::get_if<BoxShape>(&source)) return box_mesh(box->origin, box->size, box->cells, box->split);
  if (const auto* shape = std::get_if<ProceduralShape>(&source)) return shape_mesh(*shape, where);
  if (const auto* file = std::get_if<MeshFile>(&source)) return read_solid_mesh(file->path, file->access);
  if (const auto* mesh = std::get_if<TetMesh>(&source)) return *mesh;
  if (const auto* mesh = std::get_if<HexMesh>(&source)) return *mesh;
  return {};
}

}  // namespace limber
