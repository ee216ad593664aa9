#include <fmt/format.h>

#include <algorithm>

#include "limber/linalg/solvers/solver_catalog.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"
#include "limber/time/catalog.hpp"
#include "limber/time/other_names.hpp"

namespace limber {
namespace {

const Section<Refresh>& refresh_every_table() {
  static const Section<Refresh> table{"refresh_every", {{"every", &Refresh::every, form::whole(1), "steps", required}}};
  return table;
}

const Section<Refresh>& refresh_residual_table() {
  static const Section<Refresh> table{
      "refresh_residual",
      {{"residual", &Refresh::residual, form::positive(quantity::ratio),
        "relative residual of the modes above which they are computed anew", required}}};
  return table;
}

Refresh read_refresh(const JsonCursor& place) {
  Refresh r;
  if (place.is_text()) {
    r.rule = place.choice<Refresh::Rule>("refresh_word");
    return r;
  }
  const JsonSection s = place.one_of({"refresh_every", "refresh_residual"});
  r.rule = s.kind() == "refresh_every" ? Refresh::Rule::every : Refresh::Rule::residual;
  (s.kind() == "refresh_every" ? refresh_every_table() : refresh_residual_table()).read(s, r);
  return r;
}

/// A parameter that some methods have, as the first of them has it: its name stands for one thing.
struct OwnParameter {
  MethodParameter parameter;
  std::vector<std::string> methods;
};

const std::vector<OwnParameter>& own_parameters() {
  static const auto parameters = [] {
    std::vector<OwnParameter> all;
    for (const MethodInfo& method : method_catalog())
      for (const MethodParameter& p : method.parameters) {
        auto known = std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.parameter.name == p.name; });
        if (known == all.end()) known = all.insert(all.end(), {p, {}});
        known->methods.push_back("`" + method.name + "`");
      }
    return all;
  }();
  return parameters;
}

Key<MethodChoice> own_key(const OwnParameter& own) {
  const MethodParameter& p = own.parameter;
  const bool flag = p.takes == MethodParameter::Takes::flag;
  const Form what = flag ? form::flag() : form::number(quantity::ratio, ranges::closed(p.least, p.most));
  const auto read = [what, flag, name = p.name](const JsonCursor& c, MethodChoice& method) {
    method.parameters[name] = flag ? (c.boolean() ? 1 : 0) : c.number(what.quantity, what.range);
  };
  return {p.name, read, what, join(own.methods) + "{}: " + p.meaning,
          flag ? (p.standard != 0 ? "`true`" : "`false`") : fmt::format("`{}`", p.standard)};
}

std::string solver_text() {
  std::vector<std::string> solvers;
  for (const LinearSolverInfo& info : linear_solver_catalog())
    solvers.push_back("`\"" + info.name + "\"` (" + info.description +
                      (info.takes == Symmetry::symmetric ? "; symmetric matrices only)" : ")"));
  return "linear solver: " + join(solvers);
}

