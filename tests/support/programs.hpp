#pragma once
/// Programs that a machine may lack.

#include <cstdlib>

namespace limber::test {

inline bool has_gnuplot() { return std::system("command -v gnuplot > /dev/null") == 0; }

}  // namespace limber::test
