#pragma once
/// Materials by the name of the substance: published constants, each with its source. A scene says
/// "material": {"preset": "dragon skin 10"}; keys beside it take the place of the preset's.

#include <string>
#include <vector>

#include "limber/material/parameters.hpp"

namespace limber {

struct MaterialPreset {
  std::string name;
  MaterialParameters parameters;
  double density;      // [kg/m³]; 0: the source has none
  std::string source;  // of every number, in words
};
/// The one list. Names ignore case.
const std::vector<MaterialPreset>& material_presets();

}  // namespace limber
