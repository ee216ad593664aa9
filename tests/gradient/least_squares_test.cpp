#include "limber/gradient/least_squares.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "limber/core/errors.hpp"

namespace limber::test {
namespace {

/// Model values at the points t, and their derivatives by x (one row per point).
using Model = std::function<double(double t, const Vector& x, Vector& slope)>;

LeastSquaresFunction residual_of(const Model& model, const std::vector<double>& t, const std::vector<double>& y) {
  return [=](const Vector& x) {
    LeastSquaresValue value{Vector(std::ssize(t)), Matrix(std::ssize(t), x.size())};
    Vector slope(x.size());
    for (std::size_t k = 0; k < t.size(); ++k) {
      value.residual[static_cast<Index>(k)] = model(t[k], x, slope) - y[k];
      value.jacobian.row(static_cast<Index>(k)) = slope;
    }
    return value;
  };
}

std::vector<double> grid(int points, double from, double to) {
  std::vector<double> t;
  for (int k = 0; k < points; ++k) t.push_back(from + (to - from) * k / (points - 1));
  return t;
}

std::vector<double> sampled(const Model& model, const std::vector<double>& t, const Vector& x) {
  std::vector<double> y;
  Vector slope(x.size());
  for (const double s : t) y.push_back(model(s, x, slope));
  return y;
}

const Model decay = [](double t, const Vector& x, Vector& slope) {
  const double e = std::exp(-x[1] * t);
  slope << e, -t * x[0] * e;
  return x[0] * e;
};

const Model line = [](double t, const Vector& x, Vector& slope) {
  slope << 1, t;
  return x[0] + x[1] * t;
};

const Model saturation = [](double t, const Vector& x, Vector& slope) {
  const double e = std::exp(-x[1] * t);
  slope << 1 - e, x[0] * t * e;
  return x[0] * (1 - e);
};

/// Only x₀ x₁ counts.
const Model product = [](double t, const Vector& x, Vector& slope) {
  slope << x[1] * t, x[0] * t;
  return x[0] * x[1] * t;
};

/// Rosenbrock's valley; NaN or a failure where `fails` says so.
LeastSquaresFunction valley(const std::function<void(const Vector&)>& fails = [](const Vector&) {}) {
  return [=](const Vector& x) {
    fails(x);
    LeastSquaresValue value{Vector(2), Matrix(2, 2)};
    value.residual << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
    value.jacobian << -20 * x[0], 10, -1, 0;
    return value;
  };
}

const std::vector<FitVariable> square = {{"a", -3, 3}, {"b", -3, 3}};

bool mentions(const std::vector<std::string>& notes, const std::string& text) {
  for (const std::string& note : notes)
    if (note.find(text) != std::string::npos) return true;
  return false;
}

TEST(LeastSquares, FollowsTheValleyToItsEnd) {
  const LeastSquaresResult fit = least_squares(valley(), square, Eigen::Vector2d{-1.2, 1});
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-9);
  EXPECT_LT(fit.sum_of_squares, 1e-18);
  EXPECT_LT(fit.evaluations, 40);
}

TEST(LeastSquares, RecoversADecayFromTenTimesOff) {
  const std::vector<double> t = grid(20, 0, 2);
  const Vector truth = Eigen::Vector2d{3, 1.5};
  const auto residual = residual_of(decay, t, sampled(decay, t, truth));
  const std::vector<FitVariable> variables = {{"height", 1e-3, 1e3, true}, {"rate", 1e-3, 1e3, true}};
  for (const double off : {.1, 10.}) {
    const LeastSquaresResult fit = least_squares(residual, variables, off * truth);
    EXPECT_TRUE(fit.converged) << fit.reason;
    EXPECT_LT((fit.x - truth).norm(), 1e-8) << "from " << off;
    EXPECT_TRUE(fit.notes.empty()) << fit.notes[0];
  }
}

/// Problems of NIST's Statistical Reference Datasets, with certified values and standard deviations.
struct Reference {
  const char* name;
  Model model;
  std::vector<double> t, y;
  std::vector<Vector> from;
  Vector values, deviations;
  double sum_of_squares;
  int starts = 1;  // further ones where the first leads elsewhere: BoxBOD's second value runs away to infinity
};

std::vector<Reference> references() {
  const Model rational = [](double t, const Vector& x, Vector& slope) {
    const double above = t * t + t * x[1], below = t * t + t * x[2] + x[3], y = x[0] * above / below;
    slope << above / below, x[0] * t / below, -y * t / below, -y / below;
    return y;
  };
  return {{"Misra1a",
           saturation,
           {77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760},
           {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78},
           {Eigen::Vector2d{500, 1e-4}, Eigen::Vector2d{250, 5e-4}},
           Eigen::Vector2d{2.3894212918e+02, 5.5015643181e-04},
           Eigen::Vector2d{2.7070075241e+00, 7.2668688436e-06},
           1.2455138894e-01},
          {"BoxBOD",
           saturation,
           {1, 2, 3, 5, 7, 10},
           {109, 149, 149, 191, 213, 224},
           {Eigen::Vector2d{1, 1}, Eigen::Vector2d{100, .75}},
           Eigen::Vector2d{2.1380940889e+02, 5.4723748542e-01},
           Eigen::Vector2d{1.2354515176e+01, 1.0455993237e-01},
           1.1680088766e+03,
           4},
          {"MGH09",
           rational,
           {4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625},
           {.1957, .1947, .1735, .16, .0844, .0627, .0456, .0342, .0323, .0235, .0246},
           {Eigen::Vector4d{25, 39, 41.5, 39}, Eigen::Vector4d{.25, .39, .415, .39}},
           Eigen::Vector4d{1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01},
           Eigen::Vector4d{1.1435312227e-02, 1.9633220911e-01, 8.0842031232e-02, 9.0025542308e-02},
           3.0750560385e-04}};
}

TEST(LeastSquares, AgreesWithCertifiedFits) {
  for (const Reference& r : references()) {
    std::vector<FitVariable> variables;
    for (Index i = 0; i < r.values.size(); ++i)
      variables.push_back({fmt::format("b{}", i + 1), r.values[i] / 1e3, r.values[i] * 1e3, true});
    LeastSquaresOptions options;
    options.tolerance = 1e-13;
    options.starts = r.starts;
    for (const Vector& from : r.from) {
      const LeastSquaresResult fit = least_squares(residual_of(r.model, r.t, r.y), variables, from, options);
      SCOPED_TRACE(fmt::format("{} from {}: {} after {}", r.name, from[0], fit.reason, fit.evaluations));
      EXPECT_TRUE(fit.converged);
      EXPECT_NEAR(fit.sum_of_squares, r.sum_of_squares, 1e-9 * r.sum_of_squares);
      for (Index i = 0; i < r.values.size(); ++i) {
        EXPECT_NEAR(fit.x[i], r.values[i], 1e-6 * r.values[i]) << i;
        EXPECT_NEAR(fit.x[i] * std::sqrt(fit.covariance(i, i)), r.deviations[i], 1e-5 * r.deviations[i]) << i;
      }
    }
  }
}

TEST(LeastSquares, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_95(1), 12.706204736, 1e-8);
  EXPECT_NEAR(student_95(2), 4.302652730, 1e-8);
  EXPECT_NEAR(student_95(5), 2.570581836, 1e-8);
  EXPECT_NEAR(student_95(10), 2.228138852, 1e-8);
  EXPECT_NEAR(student_95(100), 1.983971519, 1e-8);
  EXPECT_NEAR(student_95(1000) - student_95(1001), 2.378e-6, 1e-9);  // the series and the expansion
  EXPECT_NEAR(student_95(100'000'000), 1.959963985, 1e-7);
}

