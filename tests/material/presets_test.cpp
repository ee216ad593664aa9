#include "limber/material/presets.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

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

/// Tension at twice the length is what the data sheet says; ν = .49 costs a little.
TEST(Presets, SiliconesHaveTheirModulusAt100Percent) {
  for (const auto& [name, pounds] : std::map<std::string, double>{{"Ecoflex 00-10", 8},
                                                                  {"Ecoflex 00-20", 8},
                                                                  {"Ecoflex 00-30", 10},
                                                                  {"Ecoflex 00-50", 12},
                                                                  {"Dragon Skin 10", 22},
                                                                  {"Dragon Skin 20", 49},
                                                                  {"Dragon Skin 30", 86}})
    EXPECT_NEAR(tension(material_of(name), 2) / 6894.757, pounds, .02 * pounds) << name;
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

}  // namespace
}  // namespace limber
