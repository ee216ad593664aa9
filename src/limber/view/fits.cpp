#include "limber/view/fits.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/model_variation.hpp"
#include "limber/scene/json.hpp"
#include "limber/view/messages.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

// What a page may ask for.
constexpr std::size_t most_columns = 100, most_varied = 50;
constexpr double most_derivatives = 4e6, most_positions = 1e7;  // numbers that are kept at once
constexpr int most_evaluations = 1000, most_starts = 100;
// What it is told of.
constexpr std::size_t most_told_columns = 12, most_told_times = 400, most_told_parameters = 200;
/// Progress is told at most so often.
constexpr auto least_pause = std::chrono::milliseconds(100);

std::string text_at(const Json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_string()) throw InputError(key, "is missing, or no text");
  return found->get<std::string>();
}

int count_at(const Json& message, const char* key, int standard, int most) {
  const auto found = message.find(key);
  if (found == message.end()) return standard;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() < 1 ||
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    throw InputError(key, fmt::format("is no whole number from 1 to {}", most));
  return found->get<int>();
}

std::vector<VariedParameter> varied_at(const Json& message) {
  const auto found = message.find("vary");
  if (found == message.end() || !found->is_object() || found->empty())
    throw InputError("vary", "is no object of key paths, each with its bounds [low, high]");
  if (found->size() > most_varied)
    throw InputError("vary", fmt::format("has {} paths; {} at most are fitted here", found->size(), most_varied));
  std::vector<VariedParameter> varied;
  for (const auto& [path, bounds] : found->items()) {
    if (!bounds.is_array() || bounds.size() != 2) throw InputError(path, "its bounds are no list of two, [low, high]");
    varied.push_back({path, {number_in_si(bounds[0], path)}, {number_in_si(bounds[1], path)}});
  }
  return varied;
}

/// Every so many of `count`, so that few enough are told.
Index told_stride(Index count) {
  const auto most = static_cast<Index>(most_told_times);
  return (count + most - 1) / most;
}

Json told_columns(const std::vector<ObservedColumn>& columns, const std::vector<double>& times, const Matrix& values) {
  Json list = Json::array();
  for (std::size_t c = 0; c < std::min(columns.size(), most_told_columns); ++c) {
    std::vector<Index> rows;
    for (Index k = 0; k < values.rows(); ++k)
      if (std::isfinite(values(k, static_cast<Index>(c)))) rows.push_back(k);
    Json t = Json::array(), x = Json::array();
    const auto stride = static_cast<std::size_t>(std::max<Index>(told_stride(std::ssize(rows)), 1));
    for (std::size_t i = 0; i < rows.size(); i += stride) {
      t.push_back(times[static_cast<std::size_t>(rows[i])]);
      x.push_back(values(rows[i], static_cast<Index>(c)));
    }
    list.push_back({{"name", columns[c].name()}, {"times", std::move(t)}, {"values", std::move(x)}});
  }
  return list;
}

/// Bounds for a search that begins at x, for people to change: null where nothing can be said.
Json suggested_bounds(const std::string& name, double x) {
  if (name.ends_with(".poisson")) return {0, .49};
  if (x == 0) return {nullptr, nullptr};
  return {std::min(x / 10, 10 * x), std::max(x / 10, 10 * x)};
}

Json told_parameters(const Pane& pane) {
  Json list = Json::array();
  const auto add = [&](const std::string& name, double value) {
    const Json bounds = suggested_bounds(name, value);
    if (list.size() < most_told_parameters)
      list.push_back({{"name", name}, {"value", value}, {"low", bounds[0]}, {"high", bounds[1]}});
  };
  for (const Parameter& p : pane.numbers())
    if (!p.is_list && !p.values.empty()) add(p.name, p.values[0]);
  const Json& scene = json_of(pane.document());
  if (const auto contact = scene.find("contact"); contact != scene.end() && contact->is_object())
    if (const auto friction = contact->find("friction"); friction != contact->end() && friction->is_number())
      add("contact.friction", friction->get<double>());
  return list;
}

Json told_values(const std::vector<VariedParameter>& varied, const ParameterLists& values) {
  Json told = Json::object();
  for (std::size_t p = 0; p < varied.size(); ++p)
    told[varied[p].name] = values[p].size() == 1 ? Json(values[p][0]) : Json(values[p]);
  return told;
}

}  // namespace

