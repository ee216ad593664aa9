#pragma once
/// Numbers and lists of a run that a search varies between bounds. Its variables are their components, one after the
/// other.

#include <string>
#include <vector>

#include "limber/gradient/fit_variable.hpp"
#include "limber/scene/gradient/run_parameters.hpp"

namespace limber {

/// A number or list of a run (RunParameter) and its bounds: one for all components, or one for each. Ranges above 0 are
/// searched by logarithm.
struct VariedParameter {
  std::string name;
  std::vector<double> low, high;
};

/// "bodies[0].material.young=1e4..1e7", where numbers may have units. Throws InputError("--vary", …).
VariedParameter read_varied(const std::string& text);

/// Their names. Throws InputError where there are none, or one stands twice.
std::vector<std::string> names_of(const std::vector<VariedParameter>& varied);

/// One evaluation of a search. Values are those of the varied parameters, in their order.
struct SearchProgress {
  int evaluation = 0;  // from 1
  double value = 0;    // of what is least in the end; infinite where the run failed
  ParameterLists values;
};

class VariedRun {
 public:
  /// `parameters`: those of a run, in the order of `varied`. Throws InputError where their bounds make no sense.
  VariedRun(const std::vector<VariedParameter>& varied, std::vector<RunParameter> parameters);

  const std::vector<RunParameter>& parameters() const { return parameters_; }
  const std::vector<FitVariable>& variables() const { return variables_; }
  /// The parameters with other values.
  std::vector<RunParameter> with(const ParameterLists& values) const;

  /// Where a search begins: at `given`, or at the values of the run where that is empty; in the middle of a range that
  /// does not hold them, which is noted. Throws InputError where `given` has other components than the run.
  Vector start(const ParameterLists& given, std::vector<std::string>& notes) const;
  /// Variables as lists like the values of the parameters, and back.
  ParameterLists lists(const Vector& x) const;
  Vector flat(const ParameterLists& lists) const;

  /// The scene with these values, and what has no keys in it.
  Document scene(Document document, const ParameterLists& values) const;
  OtherValues other(const ParameterLists& values) const;
  /// Throws InputError where the scene does not take a bound.
  void require_bounds(const Document& document, const std::string& base, const FileAccess& access) const;

 private:
  void add(const VariedParameter& varied, const RunParameter& parameter);

  std::vector<RunParameter> parameters_;
  std::vector<FitVariable> variables_;
};

/// Whether a document has no key for it: states at the start, moduli of elements.
bool beyond_document(const RunParameter& parameter);

}  // namespace limber
