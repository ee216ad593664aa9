#pragma once
/// Advice on the method and its steps: which of them meet a wish, and what each will cost. It comes from pilots: short
/// runs of the scene with each candidate, with steps that follow their error, at points along the motion. A rough run
/// of the whole scene finds these points. All decisions are made from counted work and never from a clock, so that
/// equal scenes get equal advice.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/document.hpp"

namespace limber {

/// What a user wants of a run.
struct Wish {
  enum class Kind { accuracy, keep_energy, time, real_time } kind = Kind::accuracy;
  /// accuracy: of positions [m]; keep_energy: the share that the method may not lose, 0 to 1; time: of the processor
  /// [s]; real_time: unused.
  double amount = 0;
};

/// From the words accuracy, keep_energy, time or real_time, and a text such as "1 mm", "95%" or "60 s". Throws
/// InputError.
Wish wish_from(const std::string& kind, const std::string& amount);

struct AdviceRequest {
  Wish wish = {};
  std::vector<std::string> methods = {};  // candidates; empty: the usual ones
  bool following_only = false;            // only steps that follow their error, no equal ones
  /// [s] of counted work that pilots may take; unset: .45 s, or 3 % of the run if that is more.
  std::optional<double> budget = {};
  /// Called as pilots go on, with the part of the budget that is spent; false ends the search with what is known.
  std::function<bool(double part, const std::string& what)> go_on = {};
};

/// A method with its steps, and what is predicted for the run.
struct Suggestion {
  std::string method;
  double step = 0;                 // [s] of all steps, or the mean of steps that follow `accuracy`
  std::optional<double> accuracy;  // [m]; unset: all steps have the same length
  double error = 0;                // [m] of positions, at most
  double energy_lost = 0;          // by the method, as a share of the energy in play
  double steps = 0;                // how many
  double seconds = 0;              // of the processor
  double counted = 0;              // [s] of counted work, which orders equal suggestions
  bool meets = true;               // the wish
  std::string reason;
};

/// A candidate that pilots dropped, and why.
struct Dropped {
  std::string method, reason;
};

struct Advice {
  Wish wish;
  double duration = 0;                  // [s] of the motion
  std::vector<Suggestion> suggestions;  // best first
  std::vector<Dropped> dropped;
  std::vector<std::string> notes;
  bool interrupted = false;  // only what was tried until then is known
  double pilots = 0;         // [s] of the processor that the advice took
};

/// `model`: the whole scene on one process; it is left as it was made. Throws InputError for a scene or a wish that is
/// wrong, and StepFailure if no candidate can move the scene.
Advice advise(const Scene& scene, const Model& model, const AdviceRequest& request);

/// `scene` with the method and the steps of a suggestion, and the rest as it is.
Document with_suggestion(const Document& scene, const Suggestion& suggestion);

/// The keys of with_suggestion(), as JSON to paste.
std::string lines_to_paste(const Suggestion& suggestion, double duration);

/// The table with its reasons, for a terminal.
std::string describe(const Advice& advice);
Document to_json(const Advice& advice);

}  // namespace limber