LeastSquaresOptions exact() {
  LeastSquaresOptions options;
  options.tolerance = 1e-15;
  return options;
}

TEST(LeastSquares, IntervalsAreThoseOfAStraightLine) {
  // y = 0, 1, 1, 2 at t = 0, 1, 2, 3: slope .6, intercept .1, s² = .1, Σ(t − 1.5)² = 5.
  const LeastSquaresResult fit = least_squares(residual_of(line, {0, 1, 2, 3}, {0, 1, 1, 2}),
                                               {{"at zero", -5, 5}, {"slope", -7, 9}}, Vector::Zero(2), exact());
  EXPECT_NEAR(fit.x[0], .1, 1e-9);
  EXPECT_NEAR(fit.x[1], .6, 1e-9);
  EXPECT_NEAR(fit.covariance(1, 1), .1 / 5, 1e-9);
  EXPECT_NEAR(fit.covariance(0, 0), .1 * (1. / 4 + 1.5 * 1.5 / 5), 1e-9);
  EXPECT_NEAR(fit.covariance(0, 1), -.1 * 1.5 / 5, 1e-9);
  EXPECT_NEAR(fit.high95[1], .6 + 4.302652730 * std::sqrt(.02), 1e-8);
  EXPECT_NEAR(fit.low95[1], .6 - 4.302652730 * std::sqrt(.02), 1e-8);
}

