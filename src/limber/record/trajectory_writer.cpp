#include <fmt/format.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/record/trajectory_layout.hpp"

namespace limber {

namespace {

std::string xdmf_path(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".xdmf").string();
}

XdmfIndex create_index(const std::string& path, const TrajectoryHeader& header, const std::vector<double>& times) {
  return XdmfIndex::create(xdmf_path(path), std::filesystem::path(path).filename().string(), header, times);
}

template <class T>
void write_all(File& file, off_t place, const std::vector<T>& data) {
  file.write_at(place, data.data(), data.size() * sizeof(T));
}

std::vector<int> region_of(const TrajectoryHeader& header) {
  return header.region.empty() ? std::vector<int>(header.tets.size(), 0) : header.region;
}

void write_bodies(File& file, const std::map<std::string, off_t>& places, const TrajectoryHeader& header) {
  std::string names;
  std::vector<std::array<int, 2>> nodes, tets, edges, triangles;
  for (const BodyRange& body : header.bodies) {
    names += body.name;
    names.resize((nodes.size() + 1) * layout::name_size(header));
    nodes.push_back({body.first_node, body.node_count});
    tets.push_back({body.first_tet, body.tet_count});
    edges.push_back({body.first_edge, body.edge_count});
    triangles.push_back({body.first_triangle, body.triangle_count});
  }
  file.write_at(places.at(layout::body_names), names.data(), names.size());
  write_all(file, places.at(layout::body_nodes), nodes);
  write_all(file, places.at(layout::body_tets), tets);
  write_all(file, places.at(layout::body_edges), edges);
  write_all(file, places.at(layout::body_triangles), triangles);
}

void write_rest(File& file, const std::map<std::string, off_t>& places, const TrajectoryHeader& header) {
  const std::vector<double> unknown(static_cast<std::size_t>(header.frames), std::numeric_limits<double>::quiet_NaN());
  write_all(file, places.at(layout::written), std::vector<std::int64_t>{0});
  write_all(file, places.at(layout::times), unknown);
  write_all(file, places.at(layout::min_det_F), unknown);
  write_bodies(file, places, header);
  write_all(file, places.at(layout::prescribed), header.prescribed);
  write_all(file, places.at(layout::nodes), header.nodes);
  write_all(file, places.at(layout::tets), header.tets);
  write_all(file, places.at(layout::edges), header.edges);
  write_all(file, places.at(layout::triangles), header.triangles);
  write_all(file, places.at(layout::region), region_of(header));
}

/// What of two headers differs, or "".
std::string difference(const TrajectoryHeader& a, const TrajectoryHeader& b) {
  if (a.frames != b.frames) return fmt::format("number of frames ({}, now {})", a.frames, b.frames);
  if (a.nodes.size() != b.nodes.size())
    return fmt::format("number of nodes ({}, now {})", a.nodes.size(), b.nodes.size());
  if (a.nodes != b.nodes) return "rest shape";
  if (a.tets != b.tets) return "tetrahedra";
  if (a.edges != b.edges) return "edges";
  if (a.triangles != b.triangles) return "triangles";
  if (region_of(a) != region_of(b)) return "regions";
  if (a.bodies != b.bodies) return "bodies";
  if (a.prescribed != b.prescribed) return "pinned and scripted nodes";
  if (a.velocities != b.velocities) return "choice to store velocities";
  return "";
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(File file, XdmfIndex index, Places places, const TrajectoryHeader& header,
                                   long frames)
    : file_(std::move(file)),
      index_(std::move(index)),
      places_(std::move(places)),
      nodes_(static_cast<Index>(header.nodes.size())),
      prescribed_(static_cast<Index>(header.prescribed.size())),
      planned_(header.frames),
      velocities_(header.velocities),
      frames_(frames) {}

TrajectoryWriter TrajectoryWriter::create(const std::string& path, const TrajectoryHeader& header) {
  assert(header.frames > 0 && (header.region.empty() || header.region.size() == header.tets.size()));
  const std::string temporary = temporary_name(path);
  try {
    Places places = layout::create(temporary, header);
    File file = File::open(temporary);
    write_rest(file, places, header);
    file.close();
    XdmfIndex index = create_index(path, header, {});
    rename_temporary(path);
    return TrajectoryWriter(File::open(path), std::move(index), std::move(places), header, 0);
  } catch (const OutputError&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

TrajectoryWriter TrajectoryWriter::resume(const std::string& path, const TrajectoryHeader& header,
                                          long frames_to_keep) {
  const TrajectoryReader old(path);
  const std::string changed = difference(old.header(), header);
  if (!changed.empty())
    throw InputError(path, fmt::format("belongs to another scene: the {} differs; resume with the scene as it was run, "
                                       "or start again with --overwrite",
                                       changed));
  const long found = old.frames();
  if (frames_to_keep > found)
    throw InputError(path, fmt::format("has {} frames, but the checkpoint was taken after {}; start the run again with "
                                       "--overwrite",
                                       found, frames_to_keep));
  std::vector<double> times = old.times();
  times.resize(static_cast<std::size_t>(frames_to_keep));
  TrajectoryWriter writer(File::open(path), create_index(path, header, times), layout::locate(path), header,
                          frames_to_keep);
  writer.set_frames(frames_to_keep);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (long k = frames_to_keep; k < header.frames; ++k)
    for (const char* array : {layout::times, layout::min_det_F}) writer.write_rows(array, k, &unknown, 1);
  return writer;
}

void TrajectoryWriter::write_rows(const char* array, long row, const double* data, Index count) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(double);
  file_.write_at(places_.at(array) + static_cast<off_t>(size) * row, data, size);
}

void TrajectoryWriter::set_frames(long frames) {
  const std::int64_t count = frames;
  file_.write_at(places_.at(layout::written), &count, sizeof count);
  frames_ = frames;
}

void TrajectoryWriter::write_frame(long k, double t, const Vector& q, const Vector& v, double min_det_F,
                                   const Vector& reactions) {
  assert(k == frames_ && k < planned_ && q.size() == 3 * nodes_ && reactions.size() == 3 * prescribed_);
  write_rows(layout::positions, k, q.data(), q.size());
  if (velocities_ == Velocities::store) {
    assert(v.size() == 3 * nodes_);
    write_rows(layout::velocities, k, v.data(), v.size());
  }
  write_rows(layout::reactions, k, reactions.data(), reactions.size());
  write_rows(layout::min_det_F, k, &min_det_F, 1);
  write_rows(layout::times, k, &t, 1);
  set_frames(k + 1);
  index_.show(k, t);
}

}  // namespace limber
