#pragma once
/// The single list of materials. To add one, add a header and an alternative here: errors, listings and tests follow.

#include <functional>
#include <variant>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/material/arap.hpp"
#include "limber/material/corotated.hpp"
#include "limber/material/fixed_corotated.hpp"
#include "limber/material/linear.hpp"
#include "limber/material/mooney_rivlin.hpp"
#include "limber/material/neo_hookean.hpp"
#include "limber/material/ogden.hpp"
#include "limber/material/parameters.hpp"
#include "limber/material/st_venant_kirchhoff.hpp"
#include "limber/material/stable_neo_hookean.hpp"
#include "limber/material/yeoh.hpp"

namespace limber {

using AnyMaterial = std::variant<Linear, Corotated, FixedCorotated, Arap, StVenantKirchhoff, NeoHookean,
                                 StableNeoHookean, MooneyRivlin, Yeoh, Ogden>;

struct MaterialInfo {
  std::string name, description, formula;
  std::vector<MaterialParameter> parameters;         // model-specific, in addition to the common ones
  std::vector<std::vector<std::string>> sufficient;  // sets of keys that replace E and ν
  bool forbids_inversion;                            // ψ is defined for det F > 0 only
};
const std::vector<MaterialInfo>& material_catalog();
/// E and ν, common to all materials.
const std::vector<MaterialParameter>& common_material_parameters();
/// Null if there is no material of this name. Names ignore case.
const MaterialInfo* find_material(const std::string& model);
/// The key still missing from those given to make the model; empty: none. Of several ways to specify E and ν, the one
/// that lacks the fewest keys counts.
std::string missing_key(const MaterialInfo& info, const std::function<bool(const std::string&)>& given);
/// The fault of a value, such as "is not positive"; empty: none.
std::string fault_of(const MaterialParameter& parameter, double value);

/// Fills in E and ν at small strains. Throws InputError(where + ".young", …) and similar for inadmissible values. Names
/// ignore case.
MaterialParameters complete_parameters(MaterialParameters parameters, const std::string& where);
/// Throws as complete_parameters does.
AnyMaterial make_material(const MaterialParameters& parameters, const std::string& where);

const char* name(const AnyMaterial& m);
/// Whether ψ is defined for det F > 0 only.
bool needs_positive_det(const AnyMaterial& m);

/// How λ enters ψ; and the material with λ reduced by `by` if λ enters through J alone: ψ loses `by` times that
/// function of J.
Volumetric volumetric(const AnyMaterial& m);
AnyMaterial softened(const AnyMaterial& m, double by);

/// ψ [J/m³], +∞ outside the material's domain; P [Pa]; dP/dF on vec(F), column-major [Pa], and its projection.
double energy(const AnyMaterial& m, const Mat3& F);
Mat3 stress(const AnyMaterial& m, const Mat3& F);
Matrix hessian(const AnyMaterial& m, const Mat3& F);
Matrix hessian_psd(const AnyMaterial& m, const Mat3& F);

}  // namespace limber
