#pragma once
/// The one list of methods: method = scheme × stage solver. Names, parameters, tests, the command line, Python and the
/// methods page come from it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "limber/time/dynamics.hpp"

namespace limber {

enum class MethodKind { implicit, semi_implicit, explicit_ };
std::string to_string(MethodKind);

struct MethodParameter {
  std::string name;
  double standard, least, most;  // default and allowed range (closed)
  std::string meaning;
};

using MethodParameters = std::map<std::string, double>;

struct MethodInfo {
  std::string name;
  int order;
  MethodKind kind;
  int stages;  // implicit solves a step (explicit: force evaluations)
  std::string stability;
  std::string good_for;
  std::vector<MethodParameter> parameters;
  std::function<std::unique_ptr<TimeIntegrator>(const MethodParameters&)> make;
};

const std::vector<MethodInfo>& method_catalog();
std::vector<std::string> method_names();
/// Case-insensitive. Throws InputError("method.name", …) listing the methods.
const MethodInfo& find_method(const std::string& name);
/// Defaults filled in. Throws InputError("method.<name>", …) for unknown or out-of-range parameters.
MethodParameters complete_parameters(const MethodInfo&, const MethodParameters& given);

/// The stage solver that goes with a kind.
std::unique_ptr<StageSolver> make_stage_solver(MethodKind, const System&, const StageOptions&);

}  // namespace limber
