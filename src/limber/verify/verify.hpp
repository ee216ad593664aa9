#pragma once
/// Was anything in a trajectory that must not be? Every frame is checked with exact predicates on the positions as
/// stored (float64), independent of the simulation's own collision code; obstacles as obstacle_check.hpp says.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/verify/frame_check.hpp"
#include "limber/verify/obstacle_check.hpp"

namespace limber {

/// Something that must not be.
struct Finding {
  long frame = 0;
  double time = 0;  // [s]
  Flaw flaw = Flaw::crossing;
  std::string what;                     // a sentence, with the names and numbers below
  std::vector<std::string> bodies;      // one or two, or a body and an obstacle; empty if a position is not finite
  std::vector<std::vector<int>> cells;  // nodes of the triangles, edge, tetrahedron or single node
  Vec3 position = Vec3::Zero();         // about where [m]
};

struct Verification {
  long frames = 0, frames_planned = 0;
  std::size_t nodes = 0, tets = 0, triangles = 0;
  double min_det_F = 0;                            // as recorded
  long bad_frames = 0;                             // with positions that are not finite; nothing else is known of these
  long crossings = 0, enclosed = 0, inverted = 0;  // summed over the frames
  long tolerated_inversions = 0;                   // of materials that allow them: told, not findings
  bool materials_known = true;                     // false: no scene.json, so all inversions count as tolerated
  std::size_t obstacles = 0;                       // that were looked at
  long obstacle_overlaps = 0;                      // cells in obstacles, summed over the frames
  std::vector<std::array<std::string, 2>> sewn = {};  // bodies that were not compared, being stitched together
  std::vector<Finding> findings;                      // the first `max_findings`

  static constexpr std::size_t max_findings = 1000;
  long count() const { return bad_frames + crossings + enclosed + inverted + obstacle_overlaps; }
};

/// done of all frames.
using VerifyProgress = std::function<void(long done, long all)>;

/// The run in `directory`, finished or not, against the obstacles around it. Throws InputError if there is no readable
/// trajectory.
Verification verify_trajectory(const std::string& directory, const Surroundings& around = {},
                               const VerifyProgress& progress = {});

/// "crossing", "inverted", …
const char* to_string(Flaw flaw);

}  // namespace limber
