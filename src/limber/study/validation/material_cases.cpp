/// Cases of validation: every material in uniform strains.

#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

struct TestedMaterial {
  std::string model, source;
  nlohmann::json constants;  // beside the model
  MaterialConstants formula;
};

/// Sides that are pulled or held have their stretches here; those with 0 are free, and stretched so that they bear no
/// stress.
struct UniformStrain {
  std::string name;
  std::array<double, 3> stretches;
  std::size_t first_free;  // axis
  std::string pins;        // in place of the scene's, where a side is held
};

ValidationCase uniform_case(const TestedMaterial& m, const UniformStrain& strain,
                            const std::vector<std::size_t>& pulled) {
  std::array<double, 3> s = strain.stretches;
  const auto free_stress = [&](double x) {
    for (std::size_t i = strain.first_free; i < 3; ++i)
      if (strain.stretches[i] == 0) s[i] = x;
    return principal_stresses(m.model, m.formula, s)[strain.first_free];
  };
  free_stress(smallest_root(free_stress, 0.3, 1.2, 100));
  const auto P = principal_stresses(m.model, m.formula, s);
  static const char* const faces[] = {"right", "top", "front"};
  auto loads = nlohmann::json::array();
  for (const std::size_t i : pulled) {
    std::array<double, 3> traction{};
    traction[i] = P[i];
    loads.push_back({{"faces", faces[i]}, {"traction", traction}});
  }
  nlohmann::json material = m.constants;
  material["model"] = m.model;
  std::vector<std::string> changes = {"bodies[0].material=" + material.dump(), "bodies[0].loads=" + loads.dump()};
  if (!strain.pins.empty()) changes.push_back("bodies[0].pin=" + strain.pins);
  const auto mesh = [](const std::string& element) {
    return Refinement{"2 × 2 × 2 cells, " + element, {"bodies[0].element=" + element}};
  };
  ValidationCase c{fmt::format("{}-{}", m.model, strain.name),
                   fmt::format("`{}` in {} tension", m.model, strain.name),
                   "∂ψ/∂s of " + m.source,
                   "cube",
                   changes,
                   {mesh("P1"), mesh("P2"), mesh("hex")},
                   {},
                   {},
                   0.01,
                   CaseKind::uniform_strain};
  std::vector<std::size_t> axes = {0};
  if (strain.stretches[2] == 0) axes.push_back(2);
  if (strain.stretches[2] == 1) axes.push_back(1);
  c.measure = in_equilibrium([axes](const Equilibrium& e) {
    std::vector<double> numbers;
    for (const std::size_t i : axes) numbers.push_back(e.displacement(0)[static_cast<Index>(i)]);
    return numbers;
  });
  c.expected.push_back({"elongation", s[axes[0]] - 1});
  c.expected.push_back({"thinning", s[axes[1]] - 1});
  return c;
}

std::vector<TestedMaterial> tested_materials() {
  constexpr ElasticConstants solid = {1e6, 0.3, 1000};
  const MaterialConstants lame = {.mu = solid.mu(), .lambda = solid.lambda()};
  const nlohmann::json keys = {{"young", solid.young}, {"poisson", solid.poisson}};
  const std::string hooke =
      "Hooke's law, A. E. H. Love, A Treatise on the Mathematical Theory of Elasticity (1927), chapter III";
  return {
      {"linear", hooke, keys, lame},
      {"corotated", hooke + ", in the frame of the polar decomposition", keys, lame},
      {"fixed_corotated",
       "A. Stomakhin, R. Howes, C. Schroeder, J. Teran, Energetically consistent invertible elasticity, Symp. Computer "
       "Animation (2012)",
       keys, lame},
      {"st_venant_kirchhoff", "Saint Venant–Kirchhoff, P. G. Ciarlet, Mathematical Elasticity I (1988), chapter 3",
       keys, lame},
      {"neo_hookean",
       "neo-Hooke, J. Bonet, R. D. Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2nd ed. (2008)",
       keys, lame},
      {"stable_neo_hookean",
       "B. Smith, F. de Goes, T. Kim, Stable neo-Hookean flesh simulation, ACM Trans. Graph. 37 (2018) 12", keys, lame},
      {"mooney_rivlin",
       "M. Mooney, A theory of large elastic deformation, J. Appl. Phys. 11 (1940) 582–592, with κ/2 (J − 1)²",
       {{"c10", 2e5}, {"c01", 5e4}, {"bulk", 2e6}},
       {.bulk = 2e6, .c10 = 2e5, .c01 = 5e4}},
      {"yeoh",
       "O. H. Yeoh, Some forms of the strain energy function for rubber, Rubber Chem. Technol. 66 (1993) 754–771, with "
       "κ/2 (J − 1)²",
       {{"c1", 2e5}, {"c2", -1e4}, {"c3", 2e3}, {"bulk", 2e6}},
       {.bulk = 2e6, .c1 = 2e5, .c2 = -1e4, .c3 = 2e3}},
      {"ogden",
       "R. W. Ogden, Large deformation isotropic elasticity, Proc. R. Soc. Lond. A 326 (1972) 565–584, with κ/2 (J − "
       "1)²",
       {{"mu", {6.3e5, 1.2e3, -1e4}}, {"alpha", {1.3, 5, -2}}, {"bulk", 2e6}},
       {.bulk = 2e6, .ogden_mu = {6.3e5, 1.2e3, -1e4}, .alpha = {1.3, 5, -2}}},
  };
}

}  // namespace

std::vector<ValidationCase> material_cases() {
  const std::string planar =
      R"([{"nodes":"left","axes":"x"},{"nodes":"bottom","axes":"y"},{"nodes":["back","front"],"axes":"z"}])";
  std::vector<ValidationCase> cases;
  for (const TestedMaterial& m : tested_materials()) {
    cases.push_back(uniform_case(m, {"uniaxial", {1.3, 0, 0}, 1, ""}, {0}));
    cases.push_back(uniform_case(m, {"equibiaxial", {1.2, 1.2, 0}, 2, ""}, {0, 1}));
    cases.push_back(uniform_case(m, {"planar", {1.3, 0, 1}, 1, planar}, {0}));
  }
  return cases;
}

}  // namespace limber
