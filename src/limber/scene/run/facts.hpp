#pragma once
/// What a user should know before a run: mass, size, first frequencies, wave speed, and how much the chosen method will
/// damp the first modes at the chosen step.

#include <string>
#include <vector>

#include "limber/linalg/modes/modes.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

struct BodyFacts {
  std::string name;
  std::size_t nodes = 0, tets = 0, triangles = 0, edges = 0;
  double mass = 0;        // [kg]
  Vec3 size;              // [m] of its box
  double wave_speed = 0;  // [m/s]
};

struct ModeFacts {
  double frequency = 0;      // [Hz]
  double steps_a_cycle = 0;  // 1/(frequency · h)
  double damping_ratio = 0;  // numerical, of critical: d/(2ω); NaN if it depends on the whole motion
  double half_life = 0;      // [s] in which the method halves its amplitude; +∞ if it does not damp
  bool split_off = false;    // among the modes that a hybrid moves exactly
};

struct Facts {
  std::vector<BodyFacts> bodies;
  Index free_dofs = 0;
  long steps = 0;
  std::string method;
  double step = 0, duration = 0;
  double accuracy = 0;           // [m] that steps of any length keep, `step` being the longest; 0: all have one length
  int rigid_modes = 0;           // with zero frequency
  std::vector<ModeFacts> modes;  // the lowest elastic ones; empty if the model is too large to look quickly
  bool damped = false;           // by more than the method, contact and the wind
  std::vector<std::string> notes;
};

/// The number of steps of one length of a scene: the last one ends at or after the duration.
long step_count(const TimeSettings& time);

/// The s lowest modes at the start state, on the free degrees of freedom. Throws InputError if s is not in 1…n or the
/// tangent is not symmetric.
Modes scene_modes(const Model& model, int s, ModeSearch search = ModeSearch::automatic);
/// The same about another state.
Modes scene_modes(const Model& model, const State& state, int s, ModeSearch search = ModeSearch::automatic);
/// X with the prescribed nodes' rows (zero) put in: 3N × s.
Matrix on_all_nodes(const MechanicalSystem& system, const Matrix& X);

/// `modes`: how many elastic modes to look at (0: none).
Facts gather_facts(const Scene& scene, const Model& model, int modes);
std::string describe(const Facts& facts);
Document to_json(const Facts& facts);

}  // namespace limber
