/// Fig. damp1 of the survey, and fig. 18 of the SIERE paper: d/ω against θ = ωh, from running the methods, beside the
/// closed forms of ρ(T)².

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/analysis/amplification.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/studies.hpp"

namespace limber {

namespace {

using Form = double (*)(double theta);

/// ρ² of the methods that have a short closed form.
double be(double t) { return 1 / (1 + t * t); }
double bdf2(double t) {
  const double r = std::sqrt(1 + 4 * t * t);
  return (4 + r + 4 * std::sqrt((r + 1) / 2)) / (9 + 4 * t * t);
}
double tr_bdf2(double t) {
  const double s = t * t;
  return (1 + 25 * s / 144) / ((1 + s / 16) * (1 + s / 9));
}
double sdirk(double t) {
  const double root = std::sqrt(2.0), s = t * t, below = 1 + (1.5 - root) * s;
  return (1 + (3 - 2 * root) * s) / (below * below);
}
double one(double) { return 1; }

struct DampingLine {
  std::string method;
  Form form = nullptr;  // ρ², where there is one
  Stroke stroke = Stroke::line;
};

std::vector<double> to_std(const Vector& x) { return {x.begin(), x.end()}; }

Vector curve(const std::string& method, const Vector& theta, ModePlace place = ModePlace::outside) {
  return damping_curve(find_method(method), {}, theta, place);
}

/// 0 to rounding has no sign.
std::string four_digits(double x) { return fmt::format("{:.4f}", std::abs(x) < 5e-5 ? 0.0 : x); }

/// The largest distance between the curve of gen-alpha and that of the mixture of TR and BDF2 whose peak is as high.
double mixture_gap(const Vector& gen_alpha, const Vector& theta) {
  double low = 0, high = 1;  // TR, BDF2
  Vector mixed;
  for (int i = 0; i < 30; ++i) {
    const double part = 0.5 * (low + high);
    mixed = damping_curve(find_method("blend"), {{"theta", part}}, theta);
    (mixed.maxCoeff() < gen_alpha.maxCoeff() ? low : high) = part;
  }
  return (mixed - gen_alpha).lpNorm<Eigen::Infinity>();
}

/// The first θ from which on the curve `a` lies below `b`; 0 if it never does.
double falls_below(const Vector& a, const Vector& b, const Vector& theta) {
  for (Index i = theta.size(); i-- > 0;)
    if (a[i] >= b[i]) return i + 1 < theta.size() ? theta[i + 1] : 0;
  return theta[0];
}

}  // namespace

StudyResult study_damping(const StudyContext& context) {
  const Index n = context.quick() ? 201 : 801;
  const Vector theta = Vector::LinSpaced(n, std::log(0.05), std::log(100.0)).array().exp();
  const std::vector<double> x = to_std(theta);
  const std::vector<DampingLine> lines = {{"BE", &be},
                                          {"BDF2", &bdf2},
                                          {"TR-BDF2", &tr_bdf2},
                                          {"SDIRK", &sdirk},
                                          {"gen-alpha", nullptr, Stroke::dashes},
                                          {"blend", nullptr, Stroke::dashes},
                                          {"TR", &one, Stroke::dashes},
                                          {"ERE", &one, Stroke::dots}};
  const Axis across{"ω h", Scale::logarithmic}, up{"d / ω", Scale::linear, 0.0};
  StudyResult result;
  Figure figure{"damping", "Damping that each method adds to q̈ + ω² q = 0", across, up, {}, Legend::top_right};
  figure.y.from = -0.02;
  StudyTable table{"peaks",
                   "Where each method damps most, and how far the curve from running it is from the closed form",
                   {"method", "largest d/ω", "at ω h", "d/ω at ω h = 1", "largest difference"},
                   {}};
  double worst = 0;
  std::vector<Vector> curves;
  const Vector unit = Vector::Ones(1);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto& [method, form, stroke] = lines[k];
    const Vector d = curve(method, theta);
    curves.push_back(d);
    double difference = 0;
    for (Index i = 0; form && i < n; ++i)
      difference = std::max(difference, std::abs(d[i] + std::log(form(theta[i])) / theta[i]));
    worst = std::max(worst, difference);
    Index peak = 0;
    const double most = d.maxCoeff(&peak);
    table.rows.push_back({method, four_digits(most), most > 1e-9 ? fmt::format("{:.3g}", theta[peak]) : "-",
                          four_digits(curve(method, unit)[0]), form ? fmt::format("{:.1e}", difference) : "-"});
    figure.curves.push_back({method, x, to_std(d), stroke});
    context.tell(0.5 * static_cast<double>(k + 1) / static_cast<double>(lines.size()), method);
  }

