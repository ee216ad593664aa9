#pragma once  // internal
/// The procedural shapes as scenes name them: `"mesh": {"shape": <name>, <parameters>, "resolution": …}`, or "nodes" or
/// "tets" with a count to aim at in place of the resolution. One row of the table in read_shape.cpp for each shape; the
/// keys of its section mesh_<name> follow.

#include <string>
#include <vector>

#include "limber/scene/scene.hpp"
#include "limber/scene/section.hpp"

namespace limber {

struct ShapeParameter {
  std::string name;
  std::string unit;         // "" for a plain number
  nlohmann::json standard;  // where the scene says nothing
};

struct ShapeKind {
  std::string name;
  std::vector<ShapeParameter> parameters;  // `resolution` among them; not "nodes" and "tets", which all shapes have
};
const std::vector<ShapeKind>& shape_kinds();

/// From a section mesh_<name>.
ProceduralShape read_shape(const JsonSection& section);

/// `nodes` or `tets` in place of `resolution`: what to count and how many; unset where the section has neither.
struct Aim {
  std::optional<Count> what;
  std::size_t target = 0;
};
Aim read_aim(const JsonSection& section, std::size_t max_tets);
/// Its keys, and those that do not go together.
std::vector<KnownKey> aim_keys();
std::vector<std::pair<std::string, std::string>> one_aim();

/// Throws InputError("<where>.<parameter>", …) where the parameters do not fit together, or ask for too much.
TetMesh shape_mesh(const ProceduralShape& choice, const std::string& where);

/// Made, read from its file, or copied; nothing for a spring network. Not yet checked. `where` is the key's path.
SolidMesh source_mesh(const MeshSource& source, const std::string& where);

}  // namespace limber
