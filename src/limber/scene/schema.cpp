#include "limber/scene/schema.hpp"

#include "limber/scene/read_shape.hpp"

namespace limber {
namespace {

using Kind = KnownKey::Kind;
using Keys = std::vector<KnownKey>;

Keys required(const std::vector<std::string>& names) {
  Keys keys;
  for (const auto& name : names) keys.push_back({name, Kind::required});
  return keys;
}

Keys operator+(Keys keys, const std::vector<std::string>& optional) {
  for (const auto& name : optional) keys.push_back({name, Kind::optional});
  return keys;
}

using Names = std::vector<std::string>;

Names shape_names() {
  Names names = {"box", "sheet", "chain"};
  for (const auto& shape : shape_kinds()) names.push_back(shape.name);
  return names;
}

std::map<std::string, Keys> make_sections() {
  std::map<std::string, Keys> s;
  s["scene"] =
      required({"time", "bodies"}) + Names{"$schema", "description", "method", "gravity", "attachments", "wind",
                                           "contact", "obstacles",   "output", "camera",  "threads"};
  s["time"] = required({"step", "duration"});
  s["method"] = Keys{} + Names{"name",
                               "beta",
                               "gamma",
                               "rho_inf",
                               "alpha",
                               "theta",
                               "freeze",
                               "modes",
                               "refresh",
                               "negative_modes",
                               "krylov_tolerance",
                               "newton_tolerance",
                               "max_iterations",
                               "solver",
                               "linear_tolerance",
                               "merit",
                               "residual_scaling",
                               "nonlinear"};
  s["refresh_every"] = required({"every"});
  s["refresh_residual"] = required({"residual"});

  s["body"] = required({"mesh"}) +
              Names{"name",       "element", "mass",    "material",  "materials", "damping",          "position",
                    "rotation",   "scale",   "pin",     "script",    "velocity",  "angular_velocity", "springs",
                    "point_mass", "loads",   "targets", "thickness", "bending",   "regions",          "rigid"};
  s["mesh_box"] = required({"shape", "size", "cells"}) + Names{"split", "origin"};
  for (const auto& shape : shape_kinds()) {
    Names names = {"nodes", "tets"};
    for (const auto& p : shape.parameters) names.push_back(p.name);
    s["mesh_" + shape.name] = required({"shape"}) + names;
  }
  s["mesh_sheet"] = required({"shape", "size", "cells"}) + Names{"origin"};
  s["mesh_chain"] = required({"shape", "from", "to", "segments"});
  s["mesh_file"] = required({"file"});
  s["mesh_surface"] =
      required({"surface"}) + Names{"resolution", "nodes", "tets", "max_tets", "filling", "drop_pieces"};
  s["mesh_triangles"] = required({"nodes", "triangles"});
  s["mesh_tets"] = required({"nodes", "tets"}) + Names{"region"};
  s["mesh_hexes"] = required({"nodes", "hexes"}) + Names{"region"};
  s["mesh_network"] = required({"nodes", "edges"});
  s["material"] = Keys{} + Names{"model", "young", "poisson", "density", "c10", "c01", "bulk"};
  s["material_field"] = required({"field"});
  s["damping"] = Keys{} + Names{"stiffness", "mass", "ratios", "at"};
  s["timed_pin"] = required({"nodes", "until"});
  s["script"] = required({"nodes", "keys"}) + Names{"pivot", "interpolation", "until"};
  s["script_key"] = required({"time"}) + Names{"translation", "rotation"};
  s["rigid_region"] = required({"region"});
  s["springs"] = required({"stiffness"}) + Names{"edges", "rest_length", "damping"};
  s["load"] = required({"nodes"}) + Names{"force", "total_force", "time"};
  s["load_keys"] = required({"keys"}) + Names{"interpolation"};
  s["load_sine"] = required({"sine"});
  s["sine"] = required({"frequency"}) + Names{"phase", "offset", "amplitude"};
  s["target"] = required({"stiffness", "keys"}) + Names{"nodes", "damping", "pivot", "interpolation"};
  s["target_key"] = required({"time"}) + Names{"positions", "translation", "rotation"};

  s["selection_nodes"] = required({"nodes"});
  s["selection_box"] = required({"box"});
  s["selection_plane"] = required({"plane"});
  s["box"] = required({"min", "max"});
  s["plane"] = required({"point", "normal"});

  s["attachment"] = required({"a", "b", "stiffness"}) + Names{"damping", "rest_length", "pairing"};
  s["attachment_end"] = required({"body", "nodes"});
  s["wind"] = required({"velocity"}) + Names{"drag", "density"};
  s["wind_keys"] = required({"keys"}) + Names{"interpolation"};
  s["contact"] = Keys{} + Names{"formulation", "delta",   "stiffness", "friction", "friction_form",
                                "epsilon",     "surface", "self",      "start"};
  s["friction_table"] = Keys{} + Names{"default", "pairs"};
  s["friction_pair"] = required({"between", "friction"});
  const Names common = {"name", "motion"};
  s["obstacle_plane"] = required({"shape", "point", "normal"}) + common;
  s["obstacle_half_space"] = s["obstacle_plane"];
  s["obstacle_sphere"] = required({"shape", "center", "radius"}) + common;
  s["obstacle_capsule"] = required({"shape", "a", "b", "radius"}) + common;
  s["obstacle_box"] = required({"shape", "center", "size"}) + Names{"rotation"} + common;
  s["obstacle_cylinder"] = s["obstacle_capsule"];
  s["obstacle_torus"] = required({"shape", "center", "axis", "major", "minor"}) + common;
  s["obstacle_mesh"] = required({"shape"}) +
                       Names{"file", "sequence", "form", "resolution", "thickness", "position", "rotation", "scale"} +
                       common;
  s["sequence"] = required({"files"}) + Names{"fps", "times", "start", "interpolation"};
  s["obstacle_motion"] = required({"keys"}) + Names{"pivot", "interpolation"};
  s["output"] = Keys{} + Names{"directory", "frames_every", "fps", "velocities", "checkpoint_every"};
  s["camera"] = Keys{} + Names{"position", "look_at", "fov"};
  return s;
}

}  // namespace

const std::map<std::string, std::vector<KnownKey>>& known_sections() {
  static const auto sections = make_sections();
  return sections;
}

const std::vector<KnownKey>& known_keys(const std::string& section) { return known_sections().at(section); }

std::vector<std::string> key_names(const std::string& section) {
  std::vector<std::string> names;
  for (const auto& key : known_keys(section)) names.push_back(key.name);
  return names;
}

const std::map<std::string, std::vector<std::string>>& known_words() {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"side", {"left", "right", "bottom", "top", "back", "front", "all"}},
      {"shape", shape_names()},
      {"split", {"five", "six"}},
      {"filling", {"auto", "tetgen", "lattice"}},
      {"element", {"P1", "P2", "hex"}},
      {"mass_form", {"lumped", "consistent"}},
      {"damping_at", {"rest", "current", "frozen"}},
      {"interpolation", {"linear", "smooth"}},
      {"pairing", {"nearest", "order"}},
      {"merit", {"auto", "potential", "residual"}},
      {"residual_scaling", {"mass", "identity", "rows", "stage"}},
      {"nonlinear", {"newton", "lbfgs"}},
      {"refresh_word", {"once"}},
      {"negative_modes", {"grow", "clamp"}},
      {"obstacle_shape", {"plane", "half_space", "sphere", "capsule", "box", "cylinder", "torus", "mesh"}},
      {"obstacle_form", {"auto", "distance", "triangles"}},
      {"formulation", {"barrier", "nonpenetration", "velocity"}},
      {"friction_form", {"coupled", "lagged"}},
      {"contact_surface", {"triangles", "smooth"}},
      {"contact_start", {"refuse", "push_apart"}},
      {"spring_edges", {"mesh"}},
      {"rest_length", {"initial"}},
  };
  return words;
}

}  // namespace limber
