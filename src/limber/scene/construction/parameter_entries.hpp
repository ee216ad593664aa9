#pragma once  // internal
/// What there is to change in a scene: its numbers by name, and where they stand.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/model/parameters.hpp"
#include "limber/scene/construction/live_bodies.hpp"
#include "limber/scene/schema.hpp"

namespace limber {

/// What has to be read and made again.
enum class Piece { gravity, material, damping, thin, springs, mass, choice };

struct ParameterEntry {
  Parameter now;
  nlohmann::json::json_pointer at;
  Piece piece;
  int body = -1;
  int number = -1;                    // of a force's choice, or of an added mass
  std::size_t most = 1;               // numbers at most
  std::size_t least = 1;              // and at least
  const AnyKey* row = nullptr;        // where one number may stand for each element
  std::string region = {}, key = {};  // of a material

  bool per_element() const { return row != nullptr; }
};

/// A scene as it is now.
struct LiveScene {
  const Scene& scene;
  const nlohmann::json& json;  // without meshes
  const LiveBodies& bodies;

  std::shared_ptr<const LiveBody> live(int b) const { return bodies.at(b, scene.bodies[static_cast<std::size_t>(b)]); }
};

/// `contact`: whether the model has any.
std::vector<ParameterEntry> parameter_entries(const LiveScene& now, bool contact);
/// Throws InputError where none has this name.
const ParameterEntry& find_entry(const std::vector<ParameterEntry>& all, const std::string& name);
/// The row of a key in the table of its section.
const AnyKey& row_of(const std::string& section, const std::string& key);

}  // namespace limber
