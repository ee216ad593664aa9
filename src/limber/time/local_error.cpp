#include "limber/time/local_error.hpp"

#include <cmath>
#include <vector>

namespace limber {
namespace {

struct Sample {
  double t;
  const Vector* x;
};

/// k! times the divided difference over the first k + 1 samples: the k-th derivative.
Vector derivative(const std::vector<Sample>& samples, int k) {
  std::vector<Vector> column;
  for (int i = 0; i <= k; ++i) column.push_back(*samples[static_cast<std::size_t>(i)].x);
  double factorial = 1;
  for (int level = 1; level <= k; ++level) {
    factorial *= level;
    for (int i = 0; i + level <= k; ++i) {
      const auto at = static_cast<std::size_t>(i), end = static_cast<std::size_t>(i + level);
      column[at] = (column[at] - column[at + 1]) / (samples[at].t - samples[end].t);
    }
  }
  return factorial * column[0];
}

/// Samples from the newest to the oldest.
std::vector<Sample> samples_of(ErrorFormula::From from, const History& u, const State* stage, const State& u1) {
  std::vector<Sample> list;
  if (from == ErrorFormula::From::accelerations) {
    list.push_back({u1.t, &u1.a});
    for (std::size_t i = 0; i < u.size() && u[i].a.size() > 0; ++i) list.push_back({u[i].t, &u[i].a});
    return list;
  }
  list.push_back({u1.t, &u1.v});
  if (from == ErrorFormula::From::stage && stage) list.push_back({stage->t, &stage->v});
  for (std::size_t i = 0; i < u.size(); ++i) list.push_back({u[i].t, &u[i].v});
  return list;
}

}  // namespace

const char* to_string(ErrorEstimate estimate) {
  switch (estimate) {
    case ErrorEstimate::embedded:
      return "embedded";
    case ErrorEstimate::differences:
      return "differences";
    case ErrorEstimate::zienkiewicz_xie:
      return "Zienkiewicz-Xie";
    case ErrorEstimate::doubling:
      return "step doubling";
  }
  return "";
}

void LocalError::add(const LocalError& next) {
  const auto sum = [](Vector& x, const Vector& y) {
    if (x.size() == 0)
      x = y;
    else if (y.size() > 0)
      x += y;
  };
  sum(q, next.q);
  sum(v, next.v);
}

std::optional<LocalError> local_error(const ErrorFormula& formula, const History& u, const State* stage,
                                      const State& u1) {
  const auto samples = samples_of(formula.from, u, stage, u1);
  // Which difference of the samples is the (p+1)-th derivative of q.
  const int p = formula.order, k = formula.from == ErrorFormula::From::accelerations ? p - 1 : p;
  if (std::ssize(samples) < k + 1) return std::nullopt;
  const double h = u1.t - u[0].t, size = formula.constant * std::pow(h, p + 1);
  LocalError error{size * derivative(samples, k), {}};
  if (std::ssize(samples) > k + 1) error.v = size * derivative(samples, k + 1);
  if (formula.velocity_constant != 0) error.add({{}, formula.velocity_constant * h * h * derivative(samples, 1)});
  return error;
}

}  // namespace limber
