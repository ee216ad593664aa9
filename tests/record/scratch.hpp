#pragma once
/// A directory that goes away with its owner, and a small made-up run whose every number follows from its indices.

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include "limber/record/files.hpp"
#include "limber/record/trajectory.hpp"

namespace limber::test {

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "limber-record-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A strip of tetrahedra (i, i+1, i+2, i+3) over points on a helix, in two bodies.
inline TrajectoryHeader strip(int nodes, long frames) {
  TrajectoryHeader header;
  for (int i = 0; i < nodes; ++i) header.nodes.emplace_back(std::cos(2.0 * i), std::sin(2.0 * i), 0.3 * i);
  for (int i = 0; i + 3 < nodes; ++i) header.tets.push_back({i, i + 1, i + 2, i + 3});
  for (std::size_t t = 0; t < header.tets.size(); ++t) header.region.push_back(static_cast<int>(t % 3));
  const int half = nodes / 2;
  header.bodies = {{"left half", 0, half, 0, half - 3, 0, 0}, {"ř", half, nodes - half, half, nodes - half - 3, 0, 0}};
  header.prescribed = {0, nodes - 1};
  header.frames = frames;
  header.velocities = Velocities::store;
  header.limber_version = "1.2.3";
  return header;
}

inline Frame made_up_frame(const TrajectoryHeader& header, long k) {
  Frame frame;
  frame.t = 0.1 * static_cast<double>(k);
  const Index n = 3 * static_cast<Index>(header.nodes.size());
  frame.q.resize(n);
  for (Index i = 0; i < n; ++i) frame.q[i] = header.nodes[i / 3][i % 3] + std::sin(0.7 * (k + 1) + 0.01 * i);
  if (header.velocities == Velocities::store) frame.v = frame.q.array().exp().matrix();
  frame.min_det_F = 1 / (1.0 + static_cast<double>(k));
  frame.reactions.resize(3 * static_cast<Index>(header.prescribed.size()));
  for (Index i = 0; i < frame.reactions.size(); ++i) frame.reactions[i] = std::sqrt(k + 0.5) + i;
  return frame;
}

inline void write(TrajectoryWriter& writer, long k, const Frame& frame) {
  writer.write_frame(k, frame.t, frame.q, frame.v, frame.min_det_F, frame.reactions);
}

inline void write_frames(TrajectoryWriter& writer, const TrajectoryHeader& header, long end) {
  for (long k = writer.frames(); k < end; ++k) write(writer, k, made_up_frame(header, k));
}

inline bool operator==(const Frame& a, const Frame& b) {
  return a.t == b.t && a.q == b.q && a.v == b.v && a.min_det_F == b.min_det_F && a.reactions == b.reactions;
}

/// Of what it throws; "" if it throws nothing.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// How many frames an .xdmf lists: entries outside comments.
inline long listed_frames(const std::string& xdmf) {
  const std::string text = read_file(xdmf);
  long listed = 0;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (text.compare(at, 4, "<!--") == 0) at = text.find("-->", at);
    listed += text.compare(at, 6, "<Time ") == 0;
  }
  return listed;
}

}  // namespace limber::test