/// How many of 100 intervals hold the true value, for each variable.
Eigen::VectorXi covered(const Model& model, const Vector& truth, double noise, bool logarithmic) {
  std::mt19937_64 bits(7);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
  const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); };
  const std::vector<double> t = grid(12, 0, 2), exact = sampled(model, t, truth);
  std::vector<FitVariable> variables;
  for (const char* name : {"a", "b"}) variables.push_back({name, logarithmic ? 1e-3 : -50, 50, logarithmic});
  Eigen::VectorXi count = Eigen::VectorXi::Zero(2);
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<double> y = exact;
    for (double& value : y) value += noise * normal();
    const LeastSquaresResult fit = least_squares(residual_of(model, t, y), variables, truth);
    for (Index i = 0; i < 2; ++i) count[i] += fit.low95[i] <= truth[i] && truth[i] <= fit.high95[i];
  }
  return count;
}

TEST(LeastSquares, IntervalsHoldTheTruthAsOftenAsTheySay) {
  for (const auto& count :
       {covered(line, Eigen::Vector2d{1, 2}, .3, false), covered(decay, Eigen::Vector2d{3, 1.5}, .05, true)}) {
    EXPECT_GE(count.minCoeff(), 90);
    EXPECT_LE(count.minCoeff(), 99);
  }
}

TEST(LeastSquares, StopsAtABound) {
  // The valley x₁ = x₀² with x₀ ≤ 1/2: x₁ = 1/4, ‖r‖² = 1/4.
  const LeastSquaresResult fit =
      least_squares(valley(), {{"a", -2, .5}, {"b", -3, 3}}, Eigen::Vector2d{-1.2, 1}, exact());
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_EQ(fit.x[0], .5);
  EXPECT_NEAR(fit.x[1], .25, 1e-9);
  EXPECT_NEAR(fit.sum_of_squares, .25, 1e-12);
  EXPECT_TRUE(mentions(fit.notes, "a ended at its upper bound, 0.5"));
  EXPECT_TRUE(std::isnan(fit.low95[0]));
  EXPECT_NEAR(fit.covariance(1, 1), .25 / 100, 1e-9);  // a counts as known: ∂r/∂b = (10, 0), one degree of freedom
}

TEST(LeastSquares, LeavesABoundThatItStartsFrom) {
  const LeastSquaresResult fit = least_squares(valley(), square, Eigen::Vector2d{-3, -3});
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-8) << fit.reason;
}

TEST(LeastSquares, EndsInACorner) {
  // Both values want to be beyond their bounds: (2, 2) is the best point for the line through (0, 5), (1, 9).
  const LeastSquaresResult fit =
      least_squares(residual_of(line, {0, 1}, {5, 9}), {{"a", .1, 2, true}, {"b", .1, 2, true}}, Vector::Ones(2));
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_EQ(fit.x, Vector::Constant(2, 2.));
  EXPECT_EQ(fit.notes.size(), 2u);
}

TEST(LeastSquares, ShortensStepsIntoFailures) {
  int failures = 0;
  const auto fails = [&](const Vector& x) {
    if (x[1] < x[0] * x[0] - .5) ++failures, throw StepFailure("it flew apart");
  };
  const LeastSquaresResult fit = least_squares(valley(fails), square, Eigen::Vector2d{-1.2, 1});
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(
      mentions(fit.notes, fmt::format("failed in {} of {} evaluations, at last with a = ", failures, fit.evaluations)));
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-8);
}

TEST(LeastSquares, DoesNotJumpOverAValley) {
  // r = 0 at x = 1; beyond it a plateau with a hollow at x = 4, where the first step leads: half the range.
  const LeastSquaresFunction residual = [](const Vector& x) {
    const double e = std::exp(x[0]), z = e - std::exp(1.), hollow = .05 * std::exp(-std::pow(x[0] - 4, 2));
    const double rise = z < 0 ? z / 4 : .4 * std::tanh(z / 1.6),
                 slope = z < 0 ? .25 : .25 / std::pow(std::cosh(z / 1.6), 2);
    return LeastSquaresValue{Vector::Constant(1, rise - hollow),
                             Matrix::Constant(1, 1, slope * e + 2 * (x[0] - 4) * hollow)};
  };
  const LeastSquaresResult fit = least_squares(residual, {{"x", -5, 5}}, Vector::Constant(1, -1));
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_LT(fit.sum_of_squares, 1e-12) << "ended at " << fit.x[0];
}

