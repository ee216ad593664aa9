#include "limber/material/presets.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/material/catalog.hpp"

namespace limber {
namespace {

constexpr double psi = 6894.757;  // [Pa]

/// Nobody measured it for these: rubber and gels have .499 and more, and linear tetrahedra lock long before that.
constexpr double nearly_incompressible = 0.49;
const std::string stated = "; ν = 0.49 is a choice, it is less compressible than that";

/// The tension of c1 (Ī − 3) + κ/2 (J − 1)² at twice the length, over c1: force over the area at rest, with free
/// sides. Their stretch s is where nothing pulls on them; J = 2s². Incompressible it is 2 (2 − 1/4) = 3.5, with ν = .49
/// 3.437.
double tension_at_twice_the_length(double poisson) {
  const double bulk = 4 * (1 + poisson) / (3 * (1 - 2 * poisson));  // κ/c1, μ = 2 c1
  // Of the length l, times l: 2 J^(−2/3) (l² − I/3) + κ (J − 1) J.
  const auto pull = [&](double l, double s) {
    const double J = 2 * s * s, I = 4 + 2 * s * s;
    return 2 * std::pow(J, -2. / 3) * (l * l - I / 3) + bulk * (J - 1) * J;
  };
  double low = .5, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double s = .5 * (low + high);
    (pull(s, s) < 0 ? low : high) = s;
  }
  return pull(2, low) / 2;
}

/// What data sheets call the 100 % modulus is the tension at twice the length.
MaterialPreset by_modulus_at_100_percent(const std::string& name, double pounds_per_square_inch, double density,
                                         const std::string& source) {
  const double c1 = pounds_per_square_inch * psi / tension_at_twice_the_length(nearly_incompressible);
  return {name, {"yeoh", 0, nearly_incompressible, {{"c1", c1}}}, density, source + stated};
}

MaterialPreset by_shear_modulus(const std::string& name, double mu, const std::string& source) {
  return {name, {"yeoh", 0, nearly_incompressible, {{"c1", mu / 2}}}, 0, source + stated};
}

MaterialPreset by_young(const std::string& name, const std::string& model, double young, double poisson, double density,
                        const std::string& source) {
  return {name, {model, young, poisson, {}}, density, source};
}

/// A dashpot of viscosity η beside the modulus μ, as a branch of nine times its stiffness: the loss ηω is met to 1 %
/// up to ω = 0.1/τ, τ = η/9μ.
Viscosity dashpot(double mu, double eta) { return {{0.9, eta / (9 * mu)}}; }

}  // namespace

