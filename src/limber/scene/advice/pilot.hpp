#pragma once  // internal
/// Short runs of a scene: the route, a rough run of all of it that keeps states along the way, and pilots, which start
/// from these with some method.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"

namespace limber {

/// What has been spent. Counted work decides; the clock only tells users.
struct Effort {
  double counted = 0;    // [s] of counted work
  double carrying = 0;   // [s] of it: to carry errors on, which equal steps do without
  double processor = 0;  // [s]

  Effort& operator+=(const Effort& more) {
    counted += more.counted;
    carrying += more.carrying;
    processor += more.processor;
    return *this;
  }
};

/// Asked within pilots: may they go on? A pilot that may not ends where it is.
using PilotLeave = std::function<bool()>;

/// Points along the motion at which pilots start.
struct Route {
  struct Point {
    double t;     // [s]
    Snapshot at;  // of the route's own method, with what is known of its error
  };
  std::vector<Point> points;  // the first at the start
  double end = 0;             // [s] how far it came
  double accuracy = 0;        // [m] with which it was run
  double extent = 0;          // [m] how far anything moved
  double in_play = 0;         // [J] the energy in play
  bool touched = false;       // contact acted
  long attempts = 0;          // steps, counting those taken again
  Effort effort = {};
  std::optional<std::string> stopped = {};  // why it did not reach its end
};

/// Runs the scene with TR-BDF2 and steps that follow this accuracy [m], as long as `limit` [s] of counted work lasts.
Route find_route(const Scene& scene, const Model& model, double accuracy, int points, double limit,
                 const PilotLeave& may_go_on);

/// A method to be tried.
struct Candidate {
  MethodChoice method;
  double accuracy = 0;  // [m] that its steps follow
};

/// What a candidate did from one point of the route on, once its steps had settled.
struct Leg {
  double begin = 0, span = 0;  // [s] of the motion, from the point on
  double steps = 0, attempts = 0;
  /// ∫ h^(−p) dt with steps of h that add the same errors as those of the leg, p the method's order: equal steps of
  /// (slowness/span)^(−1/p) have the same error.
  double slowness = 0;
  double lost = 0;  // [J] that is not explained by loads, damping or friction
  int at_shortest = 0;
  bool alarmed = false;  // energy came from nowhere
  Effort effort = {};    // of the settled part
  Effort all = {};       // with its beginning
  std::optional<std::string> failed = {};
};

/// From point `from` of the route to point `to`, or to its end if there is none, or until `limit` [s] of counted work
/// is spent and a few steps are taken.
Leg run_leg(const Scene& scene, const Model& model, const Candidate& candidate, const Route& route, std::size_t from,
            std::size_t to, double limit, const PilotLeave& may_go_on);

}  // namespace limber
