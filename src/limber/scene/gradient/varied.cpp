#include "limber/scene/gradient/varied.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/scene/gradient/element_variation.hpp"
#include "limber/scene/gradient/model_variation.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

double bound_of(const std::vector<double>& bounds, const RunParameter& parameter, std::size_t component) {
  const std::size_t size = parameter.values.size();
  if (bounds.size() != 1 && bounds.size() != size)
    throw InputError(parameter.name, fmt::format("has {} components, but {} bounds; give one for all or one for each",
                                                 size, bounds.size()));
  return bounds[bounds.size() == 1 ? 0 : component];
}

double value_within(const FitVariable& v, double value, std::vector<std::string>& notes) {
  if (value >= v.low && value <= v.high) return value;
  const double middle = v.logarithmic ? std::sqrt(v.low * v.high) : .5 * (v.low + v.high);
  notes.push_back(fmt::format("{}: the scene's {:.6g} lies outside {:.6g}..{:.6g}; the search starts at {:.6g}", v.name,
                              value, v.low, v.high, middle));
  return middle;
}

}  // namespace

bool beyond_document(const RunParameter& parameter) {
  return parameter.name == initial_positions || parameter.name == initial_velocities ||
         body_of_elements(parameter.name);
}

VariedParameter read_varied(const std::string& text) {
  const auto equals = text.find('='), dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos)
    throw InputError("--vary", "'" + text + "' is not KEY=LOW..HIGH, such as bodies[0].material.young=1e4..1e7");
  const std::string name = text.substr(0, equals);
  const auto number = [&](std::string word) {
    const auto json = parse_or_discard(word);
    return number_in_si(json.is_number() ? json : nlohmann::json(std::move(word)), "--vary " + name);
  };
  return {name, {number(text.substr(equals + 1, dots - equals - 1))}, {number(text.substr(dots + 2))}};
}

std::vector<std::string> names_of(const std::vector<VariedParameter>& varied) {
  std::vector<std::string> names;
  for (const VariedParameter& v : varied) names.push_back(v.name);
  if (names.empty()) throw InputError("vary", "is empty");
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) throw InputError("vary", name + " stands twice");
  return names;
}

VariedRun::VariedRun(const std::vector<VariedParameter>& varied, std::vector<RunParameter> parameters)
    : parameters_(std::move(parameters)) {
  for (std::size_t p = 0; p < varied.size(); ++p) add(varied[p], parameters_[p]);
}

void VariedRun::add(const VariedParameter& varied, const RunParameter& parameter) {
  for (std::size_t c = 0; c < parameter.values.size(); ++c) {
    const double low = bound_of(varied.low, parameter, c), high = bound_of(varied.high, parameter, c);
    const std::string name = parameter.is_list ? fmt::format("{}[{}]", varied.name, c) : varied.name;
    if (!(std::isfinite(low) && std::isfinite(high) && low < high))
      throw InputError(name, fmt::format("the range {:g} to {:g} is not one from low to high", low, high));
    variables_.push_back({name, low, high, low > 0});
  }
}

std::vector<RunParameter> VariedRun::with(const ParameterLists& values) const {
  std::vector<RunParameter> found = parameters_;
  for (std::size_t p = 0; p < found.size(); ++p) found[p].values = values[p];
  return found;
}

Vector VariedRun::start(const ParameterLists& given, std::vector<std::string>& notes) const {
  Vector x(std::ssize(variables_));
  Index i = 0;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const RunParameter& parameter = parameters_[p];
    const std::vector<double>& values = given.empty() ? parameter.values : given[p];
    if (values.size() != parameter.values.size())
      throw InputError(parameter.name, fmt::format("has {} components, but {} values to start from",
                                                   parameter.values.size(), values.size()));
    for (const double value : values) {
      x[i] = value_within(variables_[static_cast<std::size_t>(i)], value, notes);
      ++i;
    }
  }
  return x;
}

ParameterLists VariedRun::lists(const Vector& x) const {
  ParameterLists all;
  Index first = 0;
  for (const RunParameter& p : parameters_) {
    const auto size = static_cast<Index>(p.values.size());
    all.emplace_back(x.begin() + first, x.begin() + first + size);
    first += size;
  }
  return all;
}

Vector VariedRun::flat(const ParameterLists& lists) const {
  Vector x(std::ssize(variables_));
  Index i = 0;
  for (const auto& list : lists)
    for (const double value : list) x[i++] = value;
  return x;
}

Document VariedRun::scene(Document document, const ParameterLists& values) const {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const RunParameter& parameter = parameters_[p];
    if (beyond_document(parameter)) continue;
    const nlohmann::json json = parameter.is_list ? nlohmann::json(values[p]) : nlohmann::json(values[p][0]);
    document.set(parameter.name + "=" + json.dump());
  }
  return document;
}

OtherValues VariedRun::other(const ParameterLists& values) const {
  OtherValues all;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const Vector list = Eigen::Map<const Vector>(values[p].data(), std::ssize(values[p]));
    if (parameters_[p].name == initial_positions)
      all.positions = list;
    else if (parameters_[p].name == initial_velocities)
      all.velocities = list;
    else if (const auto body = body_of_elements(parameters_[p].name))
      all.element_moduli[*body] = values[p];
  }
  return all;
}

void VariedRun::require_bounds(const Document& document, const std::string& base, const FileAccess& access) const {
  std::size_t first = 0;
  for (const RunParameter& p : parameters_) {
    const std::size_t size = p.values.size();
    for (double FitVariable::*bound : {&FitVariable::low, &FitVariable::high}) {
      if (beyond_document(p)) continue;
      ParameterLists values;
      for (const RunParameter& other : parameters_) values.push_back(other.values);
      auto& own = values[static_cast<std::size_t>(&p - parameters_.data())];
      for (std::size_t c = 0; c < size; ++c) own[c] = variables_[first + c].*bound;
      read_scene(scene(document, values), vocabulary(), base, access);
    }
    first += size;
  }
}

}  // namespace limber
