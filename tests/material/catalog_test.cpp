#include "limber/material/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

MaterialParameters good(const std::string& model) { return {model, 1e5, 0.4, {}, {}, {}}; }

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
  for (const char* required :
       {"linear", "corotated", "arap", "st_venant_kirchhoff", "neo_hookean", "stable_neo_hookean", "mooney_rivlin"})
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
    expect_error(p, "young", "> 0");
  }
  for (const double poisson : {0.5, -1.0, 0.7, nan, inf}) {
    auto p = good("neo_hookean");
    p.poisson = poisson;
    expect_error(p, "poisson", "outside (-1, 0.5)");
  }
  expect_error(good("neo_hokean"), "model", "did you mean \"neo_hookean\"?");
  expect_error(good("jelly"), "model", "mooney_rivlin");
}

TEST(MaterialCatalog, MooneyConstantsBelongToMooneyRivlin) {
  auto p = good("neo_hookean");
  p.c10 = 1e4;
  expect_error(p, "c10", "does not take c10");
  p = good("corotated");
  p.bulk = 1e4;
  expect_error(p, "bulk", "does not take bulk");
  p = good("mooney_rivlin");
  p.bulk = 0;
  expect_error(p, "bulk", "> 0");
  p = good("mooney_rivlin");
  p.c01 = std::nan("");
  expect_error(p, "c01", "finite");
  p.c01 = -1e9;
  expect_error(p, "c01", "must be > 0");

  p = good("mooney_rivlin");
  p.c10 = 3e4, p.c01 = 1e4, p.bulk = 5e5;
  const AnyMaterial m = make_material(p, "m");
  const double s = 1.2, I = s * s + 2, II = 2 * s * s + 1;
  const double expected = 3e4 * (std::pow(s, -2. / 3) * I - 3) + 1e4 * (std::pow(s, -4. / 3) * II - 3) + 2.5e5 * 0.04;
  EXPECT_NEAR(energy(m, Vec3(s, 1, 1).asDiagonal().toDenseMatrix()), expected, 1e-7);
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
