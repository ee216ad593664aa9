#pragma once  // internal
/// The energies of a recorded run, as far as its energy.csv can be read. The file may be missing, cut off, of another
/// version or damaged: a replay needs none of it.

#include <array>
#include <string>
#include <vector>

namespace limber {

/// t [s], kinetic, elastic, gravitational, contact, other, total, lost by damping and friction [J], the step's time
/// [ms].
using EnergySample = std::array<double, 9>;

struct RunEnergies {
  std::vector<EnergySample> rows;  // times grow; what the file does not have is NaN
  std::string note;                // what could not be read; empty: nothing
};

/// At most `most` rows, evenly spaced in the file, and its last one. The memory that it takes does not grow with the
/// file.
RunEnergies read_run_energies(const std::string& file, std::size_t most);

}  // namespace limber
