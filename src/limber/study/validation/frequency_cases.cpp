/// Cases of validation: vibrations of solids.

#include <cmath>
#include <numbers>

#include "limber/study/validation/closed_forms.hpp"
#include "limber/study/validation/measurements.hpp"
#include "limber/study/validation/meshes.hpp"
#include "limber/study/validation/rows.hpp"

namespace limber {

namespace {

constexpr const char* nafems =
    "NAFEMS, The Standard NAFEMS Benchmarks, TNSB rev. 3 (1990), and report R0015, Selected Benchmarks for Natural "
    "Frequency Analysis";
constexpr ElasticConstants benchmark_steel = {200e9, 0.3, 8000};

Refinement tapered(std::array<int, 3> n) {
  return with_mesh(fmt::format("{} × {} × {} cells", n[0], n[1], n[2]),
                   mapped_mesh(n, MappedCells::tets, [](const Vec3& x) {
                     return Vec3(10 * x[0], (x[1] - 0.5) * (5 - 4 * x[0]), 0.05 * x[2]);
                   }));
}

ValidationCase exact_plate_case() {
  const auto k = [](int m, int n) { return std::numbers::pi * std::hypot(m, n) / 10; };
  const auto bending = [&](int m, int n) {
    return ExpectedNumber{fmt::format("bending ({}, {}) [Hz]", m, n),
                          plate_bending_frequency(benchmark_steel, 1, k(m, n))};
  };
  const auto shear = [&](int m, int n) {
    return ExpectedNumber{fmt::format("shear in the plane ({}, {}) [Hz]", m, n),
                          plate_shear_frequency(benchmark_steel, k(m, n))};
  };
  return {"thick-plate",
          "A thick plate, simply supported over the height of its sides",
          "The exact solution in three dimensions: S. Srinivas, C. V. Joga Rao, A. K. Rao, An exact analysis for "
          "vibration of simply-supported homogeneous and laminated thick rectangular plates, J. Sound Vib. 12 (1970) "
          "187–199; for one layer the equation of waves in a plate, H. Lamb, Proc. R. Soc. Lond. A 93 (1917) 114–128, "
          "solved here: (q² − k²)² tan(ph/2) + 4k²pq tan(qh/2) = 0 with k² = (mπ/a)² + (nπ/a)², p² = ω²/c_L² − k², "
          "q² = ω²/c_T² − k²; shear in the plane: ω = c_T k",
          "thick_plate",
          {},
          {with_cells({8, 8, 1}), with_cells({12, 12, 2}), with_cells({20, 20, 2})},
          frequencies({1, 2, 4, 6, 7, 9, 10, 12, 14}),
          {bending(1, 1), bending(1, 2), shear(1, 0), bending(2, 2), bending(1, 3), shear(1, 1), bending(2, 3),
           shear(2, 0), bending(1, 4)},
          0.07};
}

}  // namespace

std::vector<ValidationCase> frequency_cases() {
  const double torsional = benchmark_steel.shear_speed() / 40 * std::sqrt(6 * torsion_factor(1));
  const double nu = 0.25, circle = 2 * std::numbers::pi;
  const std::string line_support =
      "a line on which a solid rests is no support of a plate: under it the displacement grows without bound as the "
      "mesh "
      "is refined, and the frequency falls. Held over the height of its sides, the same plate agrees (thick-plate).";
  const std::string theory =
      "the source is a theory of plates, and what is exact in three dimensions lies up to .8 % above it (thick-plate); "
      "the "
      "mesh adds the rest.";
  const std::vector<Refinement> beams = {with_cells({5, 1, 1}), with_cells({10, 2, 2}), with_cells({20, 4, 4})};
  return {
      {"deep-beam",
       "A deep simply supported beam: bending",
       std::string(nafems) +
           ", test FV5 (beam theory with shear and rotary inertia). Here the end faces are held across "
           "the beam and free along it",
       "deep_beam",
       {},
       beams,
       frequencies({2, 5, 8}),
       {{"bending 1 [Hz]", 42.649}, {"bending 2 [Hz]", 148.31}, {"bending 3 [Hz]", 284.55}},
       0.07},
      {"deep-beam-axial",
       "The same beam: extension and torsion",
       std::string(nafems) +
           ", test FV5: 125.00 Hz for the extension, c/4L. Its torsional frequencies take the polar moment for the "
           "torsion "
           "constant, which a square section does not have; instead (2n − 1)/4L √(G k b⁴/ρI_p) with Saint-Venant's k = "
           ".1406, I_p = b⁴/6 (S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed., 1970, §109). One end is "
           "held across the beam, the other along it",
       "deep_beam",
       {R"(bodies[0].pin=[{"nodes":"left","axes":"yz"},{"nodes":"right","axes":"x"}])"},
       beams,
       frequencies({3, 6, 7}),
       {{"torsion 1 [Hz]", torsional}, {"extension 1 [Hz]", 125}, {"torsion 2 [Hz]", 3 * torsional}},
       0.1},
      exact_plate_case(),
      {"thick-plate-theory",
       "The same plate beside the theory of thick plates",
       std::string(nafems) + ", test 21, simply supported thick square plate (theory of thick plates)",
       "thick_plate",
       {},
       {with_cells({8, 8, 1}), with_cells({12, 12, 2}), with_cells({20, 20, 2})},
       frequencies({1, 2, 6, 7, 10}),
       {{"mode 1 [Hz]", 45.897},
        {"modes 2 and 3 [Hz]", 109.44},
        {"mode 4 [Hz]", 167.89, 0.01, theory},
        {"modes 5 and 6 [Hz]", 204.51, 0.01, theory},
        {"modes 7 and 8 [Hz]", 256.50, 0.01, theory}},
       0.07},
      {"plate-on-edges",
       "A solid plate held along its four lower edges",
       std::string(nafems) + ", test FV52 (theory of thick plates and of plane stress)",
       "plate_on_edges",
       {},
       {with_cells({4, 4, 1}), with_cells({8, 8, 1}), with_cells({12, 12, 2})},
       frequencies_by_direction(2, {1, 2, 4}, {4, 5}, 16),
       {{"mode 4 [Hz]", 45.897, 0.01, line_support},
        {"modes 5 and 6 [Hz]", 109.44, 0.01, line_support},
        {"mode 7 [Hz]", 167.89, 0.01, line_support},
        {"mode 8 [Hz]", 193.59},
        {"modes 9 and 10 [Hz]", 206.19}},
       0.13},
      {"tapered-membrane",
       "A cantilevered tapered membrane",
       std::string(nafems) + ", test FV32",
       "tapered_membrane",
       {},
       {tapered({4, 2, 1}), tapered({8, 4, 1}), tapered({16, 8, 1})},
       frequencies({1, 2, 3, 4, 5, 6}),
       {{"mode 1 [Hz]", 44.623},
        {"mode 2 [Hz]", 130.03},
        {"mode 3 [Hz]", 162.70},
        {"mode 4 [Hz]", 246.05},
        {"mode 5 [Hz]", 379.90},
        {"mode 6 [Hz]", 391.44}},
       0.08},
      {"sphere",
       "A free elastic sphere",
       "H. Lamb, On the vibrations of an elastic sphere, Proc. Lond. Math. Soc. 13 (1882) 189–212: roots of "
       "(n − 1) j_n(y) = y j_{n+1}(y) for torsional vibrations of degree n, y = ωa/c_T, and of a 2 × 2 determinant of "
       "spherical Bessel functions for spheroidal ones (A. C. Eringen, E. S. Şuhubi, Elastodynamics II, 1975); "
       "ν = 1/4",
       "sphere",
       {},
       {{"edges of .5 m", {"bodies[0].mesh.resolution=0.5"}},
        {"edges of .3 m", {"bodies[0].mesh.resolution=0.3"}},
        {"edges of .2 m", {"bodies[0].mesh.resolution=0.2"}}},
       frequencies({7, 12, 17, 20, 34}),
       {{"torsional, n = 2 [Hz]", sphere_torsional(2) / circle},
        {"spheroidal, n = 2 [Hz]", sphere_spheroidal(2, nu) / circle},
        {"spheroidal, n = 1 [Hz]", sphere_spheroidal(1, nu) / circle},
        {"torsional, n = 3 [Hz]", sphere_torsional(3) / circle},
        {"breathing, n = 0 [Hz]", sphere_spheroidal(0, nu) / circle}},
       0.06},
  };
}

}  // namespace limber
