#pragma once
/// JSON → Scene. Every error is an InputError that names the key, as in `bodies[1].material.poisson: 0.5 is outside
/// (-1, 0.5)`; the first one found is thrown.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "limber/scene/scene.hpp"

namespace limber {

/// The names that other rooms' catalogs know. Methods are matched without regard to case, the others exactly.
struct Vocabulary {
  std::vector<std::string> methods, materials, solvers;
  /// Method → those of beta, gamma, rho_inf, alpha, theta and freeze that it takes.
  std::map<std::string, std::vector<std::string>> method_parameters;
  /// Methods that cannot split off modes → why.
  std::map<std::string, std::string> without_modes;
  /// Material → those of c10, c01 and bulk that it takes instead of, or beside, young and poisson.
  std::map<std::string, std::vector<std::string>> material_parameters;
};

/// Mesh files are looked for in `base_directory`, the scene file's folder.
Scene read_scene(const nlohmann::json& json, const Vocabulary& vocabulary, const std::string& base_directory);

/// Reads plain JSON. Throws InputError("file:line:column", …) for wrong syntax, and for a key that stands twice in
/// one object.
nlohmann::json load_json(const std::string& path);
/// The same from memory; `name` stands for the file.
nlohmann::json parse_json(const std::string& text, const std::string& name);

/// Sets one value by "key.path[0].x=value", the value read as JSON if it is JSON, else taken as a string. Objects on
/// the way are made where missing, so that the reader, not this, judges unknown keys.
void apply_override(nlohmann::json& json, const std::string& assignment);

}  // namespace limber
