#pragma once  // internal
/// Time against error: what a method costs for what it gives.

#include <optional>
#include <vector>

namespace limber {

struct WorkPoint {
  double step = 0;     // h [s]
  double error = 0;    // relative, at the end
  double seconds = 0;  // of computing, for one second of motion
};

/// The time that an error of `error` takes, on the straight lines between the points in log-log; nothing where the
/// points do not reach it. Points in the order of falling h.
std::optional<double> seconds_for(const std::vector<WorkPoint>& points, double error);

}  // namespace limber