Observations PageFits::table_at(const Json& message, const Pane& pane, const FileAccess& access) const {
  if (message.contains("file") == message.contains("table"))
    throw InputError("table",
                     "one of 'table', the text of a CSV file, and 'file', its name beside the scene, is needed");
  Observations table = [&] {
    if (message.contains("table"))
      return observations_in(text_at(message, "table"), text_at(message, "name").substr(0, 200));
    const std::filesystem::path path = std::filesystem::path(options_.scene_folder) / text_at(message, "file");
    return read_observations(path.lexically_normal().string(), access);
  }();
  std::vector<std::string> probes;
  for (const Probe& probe : pane.model().probes) probes.push_back(probe.name);
  if (probes.empty())
    throw InputError("output.probes", "is empty: the columns of the observations are probes of the scene");
  table.require_probes(probes);
  if (table.columns.size() > most_columns)
    throw InputError(table.source, fmt::format("has {} columns of positions; {} at most are fitted here",
                                               table.columns.size(), most_columns));
  return table;
}

void PageFits::observe(unsigned long client, const Json& message, const Pane& pane, const FileAccess& access) {
  const Observations table = table_at(message, pane, access);
  board_.say(client, dumped({{"is", "observed"},
                             {"name", std::filesystem::path(table.source).filename().string()},
                             {"count", table.count()},
                             {"all_columns", table.columns.size()},
                             {"columns", told_columns(table.columns, table.times, table.values)},
                             {"parameters", told_parameters(pane)}}));
}

void PageFits::begin(unsigned long client, const Json& message, const Pane& pane, const FileAccess& access) {
  Observations table = table_at(message, pane, access);
  FitRequest request{{.scene = pane.document(), .base = "", .access = access}, std::move(table)};
  request.varied = varied_at(message);
  request.max_evaluations = count_at(message, "evaluations", 100, most_evaluations);
  request.starts = count_at(message, "starts", 1, most_starts);
  const double count = static_cast<double>(request.observations.count());
  if (count * static_cast<double>(request.varied.size()) > most_derivatives)
    throw InputError(request.observations.source,
                     fmt::format("{:.0f} observed numbers and {} varied ones are more than can be fitted here", count,
                                 request.varied.size()));
  const double steps = pane.scene().time.duration / pane.scene().time.step;
  if (!(steps * static_cast<double>(request.observations.columns.size()) < most_positions))
    throw InputError("time.duration", fmt::format("{:.3g} steps are more than can be fitted here", steps));
  *stop_ = true;
  const auto stop = std::make_shared<std::atomic<bool>>(false), ended = std::make_shared<std::atomic<bool>>(false);
  thread_.add({client, "fit", [this, client, request = std::move(request), stop, ended] {
                 const std::shared_ptr<void> at_the_end(nullptr, [ended](void*) { *ended = true; });
                 work(client, request, stop);
               }});
  client_ = client;
  stop_ = stop;
  ended_ = ended;
}

void PageFits::cancel(unsigned long client) {
  if (client == client_) *stop_ = true;
}

void PageFits::work(unsigned long client, FitRequest request, const Flag& stop) {
  using Clock = std::chrono::steady_clock;
  const double count = static_cast<double>(request.observations.count());
  const std::vector<ObservedColumn>& columns = request.observations.columns;
  SearchProgress best{0, std::numeric_limits<double>::infinity(), {}};
  Json motion;  // of the best, not yet told
  Clock::time_point told;
  request.improved = [&](const FittedMotion& m) { motion = told_columns(columns, m.times, m.values); };
  request.go_on = [&](const SearchProgress& p) {
    if (p.value < best.value) best = p;
    if (const auto now = Clock::now(); now - told >= least_pause) {
      told = now;
      Json message{{"is", "fitting"}, {"evaluation", p.evaluation}, {"evaluations", request.max_evaluations}};
      if (!best.values.empty()) {
        message["rms"] = std::sqrt(best.value / count);
        message["values"] = told_values(request.varied, best.values);
      }
      if (!motion.is_null()) message["motion"] = std::exchange(motion, nullptr);
      board_.say(client, dumped(message));
    }
    return !*stop;
  };
  const Interruptible interruptible([stop] { return !*stop; });
  Json message;
  try {
    const Fit found = fit(request);
    message = json_of(fit_report(found));
    message["motion"] = told_columns(columns, found.motion.times, found.motion.values);
  } catch (const Interrupted&) {
    if (thread_.ended()) throw;
    message = {{"values", Json::object()}, {"confidence", Json::object()}, {"evaluations", 0},
               {"rms", nullptr},           {"converged", false},           {"notes", Json::array()}};
  }
  message["is"] = "fitted";
  if (*stop) message["reason"] = "cancelled";
  board_.say(client, dumped(message));
}

}  // namespace limber