  Figure hybrids{"hybrids", "Hybrids: a mode that is split off, and one that is not", across, up, {}, Legend::below};
  const std::vector<std::string> mixed = {"SIERE", "SBDF2ERE", "STR-SBDF2ERE", "SSDIRKERE"};
  double in_modes = 0;
  Curve split_off;
  for (std::size_t k = 0; k < mixed.size(); ++k) {
    const Vector out = curve(mixed[k], theta), in = curve(mixed[k], theta, ModePlace::split_off);
    in_modes = std::max(in_modes, in.lpNorm<Eigen::Infinity>());
    hybrids.curves.push_back({mixed[k] + ", not split off", x, to_std(out), Stroke::line, static_cast<int>(k)});
    if (k == 0) split_off = {"each of them, split off", x, to_std(in), Stroke::dashes, 4};
    context.tell(0.5 + 0.4 * static_cast<double>(k + 1) / static_cast<double>(mixed.size()), mixed[k]);
  }
  hybrids.curves.push_back(split_off);
  hybrids.y.from = -0.02;
  Figure printed{"printed", "A mode that is split off: the hybrids as printed",
                 across,    {"ρ(T) of one step", Scale::linear, 0.0},
                 {},        Legend::top_left};
  for (const char* name : {"SIERE", "BDF2ERE-printed", "TR-BDF2ERE-printed", "STR-SBDF2ERE"}) {
    const Vector d = curve(name, theta, ModePlace::split_off);
    printed.curves.push_back({name, x, to_std((-0.5 * theta.array() * d.array()).exp().matrix())});
  }
  printed.curves.back().stroke = Stroke::dashes;
  printed.curves.back().color = 4;
  printed.x.to = 20.0;

  const Vector &d_be = curves[0], &d_bdf2 = curves[1], &d_trbdf2 = curves[2], &d_sdirk = curves[3];
  const double ratio_at_one = curve("BE", unit)[0] / curve("BDF2", unit)[0];
  const double least_ratio = (d_be.array() / d_bdf2.array()).minCoeff();
  const double below_sdirk = falls_below(d_bdf2, d_sdirk, theta), below_trbdf2 = falls_below(d_bdf2, d_trbdf2, theta);
  const Vector& d_alpha = curves[4];
  const double gap = mixture_gap(d_alpha, theta);
  double undamped = 0;
  for (const char* method : {"TR", "midpoint", "ERE"})
    undamped = std::max(undamped, curve(method, theta).lpNorm<Eigen::Infinity>());
  const double dirk_gap = (d_trbdf2 - d_sdirk).lpNorm<Eigen::Infinity>();
  result.text = fmt::format(
      "Each method is run on a basis of its memory for an oscillator of frequency ω with the step h; the spectral "
      "radius ρ of what one step does, d/ω = -2 ln ρ/(ωh), says which damping d the method adds. A curve near 0 is a "
      "lively method. Where a closed form of ρ is known the curve agrees with it to {:.0e}.\n\n"
      "Backward Euler damps everything, most at ωh = 2. The two DIRK methods damp hardly at all below ωh = 1, where "
      "the motion lies that an eye sees. Trapezoidal, midpoint and exponential methods do not damp. A hybrid leaves a "
      "mode that it has split off alone (|d/ω| < {:.0e}), and treats the others as its base method does. The hybrids "
      "of second order as printed let such a mode grow (ρ > 1, third figure); the corrected forms do not.",
      worst, std::max(in_modes, 1e-15));
  result.claims = {
      judged("The two DIRK methods are close to each other, TR-BDF2 damping slightly less (sec. damp).",
             dirk_gap < 0.01 && (d_trbdf2.array() <= d_sdirk.array() + 1e-12).all(),
             fmt::format("The curves differ by at most {:.4f}.", dirk_gap),
             "TR-BDF2 damps more than SDIRK at some frequencies."),
      judged("BDF2 damps significantly more around ωh ≈ 1 (sec. damp).",
             curve("BDF2", unit)[0] > 3 * curve("SDIRK", unit)[0],
             fmt::format("d/ω = {:.4f} there; SDIRK {:.4f}, TR-BDF2 {:.4f}.", curve("BDF2", unit)[0],
                         curve("SDIRK", unit)[0], curve("TR-BDF2", unit)[0]),
             "the curves are close there."),
      judged("BDF2 damps less when ωh ≫ 1 (sec. damp).", below_sdirk > 0 && below_trbdf2 > 0,
             fmt::format("It does from ωh = {:.3g} (SDIRK) and {:.3g} (TR-BDF2) on; between ωh = 1 and these it damps "
                         "more.",
                         below_sdirk, below_trbdf2),
             "the curves do not cross in the figure."),
      judged("The damping curves of generalised α are comparable to those of a mixture of trapezoidal and BDF2 (sec. "
             "Newmark).",
             gap < 0.25 * d_alpha.maxCoeff(),
             fmt::format("With the mixture whose peak is as high, {:.4f}, the curves differ by at most {:.4f}.",
                         d_alpha.maxCoeff(), gap),
             "the curves have other shapes."),
      judged("Trapezoidal, midpoint and exponential methods add no damping (secs. damp, exponential).",
             undamped < 1e-10,
             fmt::format("|d/ω| of TR, midpoint and ERE is at most {:.0e}.", std::max(undamped, 1e-15)),
             "some of them damp."),
      judged(
          "The curve of BE is like that of BDF2, roughly twice as large (fig. 18 of the SIERE paper).",
          ratio_at_one < 2.5,
          fmt::format("{:.2f} times as large at ωh = 1, at least {:.2f} times everywhere in the figure.", ratio_at_one,
                      least_ratio),
          "BE's damping falls like ωh and BDF2's like its cube for slow motion; a factor near 2 holds for ωh above 5 "
          "only.")};
  result.figures = {figure, hybrids, printed};
  result.tables = {table};
  return result;
}

}  // namespace limber
