#include <algorithm>
#include <limits>

#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"
#include "limber/time/catalog.hpp"
#include "limber/time/other_names.hpp"

namespace limber {
namespace {

std::string read_method_name(const JsonCursor& place, const Vocabulary& vocabulary) {
  std::string name = place.text();
  const auto same = [&](const std::string& known) { return same_name(known, name); };
  const auto& known = vocabulary.methods;
  if (const auto found = std::find_if(known.begin(), known.end(), same); found != known.end()) return *found;
  for (const auto& [method, why] : vocabulary.without_modes)
    if (same_name(method + "ERE", name) || same_name(method + "-ERE", name)) place.fail(why);
  const std::string called = method_called(name);
  if (std::find(known.begin(), known.end(), called) != known.end())
    place.fail("unknown method '" + name + "'; did you mean '" + called + "'? known are " + join(known));
  place.word(known, "method");
  return name;
}

Refresh read_refresh(const JsonCursor& place) {
  Refresh r;
  if (place.is_text()) {
    r.rule = place.choice<Refresh::Rule>("refresh_word");
    return r;
  }
  const JsonSection s = place.one_of({"refresh_every", "refresh_residual"});
  if (s.kind() == "refresh_every") {
    r.rule = Refresh::Rule::every;
    r.every = s.at("every").integer(1);
  } else {
    r.residual = s.at("residual").positive(quantity::ratio);
  }
  return r;
}

/// A method's own parameter, and the range in which it has a meaning.
struct OwnParameter {
  const char* key;
  double low, high;
};
constexpr double unbounded = std::numeric_limits<double>::max();
constexpr OwnParameter own_parameters[] = {
    {"beta", 0, unbounded}, {"gamma", 0, unbounded}, {"rho_inf", 0, 1}, {"alpha", -1.0 / 3, 0}, {"theta", 0, 1}};

void require_taken(const JsonCursor& place, const std::string& key, const std::string& method,
                   const Vocabulary& words) {
  const auto found = words.method_parameters.find(method);
  const auto taken = found == words.method_parameters.end() ? std::vector<std::string>{} : found->second;
  if (std::find(taken.begin(), taken.end(), key) == taken.end())
    place.fail("the method " + method + " has no such parameter" + (taken.empty() ? "" : "; it takes " + join(taken)));
}

void read_parameters(const JsonSection& s, MethodChoice& method, const Vocabulary& vocabulary) {
  auto& values = method.parameters;
  for (const auto& [key, low, high] : own_parameters)
    if (const auto c = s.find(key)) {
      require_taken(*c, key, method.name, vocabulary);
      values[key] = high == unbounded ? c->non_negative(quantity::ratio) : c->between(quantity::ratio, low, high);
    }
  if (const auto c = s.find("gamma")) c->positive(quantity::ratio);
  if (const auto c = s.find("freeze")) {
    require_taken(*c, "freeze", method.name, vocabulary);
    values["freeze"] = c->boolean() ? 1 : 0;
  }
}

void read_modes(const JsonSection& s, MethodChoice& method, const Vocabulary& vocabulary) {
  for (const char* key : {"modes", "refresh", "negative_modes"})
    if (const auto c = s.find(key))
      if (const auto why = vocabulary.without_modes.find(method.name); why != vocabulary.without_modes.end())
        c->fail(why->second);
  if (const auto c = s.find("modes")) method.modes = c->integer(1);
  if (const auto c = s.find("refresh")) method.refresh = read_refresh(*c);
  if (const auto c = s.find("negative_modes")) method.negative_modes = c->word("negative_modes");
  if (const auto c = s.find("krylov_tolerance")) method.krylov_tolerance = c->between(quantity::ratio, 1e-14, 0.1);
}

}  // namespace

MethodChoice read_method(const JsonCursor& place, const Vocabulary& vocabulary) {
  MethodChoice method;
  if (place.is_text()) {
    method.name = read_method_name(place, vocabulary);
    return method;
  }
  if (!place.is_object()) place.fail_type("a method's name or an object with its name and parameters");
  const JsonSection s = place.section("method");
  if (const auto c = s.find("name")) method.name = read_method_name(*c, vocabulary);
  read_parameters(s, method, vocabulary);
  read_modes(s, method, vocabulary);
  if (const auto c = s.find("newton_tolerance")) method.newton_tolerance = c->positive(quantity::ratio);
  if (const auto c = s.find("max_iterations")) method.max_iterations = c->integer(1);
  if (const auto c = s.find("solver")) method.solver = vocabulary.solvers[c->word(vocabulary.solvers, "solver")];
  if (const auto c = s.find("linear_tolerance")) method.linear_tolerance = c->positive(quantity::ratio);
  if (const auto c = s.find("merit")) method.merit = c->word("merit");
  if (const auto c = s.find("residual_scaling")) method.residual_scaling = c->word("residual_scaling");
  if (const auto c = s.find("nonlinear")) method.nonlinear = c->word("nonlinear");
  return method;
}

}  // namespace limber
