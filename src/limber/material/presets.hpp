#pragma once
/// Materials by the name of the substance: published constants, each with its source. A scene says
/// "material": {"preset": "dragon skin 10"}; keys beside it take the place of the preset's.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "limber/material/parameters.hpp"
#include "limber/material/viscosity.hpp"

namespace limber {

struct MaterialPreset {
  std::string name;
  MaterialParameters parameters;
  double density;            // [kg/m³]; 0: the source has none
  std::string source;        // of every number, in words
  Viscosity viscosity = {};  // none: the source has none
  double thickness = 0;      // [m] of the sheet that was measured; 0: it was none
};
/// The one list. Names ignore case.
const std::vector<MaterialPreset>& material_presets();

/// Throws InputError(where, …), which says what there is.
const MaterialPreset& find_preset(const std::string& name, const std::string& where);

/// Adds the constants of a preset that are not `given`: young, poisson and those of the model; of another model than
/// the preset's, E and ν of its small strains. Throws InputError where what is given does not go with them.
void add_constants(const MaterialPreset& preset, const std::string& model,
                   const std::function<bool(const std::string& key)>& given, const std::string& where,
                   std::map<std::string, double>& numbers, std::map<std::string, std::vector<double>>& lists);

}  // namespace limber
