#pragma once
/// Material presets by substance name: published constants, each with its source. In a scene: "material": {"preset":
/// "dragon skin 10"}; other keys override those of the preset.

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
  double density;            // [kg/m³]; 0: not in the source
  std::string source;        // the source of every number
  Viscosity viscosity = {};  // empty: not in the source
  double thickness = 0;      // [m] of the measured sheet; 0: not a sheet
};
/// The single list of presets. Names ignore case.
const std::vector<MaterialPreset>& material_presets();

/// Throws InputError(where, …) listing the presets.
const MaterialPreset& find_preset(const std::string& name, const std::string& where);

/// Adds those constants of a preset that are not `given`: young, poisson and those of the model; if the model differs
/// from the preset's, E and ν of its small strains. Throws InputError if given values do not fit.
void add_constants(const MaterialPreset& preset, const std::string& model,
                   const std::function<bool(const std::string& key)>& given, const std::string& where,
                   std::map<std::string, double>& numbers, std::map<std::string, std::vector<double>>& lists);

}  // namespace limber