const Section<MethodChoice>& method_table() {
  static const Section<MethodChoice> table = [] {
    using M = MethodChoice;
    const Form words = form::other(R"({"type": "string"})");
    Rows<M> rows = {{"name", words,
                     "the method; case does not matter. `\"auto\"` [is decided](#method) before the first step",
                     "`\"TR-BDF2\"`"}};
    for (const OwnParameter& own : own_parameters()) rows.add(own_key(own));
    const Rows<M> others = {
        {"modes", &M::modes, form::whole(1),
         "hybrids (`…ERE`): how many of the lowest modes move exactly{} and at most the free degrees of freedom; a "
         "group "
         "of equal frequencies is never cut: more are then taken, and said",
         "10"},
        {"refresh", into(&M::refresh, read_refresh),
         form::word("refresh_word").or_also(reference("refresh_every")).or_also(reference("refresh_residual")),
         "hybrids: when the modes are computed anew, `\"auto\"`, `\"once\"`, `{\"every\": k}` or `{\"residual\": "
         "tolerance}`",
         "`\"auto\"`"},
        {"mode_search", &M::mode_search, form::word("mode_search"),
         "hybrids on several processes: modes of one large body are sought by all of them together (`\"together\"`), "
         "by each process for itself, which is quicker for a small one but takes more memory (`\"each\"`), or together "
         "from 100 000 unknowns on (`\"auto\"`)"},
        {"negative_modes", &M::negative_modes, form::word("negative_modes"),
         "hybrids: a mode with λ < 0 (a body that buckles) grows as the linearised motion does (`\"grow\"`), or moves "
         "as "
         "if λ were 0 (`\"clamp\"`)"},
        {"krylov_tolerance", &M::krylov_tolerance, form::number(quantity::ratio, ranges::closed(1e-14, 0.1)),
         "ERE: relative tolerance of φ₁", "`1e-07`"},
        {"newton_tolerance", &M::newton_tolerance, form::positive(quantity::ratio),
         "Newton stops when the largest position correction is at most this × the diagonal of the body's box"},
        {"max_iterations", &M::max_iterations, form::whole(1), "most iterations of the nonlinear solver in one stage",
         "the solver's own"},
        {"solver", words, solver_text() + ". Case does not matter", "`\"auto\"`"},
        {"petsc", &M::petsc, form::other(R"({"type": "string"})"),
         "options of PETSc itself for `\"petsc\"` and `\"mumps\"`, as on its command line, such as `\"-ksp_monitor "
         "-pc_gamg_threshold 0.02\"`",
         "none"},
        {"linear_tolerance", &M::linear_tolerance, form::positive(quantity::ratio),
         "relative residual of the linear solves of semi-implicit methods", "`1e-10`"},
        {"merit", &M::merit, form::word("merit"),
         "what the line search lowers: `\"potential\"`, `\"residual\"`, or `\"auto\"`: the potential where there is "
         "one"},
        {"residual_scaling", &M::residual_scaling, form::word("residual_scaling"),
         "B in the residual merit ½‖B r‖²: `\"mass\"` (M^(−1/2)), `\"identity\"`, `\"rows\"`, or `\"stage\"` (inverse "
         "stage "
         "matrix of the step's start)"},
        {"nonlinear", &M::nonlinear, form::word("nonlinear"),
         "`\"newton\"`, or `\"lbfgs\"`, which needs forces with a potential and lowers that, not the residual"}};
    rows.add(others);
    return Section<M>{"method", rows};
  }();
  return table;
}

void require_taken(const JsonCursor& place, const std::string& key, const std::string& method) {
  std::vector<std::string> taken;
  for (const MethodParameter& p : find_method(method).parameters) taken.push_back(p.name);
  if (std::find(taken.begin(), taken.end(), key) == taken.end())
    place.fail("the method " + method + " has no such parameter" + (taken.empty() ? "" : "; it takes " + join(taken)));
}

}  // namespace

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

namespace {

/// A scene's own method may be left to be decided.
std::string read_own_method(const JsonCursor& place, const Vocabulary& vocabulary) {
  if (same_name(place.text(), MethodChoice::to_be_decided)) return MethodChoice::to_be_decided;
  return read_method_name(place, vocabulary);
}

}  // namespace

MethodChoice read_method(const JsonCursor& place, const Vocabulary& vocabulary) {
  MethodChoice method;
  if (place.is_text()) {
    method.name = read_own_method(place, vocabulary);
    return method;
  }
  if (!place.is_object()) place.fail_type("a method's name or an object with its name and parameters");
  const JsonSection s = place.section("method");
  if (const auto c = s.find("name")) method.name = read_own_method(*c, vocabulary);
  const bool decided = method.name != MethodChoice::to_be_decided;
  const auto refuse_undecided = [&](const JsonCursor& c) {
    if (!decided) c.fail("is for some methods only, and \"auto\" may take another one; name the method");
  };
  for (const OwnParameter& own : own_parameters())
    if (const auto c = s.find(own.parameter.name.c_str())) {
      refuse_undecided(*c);
      require_taken(*c, own.parameter.name, method.name);
    }
  for (const char* key : {"modes", "refresh", "mode_search", "negative_modes"})
    if (const auto c = s.find(key)) {
      refuse_undecided(*c);
      if (const auto why = vocabulary.without_modes.find(method.name); why != vocabulary.without_modes.end())
        c->fail(why->second);
    }
  method_table().read(s, method);
  if (const auto c = s.find("solver")) method.solver = vocabulary.solvers[c->name(vocabulary.solvers, "solver")];
  return method;
}

std::vector<SectionTable> method_sections() {
  return {method_table(), refresh_every_table(), refresh_residual_table()};
}

}  // namespace limber
