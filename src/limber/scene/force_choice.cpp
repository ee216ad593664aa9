#include "limber/scene/force_choice.hpp"

#include "limber/scene/force_kinds.hpp"
#include "limber/scene/schema.hpp"

namespace limber {

std::vector<int> ForceNodes::resolve(const Selection& selection, int body) const {
  const Body& b = bodies[static_cast<std::size_t>(body)];
  std::vector<int> nodes = limber::resolve(selection, b.meshed);
  for (int& i : nodes) i += b.first;
  return nodes;
}

ForceChoices read_forces(const JsonSection& section, ForceKind::Of of, const ForceOwner& owner) {
  ForceChoices forces;
  for (const ForceKind& kind : force_kinds())
    if (kind.of == of)
      if (const auto value = section.find(kind.key.name.c_str())) kind.read(*value, owner, forces);
  return forces;
}

std::vector<SectionTable> force_sections() {
  std::vector<SectionTable> all;
  for (const ForceKind& kind : force_kinds()) all.insert(all.end(), kind.sections.begin(), kind.sections.end());
  return all;
}

}  // namespace limber
