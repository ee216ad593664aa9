#include "limber/verify/materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/core/errors.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/material/catalog.hpp"
#include "limber/record/files.hpp"

namespace limber {
namespace {

using nlohmann::json;

bool forbids(const json& material) {
  if (!material.is_object() || !material.contains("model") || !material["model"].is_string()) return false;
  const MaterialInfo* info = find_material(material["model"].get<std::string>());
  return info != nullptr && info->forbids_inversion;
}

bool is_number(const std::string& key) {
  return !key.empty() &&
         std::all_of(key.begin() + (key[0] == '-'), key.end(), [](char c) { return '0' <= c && c <= '9'; });
}

/// Does the material of this region forbid inversion?
bool region_forbids(const json& materials, int region) {
  const auto own = materials.find(std::to_string(region));
  if (own != materials.end()) return forbids(*own);
  bool all = true;
  for (const auto& [key, material] : materials.items())
    if (!is_number(key)) all = all && forbids(material);
  return all;
}

json read_bodies(const std::string& path, std::size_t count) {
  json scene;
  try {
    const std::string text = read_file(path);
    require_shallow_json(text, path);
    scene = json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError(path, error.what());
  }
  if (!scene.is_object() || !scene.contains("bodies") || !scene["bodies"].is_array() || scene["bodies"].size() != count)
    throw InputError(path, fmt::format("does not list the {} bodies of the trajectory", count));
  return scene["bodies"];
}

}  // namespace

std::optional<std::vector<char>> inversion_forbidden(const TrajectoryHeader& header, const std::string& scene_file) {
  std::error_code error;
  if (!std::filesystem::exists(scene_file, error) && !error) return std::nullopt;
  std::vector<char> forbidden(header.tets.size(), 0);
  const json bodies = read_bodies(scene_file, header.bodies.size());
  for (std::size_t b = 0; b < header.bodies.size(); ++b) {
    const BodyRange& range = header.bodies[b];
    const bool by_region = bodies[b].contains("materials") && bodies[b]["materials"].is_object();
    const bool whole = bodies[b].contains("material") && forbids(bodies[b]["material"]);
    for (int t = range.first_tet; t < range.first_tet + range.tet_count; ++t) {
      const int region = header.region.empty() ? 0 : header.region[static_cast<std::size_t>(t)];
      forbidden[static_cast<std::size_t>(t)] = by_region ? region_forbids(bodies[b]["materials"], region) : whole;
    }
  }
  return forbidden;
}

}  // namespace limber
