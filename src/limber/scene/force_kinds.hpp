#pragma once  // internal
/// The one list of forces that scenes can ask for. Their keys stand in the table of a body or in that of the scene.

#include <string>
#include <vector>

#include "limber/scene/force_choice.hpp"
#include "limber/scene/section.hpp"

namespace limber {

/// Whose key it is.
struct ForceOwner {
  int body = -1;                   // its number; −1: the scene's own
  std::vector<std::string> names;  // of all bodies; empty for a body's key
};

struct ForceKind {
  enum class Of { body, scene } of;
  KnownKey key;
  std::vector<SectionTable> sections;
  void (*read)(const JsonCursor& value, const ForceOwner& owner, ForceChoices& forces);
};

ForceKind load_kind();
ForceKind cavity_kind();
ForceKind target_kind();
ForceKind attachment_kind();
ForceKind wind_kind();

inline const std::vector<ForceKind>& force_kinds() {
  static const std::vector<ForceKind> all = {load_kind(), cavity_kind(), target_kind(), attachment_kind(), wind_kind()};
  return all;
}

/// The keys of one owner's table, which are read by hand.
template <class T>
Rows<T> force_keys(ForceKind::Of of) {
  Rows<T> keys;
  for (const ForceKind& kind : force_kinds())
    if (kind.of == of) keys.add(Key<T>(kind.key));
  return keys;
}
ForceChoices read_forces(const JsonSection& section, ForceKind::Of of, const ForceOwner& owner);

}  // namespace limber
