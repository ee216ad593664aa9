#pragma once
/// The one list of the scene's keys and words. The reader refuses every key that is not here, and the tests hold
/// docs/scene.schema.json (its `$defs` have the names of the sections) and docs/scene.md to it.

#include <map>
#include <string>
#include <vector>

namespace limber {

struct KnownKey {
  enum class Kind { optional, required };
  std::string name;
  Kind kind = Kind::optional;
};

/// Section (kind of JSON object) → its keys. `mesh` and `selection` have one section for each of their forms.
const std::map<std::string, std::vector<KnownKey>>& known_sections();

/// The keys of a section.
const std::vector<KnownKey>& known_keys(const std::string& section);
std::vector<std::string> key_names(const std::string& section);

/// Kind of word → the words, in the order of the enumeration they become.
const std::map<std::string, std::vector<std::string>>& known_words();

}  // namespace limber
