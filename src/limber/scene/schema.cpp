#include "limber/scene/schema.hpp"

#include <algorithm>
#include <stdexcept>

#include "limber/mesh/element_type.hpp"
#include "limber/scene/read_shape.hpp"

namespace limber {
namespace {

std::vector<std::string> mesh_shape_names() {
  std::vector<std::string> names = {"box", "sheet", "chain"};
  for (const auto& shape : shape_kinds()) names.push_back(shape.name);
  return names;
}

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  for (const ElementType& type : element_types()) names.emplace_back(type.name);
  return names;
}

}  // namespace

const std::vector<SectionTable>& known_sections() {
  static const auto sections = [] {
    std::vector<SectionTable> all;
    for (auto* tables : {top_sections, method_sections, body_sections, mesh_sections, shape_sections, motion_sections,
                         force_sections, contact_sections, obstacle_sections})
      for (SectionTable& table : tables()) all.push_back(std::move(table));
    return all;
  }();
  return sections;
}

const SectionTable& known_section(const std::string& name) {
  static const auto by_name = [] {
    std::map<std::string, const SectionTable*> all;
    for (const SectionTable& section : known_sections()) all[section.name] = &section;
    return all;
  }();
  return *by_name.at(name);
}

const std::vector<AnyKey>& known_keys(const std::string& section) { return known_section(section).rows; }

std::vector<std::string> key_names(const std::string& section) {
  std::vector<std::string> names;
  for (const auto& key : known_keys(section)) names.push_back(key.name);
  return names;
}

const std::map<std::string, std::vector<std::string>>& known_words() {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"side", {"left", "right", "bottom", "top", "back", "front", "all"}},
      {"shape", mesh_shape_names()},
      {"split", {"five", "six"}},
      {"filling", {"auto", "tetgen", "lattice"}},
      {"element", element_names()},
      {"mass_form", {"lumped", "consistent"}},
      {"dilatation", {"auto", "mean", "local"}},
      {"damping_at", {"corotated", "rest", "current", "frozen"}},
      {"interpolation", {"linear", "smooth"}},
      {"pairing", {"nearest", "order"}},
      {"merit", {"auto", "potential", "residual"}},
      {"residual_scaling", {"mass", "identity", "rows", "stage"}},
      {"nonlinear", {"newton", "lbfgs"}},
      {"refresh_word", {"once", "auto"}},
      {"mode_search", {"auto", "together", "each"}},
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
