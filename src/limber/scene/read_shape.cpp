#include "limber/scene/read_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace limber {
namespace {

template <class Shape>
struct Parameter {
  const char* name;
  std::variant<double Shape::*, int Shape::*, std::uint64_t Shape::*, std::vector<Vec3> Shape::*> member;
  Quantity quantity = quantity::ratio;  // lengths are positive
};

template <class Shape>
struct Row {
  const char* name;
  std::vector<Parameter<Shape>> parameters;  // beside resolution and max_tets
  TetMesh (*mesh)(const Shape& shape);
  double (*coarsest)(const Shape& shape);  // resolution that `mesh` takes
};

const auto& table() {
  using namespace quantity;
  static const std::tuple rows{
      Row<CylinderShape>{"cylinder",
                         {{"radius", &CylinderShape::radius, length}, {"length", &CylinderShape::length, length}},
                         cylinder_mesh,
                         [](const CylinderShape& s) { return s.radius; }},
      Row<SphereShape>{"sphere",
                       {{"radius", &SphereShape::radius, length}},
                       sphere_mesh,
                       [](const SphereShape& s) { return s.radius; }},
      Row<TorusShape>{
          "torus",
          {{"major_radius", &TorusShape::major_radius, length}, {"minor_radius", &TorusShape::minor_radius, length}},
          torus_mesh,
          [](const TorusShape& s) { return s.minor_radius; }},
      Row<RopeShape>{
          "rope",
          {{"radius", &RopeShape::radius, length}, {"length", &RopeShape::length, length}, {"path", &RopeShape::path}},
          rope_mesh,
          [](const RopeShape& s) { return s.radius; }},
      Row<TreeShape>{"tree",
                     {{"trunk_length", &TreeShape::trunk_length, length},
                      {"trunk_radius", &TreeShape::trunk_radius, length},
                      {"levels", &TreeShape::levels},
                      {"branches", &TreeShape::branches},
                      {"length_ratio", &TreeShape::length_ratio},
                      {"radius_ratio", &TreeShape::radius_ratio},
                      {"spread", &TreeShape::spread, angle},
                      {"twist", &TreeShape::twist, angle},
                      {"gravity_bend", &TreeShape::gravity_bend, angle},
                      {"variation", &TreeShape::variation},
                      {"seed", &TreeShape::seed}},
                     tree_mesh,
                     coarsest_resolution},
      Row<CreatureShape>{"creature", {{"height", &CreatureShape::height, length}}, creature_mesh, coarsest_resolution},
      Row<BridgeShape>{
          "bridge",
          {{"length", &BridgeShape::length, length},
           {"width", &BridgeShape::width, length},
           {"height", &BridgeShape::height, length},
           {"deck_thickness", &BridgeShape::deck_thickness, length},
           {"arch_thickness", &BridgeShape::arch_thickness, length},
           {"clearance", &BridgeShape::clearance, length},
           {"posts", &BridgeShape::posts},
           {"post_width", &BridgeShape::post_width, length}},
          bridge_mesh,
          [](const BridgeShape& s) {
            return 1.5 * std::min({s.width, s.deck_thickness, s.arch_thickness, s.clearance, s.post_width});
          }},
  };
  return rows;
}

template <class Shape>
std::vector<Parameter<Shape>> all_parameters(const Row<Shape>& row) {
  auto all = row.parameters;
  all.push_back({"resolution", &Shape::resolution, quantity::length});
  all.push_back({"max_tets", &Shape::max_tets});
  return all;
}

template <class Action>
void for_each_row(const Action& action) {
  std::apply([&](const auto&... row) { (action(row), ...); }, table());
}

void read_value(const JsonCursor& c, const Quantity& q, double& value) {
  value = q.dimension == quantity::length.dimension ? c.positive(q) : c.number(q);
}
void read_value(const JsonCursor& c, const Quantity&, int& value) { value = c.integer(0); }
void read_value(const JsonCursor& c, const Quantity&, std::uint64_t& value) {
  value = static_cast<std::uint64_t>(c.integer(0));
}
void read_value(const JsonCursor& c, const Quantity&, std::vector<Vec3>& value) { value = c.points(); }

template <class Shape>
ProceduralShape read_row(const Row<Shape>& row, const JsonSection& s) {
  Shape shape;
  for (const auto& p : all_parameters(row))
    if (const auto c = s.find(p.name))
      std::visit([&](const auto member) { read_value(*c, p.quantity, shape.*member); }, p.member);

  const Aim aim = read_aim(s, shape.max_tets);
  return {shape, aim.what, aim.target};
}

template <class Shape>
TetMesh mesh_of(const Row<Shape>& row, Shape shape, const ProceduralShape& choice) {
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
    for_each_row([&]<class Shape>(const Row<Shape>& row) {
      ShapeKind kind{row.name, {}};
      for (const auto& p : all_parameters(row)) {
        nlohmann::json standard;
        std::visit(
            [&](const auto member) {
              const auto value = Shape().*member;
              if constexpr (std::is_arithmetic_v<decltype(value)>)
                standard = value;
              else
                standard = nlohmann::json::array();
            },
            p.member);
        kind.parameters.push_back({p.name, p.quantity.unit, standard});
      }
      all.push_back(std::move(kind));
    });
    return all;
  }();
  return kinds;
}

Aim read_aim(const JsonSection& section, std::size_t max_tets) {
  for (const char* one : {"resolution", "nodes"})
    for (const char* other : {"nodes", "tets"})
      if (std::string(one) != other) section.exclusive(one, other);
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
  for_each_row([&](const auto& row) {
    if (section.kind() == std::string("mesh_") + row.name) choice = read_row(row, section);
  });
  return choice;
}

TetMesh shape_mesh(const ProceduralShape& choice, const std::string& where) {
  try {
    TetMesh mesh;
    for_each_row([&]<class Shape>(const Row<Shape>& row) {
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
  if (const auto* file = std::get_if<MeshFile>(&source)) return read_solid_mesh(file->path);
  if (const auto* mesh = std::get_if<TetMesh>(&source)) return *mesh;
  if (const auto* mesh = std::get_if<HexMesh>(&source)) return *mesh;
  return {};
}

}  // namespace limber