const std::vector<MaterialPreset>& material_presets() {
  static const std::vector<MaterialPreset> all = [] {
    const std::string ecoflex =
        "100 % modulus and specific gravity: Smooth-On, Inc., Ecoflex Series, technical bulletin";
    const std::string skin =
        "100 % modulus and specific gravity: Smooth-On, Inc., Dragon Skin Series, technical bulletin";
    const std::string gelatine =
        "shear modulus: M. M. Nguyen, S. Zhou, J.-L. Robert, V. Shamdasani, H. Xie, Development of oil-in-gelatin "
        "phantoms for viscoelasticity measurement in ultrasound shear wave elastography, Ultrasound in Medicine & "
        "Biology 40 (2014) 168-176, without oil";
    const std::string film =
        "E and viscosity: fitted to films of a beam that swings (Soft Robotics Lab, ETH Zürich, 2021, "
        "srl-ethz/diffPD_sim2real), docs/materials.md; density: Smooth-On, Inc., Dragon Skin Series, technical "
        "bulletin; ν = 0.4995 is a choice";
    const std::string foam =
        "viscoelastic soft foam at long times: G. Silber, C. Then, Preventive Biomechanics (2013), table 4.3, whose "
        "constants of Ogden's law for foams (shear moduli 5.280146 and 1.042675 kPa, ν = 1.587915e-4 and 2.855843e-3) "
        "are E = 12.65 kPa and ν = 0.0006 at small strains; density: the lightest of the soft open-cell polyurethane "
        "foams of C. Casavola, L. Del Core, V. Moramarco, G. Pappalettera, M. Patronelli, Phys. Sci. Forum 4 (2022) 20";
    const std::string cotton =
        "plain weave, 100 % cotton: Ž. Penava, D. Šimić Penava, Ž. Knezić, Determination of the elastic constants of "
        "plain woven fabrics by a tensile test in various directions, Fibres & Textiles in Eastern Europe 22 (2014) "
        "57-63: 150.3 g/m², 0.318 mm, E and ν as M. Li, D. M. Kaufman, C. Jiang, Codimensional incremental potential "
        "contact, ACM Trans. Graph. 40 (2021) 170, have them in their program";
    const std::string steel = "EN 1993-1-1:2005, 3.2.6 (E, ν); EN 1993-1-2:2005, 3.2.2 (density)";
    const std::string aluminium = "EN 1999-1-1:2007, 3.2.5";
    return std::vector<MaterialPreset>{
        by_modulus_at_100_percent("ecoflex 00-10", 8, 1040, ecoflex),
        by_modulus_at_100_percent("ecoflex 00-20", 8, 1070, ecoflex),
        by_modulus_at_100_percent("ecoflex 00-30", 10, 1070, ecoflex),
        by_modulus_at_100_percent("ecoflex 00-50", 12, 1070, ecoflex),
        by_modulus_at_100_percent("dragon skin 10", 22, 1070, skin),
        by_modulus_at_100_percent("dragon skin 20", 49, 1080, skin),
        by_modulus_at_100_percent("dragon skin 30", 86, 1080, skin),
        {"natural rubber",
         {"ogden", 0, nearly_incompressible, {}, {{"mu", {6.3e5, 1.2e3, -1e4}}, {"alpha", {1.3, 5, -2}}}},
         950,
         "Treloar's rubber: R. W. Ogden, Large deformation isotropic elasticity - on the correlation of theory and "
         "experiment for incompressible rubberlike solids, Proc. R. Soc. Lond. A 326 (1972) 565-584, in SI units as in "
         "G. A. Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; density: vulcanized natural rubber, "
         "uncompounded, MatWeb" +
             stated},
        by_young("sylgard 184", "neo_hookean", 1.32e6, nearly_incompressible, 0,
                 "E when cured at 25 °C: I. D. Johnston, D. K. McCluskey, C. K. L. Tan, M. C. Tracey, Mechanical "
                 "characterization of bulk Sylgard 184 for microfluidics and microengineering, J. Micromech. Microeng. "
                 "24 (2014) 035017; up to 2.97 MPa when cured at 200 °C" +
                     stated),
        by_shear_modulus("gelatine 3%", 2.01e3, gelatine),
        by_shear_modulus("gelatine 5%", 4.18e3, gelatine),
        by_shear_modulus("gelatine 7%", 10.24e3, gelatine),
        {"gelatine 3% viscous",
         {"yeoh", 0, nearly_incompressible, {{"c1", 2.01e3 / 2}}},
         0,
         gelatine + "; the shear viscosity of Voigt's model, 0.60 Pa s" + stated,
         dashpot(2.01e3, 0.6)},
        {"dragon skin 10 viscous",
         {"stable_neo_hookean", 269.5e3, 0.4995, {}},
         1070,
         film,
         {{0.179, 0.01}, {0.0986, 0.1}}},
        by_young("foam", "stable_neo_hookean", 12.65e3, 0.0006, 46, foam),
        {"cotton", {"stable_neo_hookean", 0.821e6, 0.243, {}}, 0.1503 / 0.318e-3, cotton, {}, 0.318e-3},
        by_young("steel", "stable_neo_hookean", 210e9, 0.3, 7850, steel),
        by_young("aluminium", "stable_neo_hookean", 70e9, 0.3, 2700, aluminium)};
  }();
  return all;
}

const MaterialPreset& find_preset(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const MaterialPreset& preset : material_presets()) {
    if (same_name(preset.name, name)) return preset;
    names.push_back(preset.name);
  }
  const std::string near = nearest_name(name, names);
  throw InputError(where, fmt::format("unknown preset '{}'; {}known are {}", name,
                                      near.empty() ? "" : "did you mean '" + near + "'? ", join(names)));
}

void add_constants(const MaterialPreset& preset, const std::string& model,
                   const std::function<bool(const std::string& key)>& given, const std::string& where,
                   std::map<std::string, double>& numbers, std::map<std::string, std::vector<double>>& lists) {
  MaterialParameters p = preset.parameters;
  if (p.model != model) {
    p = complete_parameters(p, where);
    p = {model, p.young, p.poisson, {}};
  }
  if (p.young == 0 && given("young"))
    throw InputError(where + ".young", "the preset \"" + preset.name + "\" has constants of " + p.model +
                                           " in its place; change these, or the model");
  if (p.young > 0) p.own["young"] = p.young;
  if (p.young > 0 || !given("bulk")) p.own["poisson"] = p.poisson;
  for (const auto& constant : p.own)
    if (!given(constant.first)) numbers.insert(constant);
  for (const auto& list : p.lists)
    if (!given(list.first)) lists.insert(list);
}

}  // namespace limber
