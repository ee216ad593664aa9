#include "limber/time/other_names.hpp"

#include <cctype>
#include <string_view>
#include <utility>

namespace limber {

std::string method_called(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {{"impliciteuler", "BE"},
                                                                     {"backwardeuler", "BE"},
                                                                     {"linearlyimpliciteuler", "SI"},
                                                                     {"trapezoidal", "TR"},
                                                                     {"trapezoidalrule", "TR"},
                                                                     {"trapezium", "TR"},
                                                                     {"cranknicolson", "TR"},
                                                                     {"implicitmidpoint", "midpoint"},
                                                                     {"midpointrule", "midpoint"},
                                                                     {"averageacceleration", "newmark"},
                                                                     {"generalizedalpha", "gen-alpha"},
                                                                     {"generalisedalpha", "gen-alpha"},
                                                                     {"hilberhughestaylor", "HHT"},
                                                                     {"expliciteuler", "symplectic-euler"},
                                                                     {"forwardeuler", "symplectic-euler"},
                                                                     {"leapfrog", "verlet"},
                                                                     {"velocityverlet", "verlet"},
                                                                     {"stormerverlet", "verlet"},
                                                                     {"centraldifferences", "verlet"},
                                                                     {"rungekutta", "RK4"},
                                                                     {"rungekutta4", "RK4"},
                                                                     {"exponentialrosenbrockeuler", "ERE"},
                                                                     {"exponentialrosenbrock", "ERE"}};
  std::string letters;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [other, method] : known)
    if (letters == other) return std::string(method);
  return "";
}

}  // namespace limber
