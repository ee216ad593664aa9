#include "limber/material/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

MaterialParameters good(const std::string& model) { return {model, 1e5, 0.4, {}}; }

void expect_error(const MaterialParameters& p, const std::string& where, const std::string& part) {
  try {
    make_material(p, "bodies[1].material");
    ADD_FAILURE() << "accepted " << part;
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "bodies[1].material." + where);
    EXPECT_NE(e.message().find(part), std::string::npos) << e.message();
  }
}

TEST(MaterialCatalog, ListsEveryMaterial) {
  std::vector<std::string> names;
  for (const MaterialInfo& info : material_catalog()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.description.empty());
    EXPECT_FALSE(info.formula.empty());
    EXPECT_EQ(name(make_material(good(info.name), "m")), info.name);
  }
  for (const char* required : {"linear", "corotated", "fixed_corotated", "arap", "st_venant_kirchhoff", "neo_hookean",
                               "stable_neo_hookean", "mooney_rivlin", "yeoh", "ogden"})
    EXPECT_EQ(std::count(names.begin(), names.end(), required), 1) << required;
}

TEST(MaterialCatalog, NamesIgnoreCase) {
  EXPECT_STREQ(name(make_material(good("Stable_Neo_Hookean"), "m")), "stable_neo_hookean");
}

TEST(MaterialCatalog, RefusesBadValues) {
  const double nan = std::nan(""), inf = INFINITY;
  for (const double young : {0.0, -1.0, nan, inf}) {
    auto p = good("linear");
    p.young = young;
    expect_error(p, "young", std::isfinite(young) ? "is not positive" : "is not finite");
  }
  for (const double poisson : {0.5, -1.0, 0.7, nan, inf}) {
    auto p = good("neo_hookean");
    p.poisson = poisson;
    expect_error(p, "poisson", std::isfinite(poisson) ? "is outside (-1, 0.5)" : "is not finite");
  }
  expect_error(good("neo_hokean"), "model", "did you mean \"neo_hookean\"?");
  expect_error(good("jelly"), "model", "mooney_rivlin");
}

TEST(MaterialCatalog, MooneyConstantsBelongToMooneyRivlin) {
  auto p = good("neo_hookean");
  p.own["c10"] = 1e4;
  expect_error(p, "c10", "does not take c10");
  p = good("corotated");
  p.own["bulk"] = 1e4;
  expect_error(p, "bulk", "does not take bulk");
  p = good("mooney_rivlin");
  p.own["bulk"] = 0;
  expect_error(p, "bulk", "0 is not positive");
  p = good("mooney_rivlin");
  p.own["c01"] = std::nan("");
  expect_error(p, "c01", "is not finite");
  p.own["c01"] = -1e9;
  expect_error(p, "c01", "the shear modulus 2 (c10 + c01) is not positive");
  p = good("mooney_rivlin");
  p.own["c02"] = 1;
  expect_error(p, "c02", "mooney_rivlin does not take c02");

  p = good("mooney_rivlin");
  p.own = {{"c10", 3e4}, {"c01", 1e4}, {"bulk", 5e5}};
  const AnyMaterial m = make_material(p, "m");
  const double s = 1.2, I = s * s + 2, II = 2 * s * s + 1;
  const double expected = 3e4 * (std::pow(s, -2. / 3) * I - 3) + 1e4 * (std::pow(s, -4. / 3) * II - 3) + 2.5e5 * 0.04;
  EXPECT_NEAR(energy(m, Vec3(s, 1, 1).asDiagonal().toDenseMatrix()), expected, 1e-7);
}

/// At small strains C10 = 0.4 μ, C01 = 0.1 μ and κ = λ + 2μ/3 are E and ν again.
TEST(MaterialCatalog, OwnParametersTakeThePlaceOfYoungAndPoisson) {
  const MaterialParameters given = good("mooney_rivlin");
  const double mu = given.mu(), lambda = given.lambda();
  const MaterialParameters p = complete_parameters(
      {"mooney_rivlin", 0, 0, {{"c10", 0.4 * mu}, {"c01", 0.1 * mu}, {"bulk", lambda + 2 * mu / 3}}}, "m");
  EXPECT_NEAR(p.young, given.young, 1e-9 * given.young);
  EXPECT_NEAR(p.poisson, given.poisson, 1e-12);
  expect_error({"mooney_rivlin", 0, 0, {{"c10", 1}, {"c01", 1}}}, "young", "is not positive");
}

TEST(MaterialCatalog, SaysWhatForbidsInversion) {
  for (const MaterialInfo& info : material_catalog()) {
    EXPECT_EQ(info.forbids_inversion, std::isinf(energy(make_material(good(info.name), "m"), -Mat3::Identity())))
        << info.name;
    EXPECT_EQ(find_material(info.name), &info);
  }
  EXPECT_NE(find_material("Neo_Hookean"), nullptr);
  EXPECT_EQ(find_material("jelly"), nullptr);
}

TEST(MaterialCatalog, NegativePoissonIsAllowed) {
  for (const MaterialInfo& info : material_catalog()) {
    auto p = good(info.name);
    p.poisson = -0.9;
    const AnyMaterial m = make_material(p, "m");
    EXPECT_GT(energy(m, Vec3(1.1, 1, 0.95).asDiagonal().toDenseMatrix()), 0) << info.name;
  }
}

}  // namespace
}  // namespace limber
