#include "limber/verify/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/verify/materials.hpp"

namespace limber {
namespace {

std::string cell_text(const std::vector<int>& nodes) {
  constexpr const char* names[] = {"node", "edge", "triangle", "tetrahedron"};
  return fmt::format("{} ({})", names[nodes.size() - 1], fmt::join(nodes, ", "));
}

std::string sentence(const FrameFlaw& flaw, const std::vector<std::string>& bodies) {
  switch (flaw.flaw) {
    case Flaw::not_finite:
      return fmt::format("the position of {} is not finite", cell_text(flaw.cells[0]));
    case Flaw::crossing:
      if (flaw.depth > 0)
        return fmt::format("{} of '{}' is {:.3g} m closer to {} of {} than their thickness allows",
                           cell_text(flaw.cells[0]), bodies[0], flaw.depth, cell_text(flaw.cells[1]),
                           bodies.size() == 1 ? "the same body" : "'" + bodies[1] + "'");
      return fmt::format("{} of '{}' meets {} of {}", cell_text(flaw.cells[0]), bodies[0], cell_text(flaw.cells[1]),
                         bodies.size() == 1 ? "the same body" : "'" + bodies[1] + "'");
    case Flaw::enclosed:
      return fmt::format("a part of '{}' lies inside {}, with {}", bodies[0],
                         bodies.size() == 1 ? "another part of it" : "'" + bodies[1] + "'", cell_text(flaw.cells[0]));
    case Flaw::inverted:
      if (flaw.cells[0].size() == 4) return fmt::format("tetrahedron {} of '{}' is inverted", flaw.tet, bodies[0]);
      return fmt::format("{} ({}) of '{}' is inverted at a point of integration",
                         flaw.cells[0].size() == 8 ? "hexahedron" : "quadratic tetrahedron",
                         fmt::join(flaw.cells[0], ", "), bodies[0]);
    case Flaw::obstacle:
      if (flaw.place) return fmt::format("'{}' lies inside '{}'", bodies[1], bodies[0]);
      if (flaw.depth > 0)
        return fmt::format("{} of '{}' reaches {:.3g} m into '{}'", cell_text(flaw.cells[0]), bodies[0], flaw.depth,
                           bodies[1]);
      return fmt::format("{} of '{}' {} '{}'", cell_text(flaw.cells[0]), bodies[0],
                         flaw.cells[0].size() == 1 ? "lies on or in" : "meets", bodies[1]);
  }
  return "";
}

Finding describe(const FrameFlaw& flaw, const Frame& frame, long k, const TrajectoryHeader& header,
                 const Surroundings& around) {
  Finding finding;
  finding.frame = k;
  finding.time = frame.t;
  finding.flaw = flaw.flaw;
  for (const int b : flaw.bodies)
    if (b >= 0) finding.bodies.push_back(header.bodies[static_cast<std::size_t>(b)].name);
  if (flaw.bodies[0] == flaw.bodies[1] && finding.bodies.size() == 2) finding.bodies.pop_back();
  if (flaw.obstacle >= 0) finding.bodies.push_back(around.obstacles[static_cast<std::size_t>(flaw.obstacle)].name);
  finding.cells = flaw.cells;
  finding.what = sentence(flaw, finding.bodies);
  finding.position = flaw.place.value_or(Vec3::Zero());
  if (flaw.place) return finding;
  const exact::Positions x(frame.q);
  for (const int n : flaw.cells[0]) finding.position += x[n] / static_cast<double>(flaw.cells[0].size());
  return finding;
}

void count(const FrameFlaw& flaw, const std::vector<char>& forbids, Verification& v) {
  switch (flaw.flaw) {
    case Flaw::not_finite:
      ++v.bad_frames;
      break;
    case Flaw::crossing:
      ++v.crossings;
      break;
    case Flaw::enclosed:
      ++v.enclosed;
      break;
    case Flaw::inverted:
      ++(forbids[static_cast<std::size_t>(flaw.tet)] ? v.inverted : v.tolerated_inversions);
      break;
    case Flaw::obstacle:
      ++v.obstacle_overlaps;
      break;
  }
}

}  // namespace

Verification verify_trajectory(const std::string& directory, const Surroundings& around,
                               const VerifyProgress& progress) {
  const std::filesystem::path folder(directory);
  const std::string path = (folder / run_file::trajectory).string();
  const TrajectoryReader reader(path);
  const TrajectoryHeader& header = reader.header();
  const std::vector<Part> parts = find_parts(header, path);
  const auto bodies = static_cast<int>(header.bodies.size());
  std::vector<BodyPair> sewn;  // a scene.json that is not the run's may know others
  for (const BodyPair& pair : around.sewn)
    if (std::max(pair[0], pair[1]) < bodies) sewn.push_back(pair);
  const FrameChecker checker(header, parts, around.radius, around.collide, sewn);
  const ObstacleChecker obstacles(header, parts, around);
  const auto forbids = inversion_forbidden(header, (folder / run_file::scene).string());

  Verification v;
  v.frames = reader.frames();
  v.frames_planned = header.frames;
  v.nodes = header.nodes.size();
  v.tets = header.tets.size();
  v.triangles = checker.triangle_count();
  v.min_det_F = std::numeric_limits<double>::infinity();
  v.materials_known = forbids.has_value();
  v.obstacles = around.obstacles.size();
  const auto name = [&](int body) { return header.bodies[static_cast<std::size_t>(body)].name; };
  for (const auto& [a, b] : sewn) v.sewn.push_back({name(a), name(b)});
  const std::vector<char> forbidden = forbids.value_or(std::vector<char>(header.tets.size(), 0));
  for (long k = 0; k < v.frames; ++k) {
    const Frame frame = reader.frame(k);
    v.min_det_F = std::min(v.min_det_F, frame.min_det_F);
    auto flaws = checker.check(frame.q);
    if (frame.q.allFinite())
      for (FrameFlaw& flaw : obstacles.check(frame.q, frame.t)) flaws.push_back(std::move(flaw));
    for (const FrameFlaw& flaw : flaws) {
      const long before = v.count();
      count(flaw, forbidden, v);
      if (v.count() > before && v.findings.size() < Verification::max_findings)
        v.findings.push_back(describe(flaw, frame, k, header, around));
    }
    if (progress) progress(k + 1, v.frames);
  }
  return v;
}

const char* to_string(Flaw flaw) {
  switch (flaw) {
    case Flaw::not_finite:
      return "not finite";
    case Flaw::crossing:
      return "crossing";
    case Flaw::enclosed:
      return "enclosed";
    case Flaw::inverted:
      return "inverted";
    case Flaw::obstacle:
      return "obstacle";
  }
  return "";
}

}  // namespace limber
