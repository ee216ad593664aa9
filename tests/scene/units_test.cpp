#include "limber/scene/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

double si(const char* text, const Quantity& quantity) { return parse_quantity(text, quantity, "key"); }

std::string unit_error(const char* text, const Quantity& quantity) {
  try {
    si(text, quantity);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST(Units, SiValues) {
  using namespace quantity;
  const double pi = std::numbers::pi;
  struct {
    const char* text;
    Quantity quantity;
    double value;
  } const cases[] = {
      {"3 kPa", pressure, 3000},
      {"2.5MPa", pressure, 2.5e6},
      {"1 GPa", pressure, 1e9},
      {"4 N/mm^2", pressure, 4e6},
      {"2 bar", pressure, 2e5},
      {"5 mbar", pressure, 500},
      {"7 J/m^3", pressure, 7},
      {"5 mm", length, 0.005},
      {"7 mm", length, 0.007},
      {"12 um", length, 12e-6},
      {"12 µm", length, 12e-6},
      {"3 km", length, 3000},
      {"1 in", length, 0.0254},
      {"2 ft", length, 0.6096},
      {"30 deg", angle, pi / 6},
      {"180°", angle, pi},
      {"5 mrad", angle, 0.005},
      {"2 kg/m^3", density, 2},
      {"1 g/cm^3", density, 1000},
      {"1.5 kg/L", density, 1500},
      {"2 kg/m³", density, 2},
      {"10 ms", time, 0.01},
      {"2 min", time, 120},
      {"1 h", time, 3600},
      {"24 Hz", frequency, 24},
      {"24 1/s", frequency, 24},
      {"3/s", rate, 3},
      {"2 kHz", frequency, 2000},
      {"5 N", force, 5},
      {"5 kg m/s^2", force, 5},
      {"-2 kN", force, -2000},
      {"9.81 m/s^2", acceleration, 9.81},
      {"9.81 m/s²", acceleration, 9.81},
      {"9.81 m*s^-2", acceleration, 9.81},
      {"1 N/m", stiffness, 1},
      {"2 N/mm", stiffness, 2000},
      {"4 N*s/m", damping, 4},
      {"4 N s/m", damping, 4},
      {"4 kg/s", damping, 4},
      {"36 km/h", velocity, 10},
      {"60 rpm", angular_velocity, 2 * pi},
      {"90 deg/s", angular_velocity, pi / 2},
      {"250 g", mass, 0.25},
      {"2 t", mass, 2000},
      {"1e-3 mg", mass, 1e-9},
      {"5 %", ratio, 0.05},
      {"+5 cm", length, 0.05},
      {" .5 m ", length, 0.5},
  };
  for (const auto& c : cases) EXPECT_NEAR(si(c.text, c.quantity), c.value, 4e-16 * std::abs(c.value)) << c.text;
}

TEST(Units, DecimalPrefixesRoundOnce) {
  for (int i = 1; i < 1000; ++i) EXPECT_EQ(si((std::to_string(i) + " mm").c_str(), quantity::length), i / 1000.0) << i;
}

TEST(Units, AWrongDimensionListsWhatFits) {
  EXPECT_EQ(unit_error("5 mm", quantity::time), "key: \"5 mm\" is not a time; what fits: s, ms, us, min");
  EXPECT_EQ(unit_error("5 kg", quantity::pressure),
            "key: \"5 kg\" is not a pressure; what fits: Pa, kPa, MPa, GPa, bar, N/mm^2");
  EXPECT_NE(unit_error("5 rad/s", quantity::frequency), "");
  EXPECT_NE(unit_error("5 Hz", quantity::angular_velocity), "");
  EXPECT_NE(unit_error("5 m", quantity::ratio), "");
}

TEST(Units, EveryFittingUnitFits) {
  using namespace quantity;
  for (const Quantity& q : {ratio, length, time, angle, frequency, rate, velocity, angular_velocity, acceleration, mass,
                            density, force, pressure, stiffness, quantity::damping}) {
    std::string list = q.fitting;
    const std::string own = q.dimension == Dimension{} ? "100 %" : std::string("1 ") + q.unit;
    EXPECT_EQ(si(own.c_str(), q), 1) << q.name;
    for (std::size_t at = 0; at < list.size();) {
      const auto end = std::min(list.find(", ", at), list.size());
      EXPECT_EQ(unit_error(("1 " + list.substr(at, end - at)).c_str(), q), "") << q.name;
      at = end + 2;
    }
  }
}

TEST(Units, WhatIsNoNumberWithAUnit) {
  using namespace quantity;
  EXPECT_EQ(unit_error("fast", velocity), "key: expected a number or a string with a unit, got \"fast\"");
  EXPECT_EQ(unit_error("", velocity), "key: expected a number or a string with a unit, got \"\"");
  EXPECT_EQ(unit_error("5", length),
            "key: \"5\" has no unit; write a plain number (in m) or add one of m, cm, mm, um, km");
  EXPECT_EQ(unit_error("5", ratio), "key: \"5\" is a string; write the plain number");
  EXPECT_EQ(unit_error("5 parsec", length),
            "key: unknown unit 'parsec'; a length takes, for example, m, cm, mm, um, km");
  EXPECT_EQ(unit_error("5 m/parsec", length),
            "key: unknown unit 'parsec' in 'm/parsec'; a length takes, for example, m, cm, mm, um, km");
  for (const char* text : {"5 m/", "5 m^", "5 m^x", "5 m**s", "5 m^99", "5 kmm", "5 Ms^2^2", "5 / / s", "5 mmin"})
    EXPECT_NE(unit_error(text, length), "") << text;
  for (const char* text : {"nan m", "inf m", "1e999 m", "1e300 Tm"})
    EXPECT_EQ(unit_error(text, length), "key: \"" + std::string(text) + "\" is not finite");
}

}  // namespace limber
