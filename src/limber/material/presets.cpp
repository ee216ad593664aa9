#include "limber/material/presets.hpp"

namespace limber {
namespace {

constexpr double psi = 6894.757;  // [Pa]

/// Nobody measured it for these: rubber and gels have .499 and more, and linear tetrahedra lock long before that.
constexpr double nearly_incompressible = 0.49;
const std::string stated = "; ν = 0.49 is a choice, it is less compressible than that";

/// What data sheets call the 100 % modulus is the stress at twice the length: 2 c1 (2 − 1/4) if nothing stiffens.
MaterialPreset by_modulus_at_100_percent(const std::string& name, double pounds_per_square_inch, double density,
                                         const std::string& source) {
  return {
      name, {"yeoh", 0, nearly_incompressible, {{"c1", pounds_per_square_inch * psi / 3.5}}}, density, source + stated};
}

MaterialPreset by_shear_modulus(const std::string& name, double mu, const std::string& source) {
  return {name, {"yeoh", 0, nearly_incompressible, {{"c1", mu / 2}}}, 0, source + stated};
}

MaterialPreset by_young(const std::string& name, const std::string& model, double young, double poisson, double density,
                        const std::string& source) {
  return {name, {model, young, poisson, {}}, density, source};
}

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
         0,
         "Treloar's rubber: R. W. Ogden, Large deformation isotropic elasticity - on the correlation of theory and "
         "experiment for incompressible rubberlike solids, Proc. R. Soc. Lond. A 326 (1972) 565-584, in SI units as in "
         "G. A. Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5" +
             stated},
        by_young("sylgard 184", "neo_hookean", 1.32e6, nearly_incompressible, 0,
                 "E when cured at 25 °C: I. D. Johnston, D. K. McCluskey, C. K. L. Tan, M. C. Tracey, Mechanical "
                 "characterization of bulk Sylgard 184 for microfluidics and microengineering, J. Micromech. Microeng. "
                 "24 (2014) 035017; up to 2.97 MPa when cured at 200 °C" +
                     stated),
        by_shear_modulus("gelatine 3%", 2.01e3, gelatine),
        by_shear_modulus("gelatine 5%", 4.18e3, gelatine),
        by_shear_modulus("gelatine 7%", 10.24e3, gelatine),
        by_young("steel", "stable_neo_hookean", 210e9, 0.3, 7850, steel),
        by_young("aluminium", "stable_neo_hookean", 70e9, 0.3, 2700, aluminium)};
  }();
  return all;
}

}  // namespace limber