TEST(LeastSquares, SaysThatFailuresAreInTheWay) {
  const auto wall = [](const Vector& x) {
    if (x[0] > .3) throw StepFailure("it flew apart");
  };
  const LeastSquaresResult fit = least_squares(valley(wall), square, Eigen::Vector2d{-1.2, 1});
  EXPECT_FALSE(fit.converged);
  EXPECT_TRUE(mentions(fit.notes, ": it flew apart"));
  EXPECT_NEAR(fit.x[0], .3, .02);
}

TEST(LeastSquares, CountsWhatIsNotFiniteAsFailed) {
  const auto residual = [](const Vector& x) {
    LeastSquaresValue value = valley()(x);
    if (x[0] > 1.5) value.residual[0] = std::numeric_limits<double>::quiet_NaN();
    if (x[1] < -1) value.jacobian(0, 0) = std::numeric_limits<double>::infinity();
    return value;
  };
  const LeastSquaresResult fit = least_squares(residual, square, Eigen::Vector2d{-1.2, 1});
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-8);
}

TEST(LeastSquares, NamesTheValuesWhereNoStartSucceeds) {
  const auto failure_at_a_quarter = [] {
    StepFailure failure("it flew apart", 3, .5);
    failure.t = .25;
    return failure;
  };
  const auto never = [&](const Vector&) { throw failure_at_a_quarter(); };
  LeastSquaresOptions options;
  options.starts = 4;
  try {
    least_squares(valley(never), square, Eigen::Vector2d{-1.2, 1}, options);
    FAIL();
  } catch (const StepFailure& failure) {
    EXPECT_EQ(failure.reason, "with a = -1.2, b = 1: it flew apart");
    EXPECT_EQ(failure.t, .25);
    EXPECT_EQ(failure.iterations, 3);
  }
}

TEST(LeastSquares, GoesOnFromAnotherStart) {
  const auto near_zero = [](const Vector& x) {
    if (x.norm() < .5) throw StepFailure("it flew apart");
  };
  LeastSquaresOptions options;
  options.starts = 8;
  const LeastSquaresResult fit = least_squares(valley(near_zero), square, Vector::Zero(2), options);
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-8) << fit.reason;
}

TEST(LeastSquares, SeveralStartsFindTheRightFrequency) {
  const Model wave = [](double t, const Vector& x, Vector& slope) {
    slope << t * std::cos(x[0] * t);
    return std::sin(x[0] * t);
  };
  const std::vector<double> t = grid(40, 0, 10);
  const auto residual = residual_of(wave, t, sampled(wave, t, Vector::Constant(1, 5.3)));
  const std::vector<FitVariable> variables = {{"frequency", 1, 9}};
  LeastSquaresOptions options;
  EXPECT_GT(least_squares(residual, variables, Vector::Constant(1, 2), options).sum_of_squares, 1);
  options.starts = 40;
  std::vector<Vector> tried;
  options.go_on = [&](const FitProgress& p) { return tried.push_back(p.x), true; };
  const LeastSquaresResult fit = least_squares(residual, variables, Vector::Constant(1, 2), options);
  EXPECT_NEAR(fit.x[0], 5.3, 1e-9);
  const std::vector<double> halves = {2, 5, 3, 7, 2, 6};  // the start, then 1 + 8 times 1/2, 1/4, 3/4, 1/8, 5/8
  for (std::size_t k = 0; k < halves.size(); ++k) EXPECT_NEAR(tried[k][0], halves[k], 1e-12) << k;
}

TEST(LeastSquares, NamesWhatOnlyCountsAsAProduct) {
  const std::vector<double> t = grid(10, 0, 1);
  std::vector<double> y = sampled(product, t, Eigen::Vector2d{2, 3});
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += k % 2 ? .01 : -.01;
  const LeastSquaresResult fit = least_squares(
      residual_of(product, t, y), {{"width", .01, 100, true}, {"height", .01, 100, true}}, Eigen::Vector2d{1, 1});
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_NEAR(fit.x[0] * fit.x[1], 6, .1);
  ASSERT_EQ(fit.notes.size(), 1u);
  EXPECT_EQ(fit.notes[0], "the data do not tell width and height apart: only a combination of them matters");
  EXPECT_TRUE(std::isnan(fit.low95[0]) && std::isnan(fit.high95[0]));
}

TEST(LeastSquares, NamesWhatTheDataDoNotReach) {
  const Model constant = [](double t, const Vector& x, Vector& slope) {
    slope << t, 0;
    return x[0] * t;
  };
  const LeastSquaresResult fit =
      least_squares(residual_of(constant, {1, 2, 3}, {1, 2, 3.1}), {{"a", 0, 5}, {"idle", 0, 5}}, Vector::Ones(2));
  EXPECT_TRUE(mentions(fit.notes, "the data say nothing about idle"));
  EXPECT_EQ(fit.notes.size(), 1u);
  EXPECT_EQ(fit.x[1], 1);
}

