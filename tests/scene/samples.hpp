#pragma once
/// The sample scenes of the tests, and a vocabulary for them that stays when the catalogs grow.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "limber/scene/json.hpp"

namespace limber {

inline Vocabulary test_vocabulary() {
  Vocabulary v;
  v.methods = {"BE", "BDF2", "TR-BDF2", "SSDIRK", "newmark", "gen-alpha", "HHT", "blend"};
  v.materials = {"corotated", "neo_hookean", "stable_neo_hookean", "mooney_rivlin"};
  v.solvers = {"auto", "cholmod", "pcg"};
  return v;
}

inline std::filesystem::path samples() { return std::filesystem::path(LIMBER_SOURCE_DIR) / "tests/scene/samples"; }

inline std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline nlohmann::json sample(const std::string& name) { return load_json((samples() / "good" / name).string()); }

inline Scene read_sample(const nlohmann::json& json) { return read_scene(json, test_vocabulary(), "folder"); }

/// The message of the InputError that `action` throws, or "" if it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

/// A wrong scene: samples/good/full.json with some values put (by JSON pointer) and some dropped.
inline nlohmann::json wrong_scene(const nlohmann::json& wrong) {
  nlohmann::json scene = sample("full.json");
  const nlohmann::json put = wrong.value("put", nlohmann::json::object());
  const nlohmann::json drop = wrong.value("drop", nlohmann::json::array());
  for (const auto& [pointer, value] : put.items()) scene[nlohmann::json::json_pointer(pointer)] = value;
  for (const auto& pointer : drop) {
    const nlohmann::json::json_pointer at(pointer.get<std::string>());
    scene[at.parent_pointer()].erase(at.back());
  }
  return scene;
}

}  // namespace limber
