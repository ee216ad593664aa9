#include "limber/material/presets.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/material/catalog.hpp"

namespace limber {
namespace {

const MaterialPreset& preset(const std::string& name) {
  for (const MaterialPreset& p : material_presets())
    if (same_name(p.name, name)) return p;
  throw std::runtime_error("no preset " + name);
}
AnyMaterial material_of(const std::string& name) { return make_material(preset(name).parameters, name); }

/// Tension at s times the length with free sides.
double tension(const AnyMaterial& m, double s) {
  const auto at = [&](double side) { return stress(m, Vec3(s, side, side).asDiagonal().toDenseMatrix()); };
  double low = .5 / std::sqrt(s), high = 2 / std::sqrt(s);
  for (int k = 0; k < 200; ++k) (at(.5 * (low + high))(1, 1) < 0 ? low : high) = .5 * (low + high);
  return at(low)(0, 0);
}

double shear_modulus(const AnyMaterial& m) { return hessian(m, Mat3::Identity())(1, 1); }

TEST(Presets, EachIsAMaterialWithASourceAndARowInTheDocument) {
  std::ostringstream text;
  text << std::ifstream(std::string(LIMBER_SOURCE_DIR) + "/docs/materials.md").rdbuf();
  std::set<std::string> names;
  for (const MaterialPreset& p : material_presets()) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(names.insert(p.name).second);
    EXPECT_TRUE(std::none_of(p.name.begin(), p.name.end(), [](unsigned char c) { return std::isupper(c); }));
    EXPECT_NE(p.source.find_first_of("0123456789"), std::string::npos);
    EXPECT_NE(text.str().find("\n| `" + p.name + "` | `" + p.parameters.model + "` | "), std::string::npos);
    EXPECT_GT(complete_parameters(p.parameters, p.name).young, 0);
    EXPECT_GE(p.density, 0);
    EXPECT_GT(shear_modulus(material_of(p.name)), 0);
  }
}

/// Tension at twice the length is what the data sheet says.
TEST(Presets, SiliconesHaveTheirModulusAt100Percent) {
  for (const auto& [name, pounds] : std::map<std::string, double>{{"Ecoflex 00-10", 8},
                                                                  {"Ecoflex 00-20", 8},
                                                                  {"Ecoflex 00-30", 10},
                                                                  {"Ecoflex 00-50", 12},
                                                                  {"Dragon Skin 10", 22},
                                                                  {"Dragon Skin 20", 49},
                                                                  {"Dragon Skin 30", 86}})
    EXPECT_NEAR(tension(material_of(name), 2) / 6894.757, pounds, 1e-9 * pounds) << name;
}

/// Holzapfel gives 0.4225 MPa. In tension: the incompressible formula, from which ν = .49 departs far out.
TEST(Presets, NaturalRubber) {
  const AnyMaterial m = material_of("natural rubber");
  EXPECT_NEAR(shear_modulus(m), 4.225e5, 1);
  MaterialParameters stiff = preset("natural rubber").parameters;
  stiff.poisson = 0;
  stiff.own["bulk"] = 1e11;
  for (const double s : {2., 4., 7.}) {
    const double incompressible = 6.3e5 * (std::pow(s, .3) - std::pow(s, -1.65)) +
                                  1.2e3 * (std::pow(s, 4) - std::pow(s, -3.5)) - 1e4 * (std::pow(s, -3) - 1);
    EXPECT_NEAR(tension(make_material(stiff, "m"), s), incompressible, 1e-3 * incompressible) << s;
    if (s < 5) {
      EXPECT_NEAR(tension(m, s), incompressible, .05 * incompressible) << s;
    }
  }
}

TEST(Presets, ModuliOfTheOthers) {
  EXPECT_NEAR(shear_modulus(material_of("gelatine 3%")), 2010, 1e-6);
  EXPECT_NEAR(shear_modulus(material_of("gelatine 5%")), 4180, 1e-6);
  EXPECT_NEAR(shear_modulus(material_of("gelatine 7%")), 10240, 1e-6);
  EXPECT_NEAR(shear_modulus(material_of("sylgard 184")), 1.32e6 / 2.98, 1e-3);
  EXPECT_NEAR(shear_modulus(material_of("steel")), 210e9 / 2.6, 10);
  EXPECT_NEAR(shear_modulus(material_of("aluminium")), 70e9 / 2.6, 10);
}

/// Ogden's law for foams, ψ = Σ 2μ/α² (s₁^α + s₂^α + s₃^α − 3 + (J^(−αβ) − 1)/β) with β = ν/(1 − 2ν), has the shear
/// modulus Σ μ and λ = 2 Σ μβ at small strains.
TEST(Presets, FoamIsOgdensAtSmallStrains) {
  const double mu = 5280.146 + 1042.675;
  const auto beta = [](double nu) { return nu / (1 - 2 * nu); };
  const double lambda = 2 * (5280.146 * beta(1.587915e-4) + 1042.675 * beta(2.855843e-3));
  const MaterialParameters p = preset("foam").parameters;
  EXPECT_NEAR(p.poisson, lambda / (2 * (lambda + mu)), 1e-5);
  EXPECT_NEAR(p.young, 2 * mu * (1 + p.poisson), 5);
}

/// A sheet of it weighs 150.3 g/m².
TEST(Presets, CottonIsASheet) {
  const MaterialPreset& p = preset("cotton");
  EXPECT_NEAR(p.density * p.thickness, 0.1503, 1e-12);
  for (const MaterialPreset& other : material_presets())
    if (other.name != p.name) {
      EXPECT_EQ(other.thickness, 0) << other.name;
    }
}

/// G″ = Σ G_i ωτ/(1 + (ωτ)²) of the branch is ηω of Voigt's model, .60 Pa s, up to 100 Hz and more; G′ hardly moves.
TEST(Presets, GelatineHasItsViscosity) {
  const MaterialPreset& p = preset("gelatine 3% viscous");
  EXPECT_EQ(p.parameters.own, preset("gelatine 3%").parameters.own);
  ASSERT_EQ(p.viscosity.size(), 1u);
  const double modulus = p.viscosity[0].share * instantaneous_ratio(p.viscosity) * 2010;
  const double omega = 2 * std::acos(-1.0) * 100, x = omega * p.viscosity[0].time;
  EXPECT_NEAR(modulus * x / (1 + x * x) / (0.6 * omega), 1, 1e-3);
  EXPECT_LT(modulus * x * x / (1 + x * x), 0.005 * 2010);
}

TEST(Presets, SharesLeaveSomethingForLongTimes) {
  for (const MaterialPreset& p : material_presets()) {
    EXPECT_GT(instantaneous_ratio(p.viscosity), 0.99) << p.name;
    for (const MaxwellBranch& branch : p.viscosity) EXPECT_TRUE(branch.share > 0 && branch.time > 0) << p.name;
  }
}

TEST(Presets, AreFoundByName) {
  EXPECT_EQ(&find_preset("Steel", "m"), &preset("steel"));
  try {
    find_preset("steal", "m.preset");
    FAIL();
  } catch (const InputError& e) {
    const std::string words = e.what();
    EXPECT_EQ(words.find("m.preset: unknown preset 'steal'; did you mean 'steel'? known are ecoflex 00-10, "), 0u);
    EXPECT_NE(words.find("foam, cotton"), std::string::npos);
  }
}

/// What is given stays; another model has E and ν of the small strains.
TEST(Presets, AddTheirConstants) {
  std::map<std::string, double> numbers = {{"c2", 5}};
  std::map<std::string, std::vector<double>> lists;
  const auto given = [](const std::string& key) { return key == "c2" || key == "bulk"; };
  add_constants(preset("dragon skin 10"), "yeoh", given, "m", numbers, lists);
  EXPECT_EQ(numbers,
            (std::map<std::string, double>{{"c1", preset("dragon skin 10").parameters.own.at("c1")}, {"c2", 5}}));
  const auto nothing = [](const std::string&) { return false; };
  add_constants(preset("natural rubber"), "ogden", nothing, "m", numbers, lists);
  EXPECT_EQ(lists.at("alpha"), (std::vector<double>{1.3, 5, -2}));
  std::map<std::string, double> hooke;
  add_constants(preset("natural rubber"), "linear", nothing, "m", hooke, lists);
  EXPECT_NEAR(hooke.at("young"), 2 * 4.225e5 * 1.49, 5);
  EXPECT_NEAR(hooke.at("poisson"), 0.49, 1e-12);
  EXPECT_THROW(
      add_constants(
          preset("natural rubber"), "ogden", [](const std::string& key) { return key == "young"; }, "m", hooke, lists),
      InputError);
}

}  // namespace
}  // namespace limber
