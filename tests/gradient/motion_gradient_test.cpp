/// Gradients through every method, against differences of whole runs.

#include "limber/core/errors.hpp"
#include "limber/time/catalog.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

const std::vector<Entry> of_beam = {
    {"bodies[0].material.young", "/bodies/0/material/young", 0, 2e2},
    {"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 1e-3},
    {"bodies[0].material.density", "/bodies/0/material/density", 0, 1},
    {"gravity", "/gravity/1", 1, 1e-2},
    {"bodies[0].velocity", "/bodies/0/velocity/2", 2, 1e-3},
};

bool differentiable(const MethodInfo& method) {
  return method.splitting == Splitting::none && method.kind != MethodKind::exponential;
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, EqualsDifferences) {
  Json scene = beam(GetParam());
  if (find_method(GetParam()).kind == MethodKind::explicit_) scene["time"] = {{"step", .0005}, {"duration", .004}};
  expect_equal(scene, of_beam, 1e-6);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const MethodInfo& m : method_catalog())
    if (differentiable(m)) all.push_back(m.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Gradient, EveryMethod, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Gradient, HybridsAndExponentialMethodsAreRefused) {
  for (const MethodInfo& m : method_catalog()) {
    if (differentiable(m)) continue;
    Json scene = beam(m.name);
    try {
      gradient(scene, {"gravity"});
      FAIL() << m.name;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where(), "method.name") << m.name;
    }
  }
}

}  // namespace
}  // namespace limber::test
