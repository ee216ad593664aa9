#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/scene/advice/advise.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/scene/units.hpp"

namespace limber {
namespace {

using Kind = Wish::Kind;
using Json = nlohmann::json;

std::string length_text(double x) {
  if (x >= 1) return fmt::format("{:.3g} m", x);
  if (x >= .01) return fmt::format("{:.3g} cm", 100 * x);
  return x >= 1e-4 ? fmt::format("{:.3g} mm", 1e3 * x) : fmt::format("{:.3g} um", 1e6 * x);
}

std::string time_text(double t) {
  if (t >= 1) return fmt::format("{:.3g} s", t);
  return t >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * t) : fmt::format("{:.3g} us", 1e6 * t);
}

std::string lost_text(double share) {
  constexpr double little = 1e-4;
  return share < little ? "< 0.01 %" : fmt::format("{:.2g} %", 100 * share);
}

std::string wish_text(const Wish& wish, double duration) {
  switch (wish.kind) {
    case Kind::accuracy:
      return fmt::format("Within {} of the true motion, for {}", length_text(wish.amount), time_text(duration));
    case Kind::keep_energy:
      return fmt::format("At least {:.3g} % of the energy kept, for {}", 100 * wish.amount, time_text(duration));
    case Kind::time:
      return fmt::format("The least error of {} of motion in {} of the processor", time_text(duration),
                         time_text(wish.amount));
    case Kind::real_time:
      return fmt::format("The least error of {} of motion in real time", time_text(duration));
  }
  return "";
}

const char* word(Kind kind) {
  switch (kind) {
    case Kind::accuracy:
      return "accuracy";
    case Kind::keep_energy:
      return "keep_energy";
    case Kind::time:
      return "time";
    case Kind::real_time:
      return "real_time";
  }
  return "";
}

/// A number that reads well: three digits.
double rounded(double x) { return x > 0 ? std::stod(fmt::format("{:.3g}", x)) : x; }

Json step_of(const Suggestion& s, const Json& before) {
  if (!s.accuracy) return rounded(s.step);
  Json step = before.is_object() ? before : Json::object();
  step["accuracy"] = rounded(*s.accuracy);
  return step;
}

}  // namespace

Wish wish_from(const std::string& kind, const std::string& amount) {
  if (kind == word(Kind::accuracy)) return {Kind::accuracy, parse_quantity(amount, quantity::length, kind)};
  if (kind == word(Kind::keep_energy)) return {Kind::keep_energy, parse_quantity(amount, quantity::ratio, kind)};
  if (kind == word(Kind::time)) return {Kind::time, parse_quantity(amount, quantity::time, kind)};
  if (kind == word(Kind::real_time)) return {Kind::real_time, 0};
  throw InputError("wish", "'" + kind + "' is none of accuracy, keep_energy, time, real_time");
}

Document with_suggestion(const Document& scene, const Suggestion& suggestion) {
  Json json = json_of(with_method(scene, suggestion.method));
  Json& method = json["method"];
  if (method.is_object() && method.size() == 1) method = suggestion.method;
  Json& step = json["time"]["step"];
  step = step_of(suggestion, step);
  return document_of(std::move(json));
}

std::string lines_to_paste(const Suggestion& suggestion, double duration) {
  return fmt::format("\"method\": \"{}\",\n\"time\": {{\"step\": {}, \"duration\": {}}}", suggestion.method,
                     step_of(suggestion, Json()).dump(), Json(duration).dump());
}

std::string describe(const Advice& advice) {
  std::string text = wish_text(advice.wish, advice.duration) + ":\n\n";
  text += fmt::format("  {:<13} {:<24} {:>9} {:>12} {:>9}  {}\n", "method", "step", "error", "energy lost", "seconds",
                      "why");
  for (const Suggestion& s : advice.suggestions) {
    const std::string step = s.accuracy ? fmt::format("adaptive, about {}", time_text(s.step))
                                        : fmt::format("constant, {}", time_text(s.step));
    text += fmt::format("{} {:<13} {:<24} {:>9} {:>12} {:>9.3g}  {}\n", s.meets ? ' ' : '!', s.method, step,
                        length_text(s.error), lost_text(s.energy_lost), s.seconds, s.reason);
  }
  if (std::any_of(advice.suggestions.begin(), advice.suggestions.end(), [](const auto& s) { return !s.meets; }))
    text += "\n! does not do what was asked for\n";
  if (!advice.dropped.empty()) {
    text += "\nNot taken:\n";
    for (const Dropped& d : advice.dropped) text += fmt::format("  {:<13} {}\n", d.method, d.reason);
  }
  for (const std::string& note : advice.notes) text += "\nnote: " + note + "\n";
  if (advice.suggestions.empty()) return text;
  text += "\nTo paste into the scene, or to be written there with --apply:\n\n";
  const std::string lines = lines_to_paste(advice.suggestions[0], advice.duration);
  const auto second = lines.find('\n') + 1;
  return text + "  " + lines.substr(0, second) + "  " + lines.substr(second) + "\n";
}

Document to_json(const Advice& advice) {
  Json rows = Json::array(), dropped = Json::array();
  for (const Suggestion& s : advice.suggestions)
    rows.push_back({{"method", s.method},
                    {"step", s.step},
                    {"accuracy", s.accuracy ? Json(*s.accuracy) : Json()},
                    {"error", s.error},
                    {"energy_lost", s.energy_lost},
                    {"steps", s.steps},
                    {"seconds", s.seconds},
                    {"work", s.counted},
                    {"meets", s.meets},
                    {"reason", s.reason},
                    {"scene", {{"method", s.method}, {"time", {{"step", step_of(s, Json())}}}}}});
  for (const Dropped& d : advice.dropped) dropped.push_back({{"method", d.method}, {"reason", d.reason}});
  return document_of({{"wish", {{"kind", word(advice.wish.kind)}, {"amount", advice.wish.amount}}},
                      {"duration", advice.duration},
                      {"suggestions", rows},
                      {"dropped", dropped},
                      {"notes", advice.notes},
                      {"seconds", advice.pilots}});
}

}  // namespace limber