TEST(LeastSquares, NamesCorrelatedAndUncertainValues) {
  // Far from t = 0 the value there and the slope go together.
  const LeastSquaresResult line_fit = least_squares(residual_of(line, {10, 11, 12, 13}, {0, 1, 1, 2}),
                                                    {{"at zero", -50, 50}, {"slope", -5, 5}}, Vector::Zero(2));
  EXPECT_TRUE(
      mentions(line_fit.notes, "at zero and slope are hard to tell apart: the correlation of their errors is -0.99"));
  const LeastSquaresResult noise = least_squares(residual_of(line, {0, 1, 2, 3}, {1, -1, 1.2, -.5}),
                                                 {{"a", -9, 9}, {"b", .01, .5, true}}, Eigen::Vector2d{0, .1});
  EXPECT_TRUE(mentions(noise.notes, "b ended at its lower bound, 0.01"));
  const LeastSquaresResult vague = least_squares(residual_of(line, {0, 1, 2, 3}, {0, 2, -1, 2}),
                                                 {{"a", -9, 9}, {"b", .01, .5, true}}, Eigen::Vector2d{0, .1});
  EXPECT_TRUE(mentions(vague.notes, "b is uncertain: its standard deviation is")) << vague.x.transpose();
}

TEST(LeastSquares, SaysWhereThereAreTooFewObservations) {
  const LeastSquaresResult fit =
      least_squares(residual_of(line, {0, 1}, {1, 3}), {{"a", 0, 5}, {"b", 0, 5}}, Vector::Ones(2));
  EXPECT_NEAR(fit.x[1], 2, 1e-9);
  EXPECT_TRUE(mentions(fit.notes, "no more observations than varied values"));
  EXPECT_TRUE(std::isnan(fit.covariance(0, 0)) && std::isnan(fit.high95[1]));
}

TEST(LeastSquares, StopsWhenAskedTo) {
  LeastSquaresOptions options;
  double best = std::numeric_limits<double>::infinity();
  int calls = 0;
  options.go_on = [&](const FitProgress& p) {
    EXPECT_EQ(p.evaluation, ++calls);
    best = std::min(best, p.sum_of_squares);
    return calls < 5;
  };
  const LeastSquaresResult fit = least_squares(valley(), square, Eigen::Vector2d{-1.2, 1}, options);
  EXPECT_EQ(fit.evaluations, 5);
  EXPECT_EQ(fit.sum_of_squares, best);
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(fit.reason, "it was stopped");
  options.go_on = {};
  options.max_evaluations = 3;
  EXPECT_EQ(least_squares(valley(), square, Eigen::Vector2d{-1.2, 1}, options).evaluations, 3);
}

TEST(LeastSquares, EndsWhereTheEvaluationIsNoisy) {
  // Derivatives are right, values only to 10⁻⁹.
  const auto residual = [](const Vector& x) {
    LeastSquaresValue value = valley()(x);
    value.residual[0] += 1e-9 * std::sin(1e12 * x[0]);
    value.residual[1] += 1e-9 * std::cos(1e12 * x[1]);
    return value;
  };
  const LeastSquaresResult fit = least_squares(residual, square, Eigen::Vector2d{-1.2, 1});
  EXPECT_TRUE(fit.converged) << fit.reason;
  EXPECT_LT((fit.x - Vector::Ones(2)).norm(), 1e-7);
  EXPECT_LT(fit.evaluations, 40);
}

TEST(LeastSquares, DoesNotTakeWrongDerivativesForAnEnd) {
  const auto residual = [](const Vector& x) {
    LeastSquaresValue value = valley()(x);
    value.jacobian *= -1;
    return value;
  };
  EXPECT_FALSE(least_squares(residual, square, Eigen::Vector2d{-1.2, 1}).converged);
}

TEST(LeastSquares, RefusesRangesThatAreNone) {
  const auto message = [](const FitVariable& v, double start) -> std::string {
    try {
      least_squares(valley(), {v}, Vector::Constant(1, start));
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message({"k", 2, 1}, 1), "k: the range 2 to 1 is not one from low to high");
  EXPECT_EQ(message({"k", 1, inf}, 1), "k: the range 1 to inf is not one from low to high");
  EXPECT_EQ(message({"k", 0, 1, true}, .5), "k: a logarithmic range starts above zero, not at 0");
  EXPECT_EQ(message({"k", 0, 1}, 2), "k: the start 2 is outside [0, 1]");
}

}  // namespace
}  // namespace limber::test
