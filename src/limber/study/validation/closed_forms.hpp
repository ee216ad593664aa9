#pragma once  // internal
/// What is known in closed form, or as the root of an equation: the numbers that Limber's are held against. Nothing
/// here uses Limber's own mechanics.

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace limber {

/// The smallest root of f in (from, to), found among `parts` intervals by a change of sign, then by bisection. Throws
/// std::logic_error if there is none.
double smallest_root(const std::function<double(double)>& f, double from, double to, int parts);

/// An isotropic elastic substance.
struct ElasticConstants {
  double young, poisson, density;

  double mu() const;
  double lambda() const;
  double shear_speed() const;     // [m/s]
  double pressure_speed() const;  // [m/s]
};

/// A plate of thickness h whose edges are held as those of a "hard" simple support over their whole height: u, v, w ~
/// cos αx sin βy … with k² = α² + β². Its vibrations are standing waves of a free plate (Lamb 1917): antisymmetric in
/// the thickness,
///     (q² − k²)² sin(p h/2)/p cos(q h/2) + 4k² q² cos(p h/2) sin(q h/2)/q = 0,  p² = ω²/c_L² − k², q² = ω²/c_T² − k²,
/// of which this is the lowest, or shear in the plane, ω = c_T k. [Hz], k in 1/m.
double plate_bending_frequency(const ElasticConstants& c, double h, double k);
double plate_shear_frequency(const ElasticConstants& c, double k);

/// A free sphere (Lamb 1882): the lowest ωa/c_T of its torsional vibrations of degree n ≥ 2, of its spheroidal ones of
/// degree n ≥ 1, and of its breathing, n = 0.
double sphere_torsional(int n);
double sphere_spheroidal(int n, double poisson);

/// The angle by which a torque M turns a bar of rectangular section a × b, a ≥ b, and length L is M L/(G k a b³):
/// k = ⅓ (1 − 192/π⁵ b/a Σ_{n odd} tanh(nπa/2b)/n⁵).
double torsion_factor(double a_over_b);

/// The tip of a cantilever under a dead transverse force P, P L²/EI = load: deflection and shortening over L. With the
/// modulus p and sin φ = 1/(p√2): K(p) − F(φ, p) = √load, deflection = 1 − 2/√load (E(p) − E(φ, p)), shortening =
/// 1 − √(2(2p² − 1)/load).
struct ElasticaTip {
  double deflection, shortening;
};
ElasticaTip elastica_tip(double load);

/// βL of the n-th bending vibration of a clamped beam whose other end is free: cos x cosh x = −1, ω = (βL)² √(EI/μL⁴).
double cantilever_root(int n);

/// A cable of length S over a span L between equal heights: 2a sinh(L/2a) = S. The sag is a (cosh(L/2a) − 1), the
/// horizontal force a times the weight of a unit length.
struct Catenary {
  double parameter, sag;  // a; [m]
};
Catenary catenary(double length, double span);

/// A circular membrane of radius a, thickness t, held at its rim, under a pressure p: the deflection of its middle over
/// a (p a/E t)^(1/3), and the radial force there, N = b₀/4 (E t)^(1/3) (p a)^(2/3). The solution of r²N'' + 3rN' =
/// −w'²/2, N w' = −r/2 with N' + (1 − ν) N = 0 at r = 1, by shooting.
struct HenckyMembrane {
  double deflection, b0;
};
HenckyMembrane hencky_membrane(double poisson);

/// T = 2π √(L/g) / agm(1, cos(θ/2)) of a pendulum that is let go at the angle θ.
double pendulum_period(double length, double gravity, double angle);

/// A bar of length L and width b, of density ρ and P = E (s − 1) (`corotated` with ν = 0), that is set spinning about
/// its middle with ω₀ while it is not stretched, after its vibrations have died away. E r″ + ρω² r = 0 with the ends
/// free: what was at x is at r = sin(kx)/(k cos(kL/2)), k² = ρω²/E, and so across; ω is that of the same angular
/// momentum.
struct SpinningBar {
  double rate, elongation;  // [rad/s]; [m] of half the bar
};
SpinningBar spinning_bar(double young, double density, double length, double width, double rate);

/// Hertz: a cylinder (its half, from the plane y = 0 of its axis to the contact) or a ball of radius R pressed on a
/// rigid plane, the contact being 2a wide. E* = E/(1 − ν²).
struct HertzContact {
  double force;     // [N/m], [N]
  double approach;  // [m] of the plane y = 0 of a cylinder, of what is far from the contact in a ball
};
/// P = π E* a²/4R, d = P/πE* (2 ln(4R/a) − 1).
HertzContact hertz_cylinder(double plane_strain_modulus, double radius, double a);
/// P = 4E* a³/3R, d = a²/R.
HertzContact hertz_ball(double plane_strain_modulus, double radius, double a);

/// A bar that falls upright on a rigid floor from the height h₀, for ever (D. Doyen, A. Ern, S. Piperno, SIAM J. Sci.
/// Comput. 33 (2011) 223–249): c u_x = ± u_t in waves, c² = E/ρ. With T = 2L/c, t₀ = √(2h₀/g) and v = g t₀: it falls
/// for t₀, stands for T on its foot, which the floor pushes with ρc (v + gτ), leaves with u = g x (x − 2L)/c² and the
/// velocity v, flies for 2t₀, and the same backwards. That holds where 2t₀ is a whole number of T, and v > gT.
struct BouncingBar {
  double length, wave_speed, gravity, drop;  // L, c, g, h₀

  double contact_time() const;  // T
  double fall_time() const;     // t₀
  double period() const;        // 4t₀ + 2T
  /// Of the centre of mass above its place when the foot is on the floor, unstrained [m].
  double height(double t) const;
  /// Of the foot above the floor [m].
  double foot(double t) const;
  /// On the floor, over the density [m²/s²].
  double pressure(double t) const;
};

/// A rod of length 1, c = 1, held at x = 1 and let go at rest with u = (1 − x)/2, whose other end meets a wall at
/// u = 0: the displacement of that end, and what the wall pushes with, over Young's modulus. The period is 3; it is in
/// contact from 1 to 2, with u = 0 and u_t = −1/2 everywhere when that begins.
double released_rod_end(double t);
double released_rod_pressure(double t);

/// The k-th positive zero of the Bessel function J_n.
double bessel_zero(int n, int k);

/// The nominal principal stresses ∂ψ/∂s of a model of docs/materials.md at the stretches s, from its formula.
struct MaterialConstants {
  double mu = 0, lambda = 0, bulk = 0;
  double c10 = 0, c01 = 0;                        // mooney_rivlin
  double c1 = 0, c2 = 0, c3 = 0;                  // yeoh
  std::vector<double> ogden_mu = {}, alpha = {};  // ogden
};
std::array<double, 3> principal_stresses(const std::string& model, const MaterialConstants& c,
                                         const std::array<double, 3>& s);

}  // namespace limber
