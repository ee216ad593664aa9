/// Fig. soft_eigs of the survey: the first eigenvalues of K x = λ M x of a soft beam, and how the lowest ones cross
/// along a large motion.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/linalg/modes/modes.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/mode_families.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/trial.hpp"

namespace limber {

namespace {

constexpr double clear_gap = 10;                     // a ratio of eigenvalues that one would call a separation
constexpr double h = 0.01, soft = 1e5, stiff = 1e8;  // [s], [Pa]

nlohmann::json swinging_beam(const StudyContext& context, double young, double duration) {
  nlohmann::json scene = under_method(example_scene("beam"), "TR-BDF2");
  if (context.quick()) scene["bodies"][0]["mesh"]["cells"] = {16, 2, 2};
  scene["bodies"][0]["material"]["young"] = young;
  scene["time"] = {{"step", h}, {"duration", duration}};
  return scene;
}

Modes modes_at(Simulation& simulation, int s) {
  Tangent T;
  simulation.system().tangent(simulation.state(), Definiteness::exact, T);
  return lowest_modes(T.K, simulation.system().mass(), s);
}

/// The lowest modes along the motion, every few steps.
ModeFamilies follow_modes(const StudyContext& context, double young, int s, double duration, double from, double to) {
  ModeFamilies families(static_cast<std::size_t>(s));
  const int every = context.quick() ? 4 : 2;
  simulate(swinging_beam(context, young, duration), [&](Simulation& simulation, double part) {
    context.tell(from + (to - from) * part, fmt::format("E = {:.0e} Pa", young));
    if (simulation.step_count() % every != 0) return;
    families.add(simulation.time(), modes_at(simulation, s), simulation.system().mass());
  });
  return families;
}

Figure families_figure(const std::string& name, const std::string& title, const ModeFamilies& families) {
  Figure figure{name, title, {"time [s]"}, {"frequency √λ/2π [Hz]"}, {}, Legend::below};
  for (std::size_t i = 0; i < families.size(); ++i)
    figure.curves.push_back({fmt::format("mode {}", i + 1), families.times(), families.frequencies(i),
                             i % 2 ? Stroke::dashes : Stroke::line});  // two of a pair, one upon the other
  return figure;
}

std::string cells_text(const StudyContext& context) { return context.quick() ? "320" : "2560"; }

}  // namespace

StudyResult study_soft_eigs(const StudyContext& context) {
  const int count = context.quick() ? 300 : 1000, s = 8;
  context.tell(0, "eigenvalues");
  const nlohmann::json scene = swinging_beam(context, soft, h);
  const Model model = build_model(read_scene(scene, vocabulary(), ""));
  const Modes modes = scene_modes(model, static_cast<int>(std::min<Index>(count, model.system->size())));
  Figure spectrum{
      "eigenvalues",
      fmt::format("First {} eigenvalues of a soft beam, {} tetrahedra", modes.lambda.size(), cells_text(context)),
      {"number of the mode"},
      {"λ [1/s²]", Scale::linear, 0.0},
      {},
      Legend::top_left};
  Curve values{"E = 100 kPa", {}, {}, Stroke::line};
  Index resolved_soft = 0, resolved_stiff = 0;
  for (Index i = 0; i < modes.lambda.size(); ++i) {
    values.x.push_back(static_cast<double>(i + 1));
    values.y.push_back(modes.lambda[i]);
    resolved_soft += std::sqrt(modes.lambda[i]) * h < 1;
    resolved_stiff += std::sqrt(modes.lambda[i] * stiff / soft) * h < 1;
  }
  spectrum.curves = {values};
  // Pairs of a square section count as one: the gap is that to the mode after the next.
  double largest_gap = 1;
  Index gap_at = 0;
  for (Index i = 4; i + 2 < std::min<Index>(50, modes.lambda.size()); ++i)
    if (const double gap = modes.lambda[i + 1] / modes.lambda[i]; gap > largest_gap) largest_gap = gap, gap_at = i + 1;

  const double duration = context.quick() ? 1.5 : 3;
  const ModeFamilies soft_families = follow_modes(context, soft, s, duration, 0.3, 0.7);
  const ModeFamilies stiff_families = follow_modes(context, stiff, s, duration, 0.7, 1);
  StudyResult result;
  const std::string first = modes.lambda.size() == resolved_soft ? "all" : fmt::format("{}", resolved_soft);
  result.text = fmt::format(
      "The eigenvalues of the beam at rest rise without a step: between the 5th and the 50th the largest ratio of "
      "neighbours is {:.2f} (from the {}th on), where a clear separation would be ten or more, so that no small number "
      "of modes stands apart. This is the beam's shape, not its softness: at rest all λ are proportional to Young's "
      "modulus. What softness changes is how many modes a step resolves: with h = .01 s {} of the first {} have ωh < 1 "
      "at E = 100 kPa, but {} at 100 MPa. These are the modes that a method should not damp, and that is why a soft "
      "body wants a method that is good for all modes.\n\n"
      "The other figures follow the {} lowest modes along the motion by their shapes (at each look, those of largest "
      "overlap xᵀMx'). On the soft beam curves cross {} times in {} s, and modes leave the lowest {} or enter them {} "
      "times; on a beam of 100 MPa {} and {} times. A square section has its bending modes in pairs of one frequency, "
      "which is no crossing.",
      largest_gap, gap_at, first, modes.lambda.size(), resolved_stiff, s, soft_families.crossings(), duration, s,
      soft_families.losses(), stiff_families.crossings(), stiff_families.losses());
  result.claims = {
      judged("There is no clear separation of a small number of lowest modes (fig. soft_eigs).",
             largest_gap < clear_gap,
             fmt::format("The largest ratio of neighbours between the 5th and the 50th eigenvalue is {:.2f}.",
                         largest_gap),
             "this body's shape has one."),
      judged("More eigenmodes play a significant role in the visible dynamics of soft bodies (sec. soft).",
             resolved_soft > 10 * std::max<Index>(1, resolved_stiff),
             fmt::format("ωh < 1 for {} modes at E = 100 kPa, for {} at 100 MPa.", first, resolved_stiff),
             "the step is too long."),
      judged("Large deformations of soft bodies change the modes enough to cross; for stiff ones it suffices to "
             "compute them "
             "once (sec. soft).",
             soft_families.crossings() + soft_families.losses() > 0 &&
                 stiff_families.crossings() + stiff_families.losses() == 0,
             fmt::format("Crossings and exchanges: {} at E = 100 kPa, {} at 100 MPa.",
                         soft_families.crossings() + soft_families.losses(),
                         stiff_families.crossings() + stiff_families.losses()),
             "a square section has equal pairs, whose shapes are arbitrary until the beam bends.")};
  result.figures = {spectrum, families_figure("soft", "Lowest modes along the motion, E = 100 kPa", soft_families),
                    families_figure("stiff", "Lowest modes along the motion, E = 100 MPa", stiff_families)};
  return result;
}

}  // namespace limber
