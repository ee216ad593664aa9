#pragma once
/// Numbers with units: "3 kPa" = 3000 Pa, "1 g/cm^3" = 1000 kg/m³. A unit is a product of symbols with SI prefixes
/// and integer powers, written with *, /, ^ and spaces. Angles count as a dimension, so that rad/s is not Hz.

#include <string>
#include <string_view>

namespace limber {

/// Powers of metre, kilogram, second and radian.
struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
};

/// What a key measures, its SI unit, and some units that fit.
struct Quantity {
  const char* name;
  Dimension dimension;
  const char* unit;
  const char* fitting;
};

namespace quantity {
inline constexpr Quantity ratio{"a plain number", {}, "", "%"};
inline constexpr Quantity length{"a length", {1, 0, 0, 0}, "m", "m, cm, mm, um, km"};
inline constexpr Quantity time{"a time", {0, 0, 1, 0}, "s", "s, ms, us, min"};
inline constexpr Quantity angle{"an angle", {0, 0, 0, 1}, "rad", "rad, deg"};
inline constexpr Quantity frequency{"a frequency", {0, 0, -1, 0}, "Hz", "Hz, kHz, 1/s"};
inline constexpr Quantity rate{"a rate", {0, 0, -1, 0}, "1/s", "1/s, 1/ms"};
inline constexpr Quantity velocity{"a velocity", {1, 0, -1, 0}, "m/s", "m/s, cm/s, km/h"};
inline constexpr Quantity angular_velocity{"an angular velocity", {0, 0, -1, 1}, "rad/s", "rad/s, deg/s, rpm"};
inline constexpr Quantity acceleration{"an acceleration", {1, 0, -2, 0}, "m/s^2", "m/s^2, cm/s^2, mm/s^2"};
inline constexpr Quantity mass{"a mass", {0, 1, 0, 0}, "kg", "kg, g, mg, t"};
inline constexpr Quantity density{"a density", {-3, 1, 0, 0}, "kg/m^3", "kg/m^3, g/cm^3, kg/L"};
inline constexpr Quantity force{"a force", {1, 1, -2, 0}, "N", "N, mN, kN"};
inline constexpr Quantity pressure{"a pressure", {-1, 1, -2, 0}, "Pa", "Pa, kPa, MPa, GPa, bar, N/mm^2"};
inline constexpr Quantity stiffness{"a stiffness", {0, 1, -2, 0}, "N/m", "N/m, kN/m, N/mm"};
inline constexpr Quantity damping{"a damping", {0, 1, -1, 0}, "N*s/m", "N*s/m, kg/s"};
inline constexpr const Quantity* all[] = {&ratio,    &length,           &time,         &angle, &frequency, &rate,
                                          &velocity, &angular_velocity, &acceleration, &mass,  &density,   &force,
                                          &pressure, &stiffness,        &damping};
}  // namespace quantity

/// The value in SI units of a text such as "3 kPa". Throws InputError(where, …) for a text that is no number with a
/// unit, a symbol it does not know, a unit of another dimension (with what fits) and a value that is not finite.
double parse_quantity(std::string_view text, const Quantity& quantity, const std::string& where);

}  // namespace limber
