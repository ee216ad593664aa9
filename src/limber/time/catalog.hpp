#pragma once
/// The single list of methods: method = scheme × stage solver × splitting. Names, parameters, tests, the command line,
/// Python and the methods page are derived from it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "limber/core/names.hpp"
#include "limber/time/dynamics.hpp"
#include "limber/time/modal/split_dynamics.hpp"

namespace limber {

/// As shown to users; hybrids are all methods that split off modes.
enum class MethodKind { implicit, semi_implicit, explicit_, exponential, hybrid };
std::string to_string(MethodKind);

struct MethodParameter {
  std::string name;
  double standard, least, most;  // default and allowed range (closed)
  std::string meaning;
  enum class Takes { number, flag } takes = Takes::number;  // flag: true or false in scenes, 1 or 0 here
};

using MethodParameters = std::map<std::string, double>;

struct MethodInfo {
  std::string name;
  int order;
  MethodKind kind;
  int stages;  // implicit solves per step (explicit: force evaluations)
  std::string stability;
  std::string good_for;
  std::vector<MethodParameter> parameters;
  std::function<std::unique_ptr<TimeIntegrator>(const MethodParameters&)> make;
  StageSolution solution = StageSolution::newton;
  Splitting splitting = Splitting::none;
  SchemeMemory memory = {};                          // of the scheme; set by the catalog
  ErrorEstimate estimate = ErrorEstimate::doubling;  // likewise
  bool linear = true;                                // the scheme, see TimeIntegrator; set by the catalog
};

const std::vector<MethodInfo>& method_catalog();
std::vector<std::string> method_names();
/// Explains why a scheme with its own acceleration cannot split off modes.
extern const char* const newmark_splits_no_modes;
/// Case-insensitive. Throws InputError("method.name", …) listing the methods.
const MethodInfo& find_method(const std::string& name);
/// Fills in defaults. Throws InputError("method.<name>", …) for unknown or out-of-range parameters.
MethodParameters complete_parameters(const MethodInfo&, const MethodParameters& given);

std::unique_ptr<StageSolver> make_stage_solver(StageSolution, System&, const StageOptions&);

}  // namespace limber
