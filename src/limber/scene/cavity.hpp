#pragma once
/// A closed cavity of a body, filled with gas or with a liquid.

#include <string>
#include <variant>

#include "limber/scene/force_choice.hpp"
#include "limber/scene/load.hpp"

namespace limber {

struct GasChoice {
  double ambient = 101325;  // [Pa]
  double amount = 1;        // of the amount at the start, times `time`
  TimeFactor time;
};

struct LiquidChoice {
  double volume = 1;    // of the volume at the start, times `time`
  double bulk = 2.2e9;  // [Pa]
  TimeFactor time;
};

struct CavityChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override;
  std::vector<double> key_times() const override;

  std::string where, name;  // name empty: that of the body, with a number where it has several
  int body = 0;
  Selection faces;  // those with all corners in it; empty: the only inner surface
  std::variant<GasChoice, LiquidChoice> filling;
};

}  // namespace limber
