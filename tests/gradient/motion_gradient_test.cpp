/// Gradients through every method, against differences of whole runs.

#include "limber/core/errors.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

const std::vector<Entry> of_beam = {young, poisson, density, gravity, velocity};

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, EqualsDifferences) {
  Json scene = beam(GetParam());
  if (find_method(GetParam()).kind == MethodKind::explicit_) scene["time"] = {{"step", .0005}, {"duration", .004}};
  const double tolerance = find_method(GetParam()).linear ? 1e-6 : 1e-5;  // differences of energies are rounded
  expect_equal(scene, of_beam, tolerance);
}

TEST(Gradient, HybridsWhereModesAreFoundInEachStepOrOnce) {
  for (const char* method : {"SIERE", "TR-BDF2ERE", "SBDF2ERE"})
    for (const Json& refresh : {Json("once"), Json{{"every", 1}}, Json{{"every", 3}}}) {
      SCOPED_TRACE(method + refresh.dump());
      Json scene = beam(method);
      scene["method"]["refresh"] = refresh;
      scene["method"]["modes"] = 6;
      expect_equal(scene, of_beam, 1e-6);
    }
}

/// The modes turn with it.
TEST(Gradient, HybridsOfABodyThatSpins) {
  for (const char* method : {"SIERE", "TR-BDF2ERE"}) {
    SCOPED_TRACE(method);
    Json scene = beam(method);
    scene["bodies"][0].erase("pin");
    scene["bodies"][0]["angular_velocity"] = {1, 4, 6};
    scene["time"]["duration"] = .2;
    std::vector<Entry> entries = of_beam;
    entries.push_back({"bodies[0].angular_velocity", "/bodies/0/angular_velocity/2", 2, 1e-3});
    expect_equal(scene, entries, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Gradient, EveryMethod, testing::ValuesIn(method_names()),
                         [](const auto& info) { return test_name(info.param); });

TEST(Gradient, MethodsWithoutARuleRefuseWhatHasAComponentForEachNode) {
  for (const char* method : {"SIERE", "ERE"})
    for (const char* parameter : {"initial.velocities", "bodies[0].element.young"}) try {
        gradient(beam(method), {parameter});
        FAIL() << method;
      } catch (const InputError& e) {
        EXPECT_TRUE(e.where() == parameter || e.where() == "method.name") << e.where();
      }
}

}  // namespace
}  // namespace limber::test
