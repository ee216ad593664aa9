#include "limber/gradient/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

template <class Map>
Vector mapped(const std::vector<FitVariable>& variables, Vector x, const Map& map) {
  for (Index i = 0; i < x.size(); ++i) x[i] = map(variables[static_cast<std::size_t>(i)], x[i]);
  return x;
}

double unbounded(const FitVariable& v, double u) { return v.logarithmic ? std::exp(u) : v.low + u * (v.high - v.low); }

}  // namespace

Vector Scaling::scaled(const Vector& x) const {
  return mapped(variables_, x, [](const FitVariable& v, double x) {
    return v.logarithmic ? std::log(x) : (x - v.low) / (v.high - v.low);
  });
}

Vector Scaling::values(const Vector& u) const {
  const Vector least = low(), most = high();
  Vector x = values_anywhere(u);
  for (Index i = 0; i < x.size(); ++i) {
    const FitVariable& v = variables_[static_cast<std::size_t>(i)];
    x[i] = u[i] <= least[i] ? v.low : u[i] >= most[i] ? v.high : std::clamp(x[i], v.low, v.high);
  }
  return x;
}

Vector Scaling::values_anywhere(const Vector& u) const { return mapped(variables_, u, unbounded); }

Vector Scaling::slope(const Vector& x) const {
  return mapped(variables_, x, [](const FitVariable& v, double x) { return v.logarithmic ? x : v.high - v.low; });
}

Vector Scaling::units() const {
  return mapped(variables_, low(), [](const FitVariable& v, double) { return v.logarithmic ? 1 : v.high - v.low; });
}

Vector Scaling::longest_change() const {
  return mapped(variables_, low(),
                [](const FitVariable& v, double) { return v.logarithmic ? std::numbers::ln10 : .5; });
}

std::string Scaling::text(const Vector& x) const {
  constexpr Index most = 8;
  std::vector<std::string> words;
  for (Index i = 0; i < std::min(most, x.size()); ++i) words.push_back(fmt::format("{} = {:.6g}", name(i), x[i]));
  return join(words) + (x.size() > most ? fmt::format(" and {} more", x.size() - most) : "");
}

Vector Scaling::bound(double FitVariable::*which) const {
  Vector x(static_cast<Index>(variables_.size()));
  for (std::size_t i = 0; i < variables_.size(); ++i) x[static_cast<Index>(i)] = variables_[i].*which;
  return x;
}

void check_ranges(const std::vector<FitVariable>& variables, const Vector& start) {
  if (variables.empty()) throw InputError("fit", "there is nothing to vary");
  if (start.size() != std::ssize(variables))
    throw InputError("fit", fmt::format("{} variables, but {} values to start from", variables.size(), start.size()));
  for (Index i = 0; i < start.size(); ++i) {
    const FitVariable& v = variables[static_cast<std::size_t>(i)];
    if (!(std::isfinite(v.low) && std::isfinite(v.high) && v.low < v.high))
      throw InputError(v.name, fmt::format("the range {:g} to {:g} is not one from low to high", v.low, v.high));
    if (v.logarithmic && !(v.low > 0))
      throw InputError(v.name, fmt::format("a logarithmic range starts above zero, not at {:g}", v.low));
    if (!(v.low <= start[i] && start[i] <= v.high))
      throw InputError(v.name, fmt::format("the start {:g} is outside [{:g}, {:g}]", start[i], v.low, v.high));
  }
}

Vector halton(int index, Index n) {
  Vector point(n);
  int base = 1;
  const auto is_prime = [](int p) {
    for (int d = 2; d * d <= p; ++d)
      if (p % d == 0) return false;
    return true;
  };
  for (Index i = 0; i < n; ++i) {
    do ++base;
    while (!is_prime(base));
    double part = 1, sum = 0;
    for (int rest = index; rest > 0; rest /= base) sum += (part /= base) * (rest % base);
    point[i] = sum;
  }
  return point;
}

void note_bounds(const Vector& u, const Scaling& scaling, std::vector<std::string>& notes) {
  const Vector low = scaling.low(), high = scaling.high(), x = scaling.values(u);
  for (Index i = 0; i < x.size(); ++i)
    if (u[i] <= low[i] || u[i] >= high[i])
      notes.push_back(fmt::format("{} ended at its {} bound, {:.6g}: the best value may lie beyond", scaling.name(i),
                                  u[i] <= low[i] ? "lower" : "upper", x[i]));
}

StepFailure explained(const Failed& failed, const std::string& values) {
  StepFailure failure(fmt::format("with {}: {}", values, failed.reason), failed.iterations, failed.residual);
  failure.t = failed.t;
  failure.h = failed.h;
  failure.advice = failed.advice;
  return failure;
}

double Trials::make(const Vector& x, const std::function<double()>& f) {
  double value = no_value;
  failure_ = failure_of([&] { value = f(); });
  ++count_;
  if (failure_) {
    ++failures_;
    last_failure_ = fmt::format("at last with {}: {}", scaling_.text(x), failure_->reason);
  }
  if (count_ >= most_) stopped_ = fmt::format("all {} evaluations are used up", count_);
  if (watch_ && !watch_(count_, value, x)) stopped_ = "it was stopped";
  return value;
}

std::string Trials::note() const {
  if (failures_ == 0) return "";
  return fmt::format("the run failed in {} of {} evaluations, {}", failures_, count_, last_failure_);
}

}  // namespace limber
