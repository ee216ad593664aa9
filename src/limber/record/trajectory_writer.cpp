#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/record/trajectory_layout.hpp"

namespace limber {

namespace {

/// Room for more frames is made when they come: the list of frames and their times take space, all else is a hole.
constexpr long first_room = 10'000;

/// For this many frames of those planned: a number that depends on these two only.
long room_for(long frames, long planned) {
  long room = first_room;
  while (room < frames) room *= 2;
  return std::min(room, planned);
}

TrajectoryHeader with_room(TrajectoryHeader header, long room) {
  header.frames = room;
  return header;
}

TrajectoryHeader without_rest(const TrajectoryHeader& header) {
  TrajectoryHeader h;
  h.frames = header.frames;
  h.velocities = header.velocities;
  h.limber_version = header.limber_version;
  return h;
}

std::string xdmf_path(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".xdmf").string();
}

XdmfIndex create_index(const std::string& path, const TrajectoryHeader& header, const std::vector<double>& times) {
  return XdmfIndex::create(xdmf_path(path), std::filesystem::path(path).filename().string(), header, times);
}

template <class T>
void write_all(File& file, const layout::Place& place, const std::vector<T>& data, std::size_t first = 0) {
  place.write(file, first * sizeof(T), data.data(), data.size() * sizeof(T));
}

/// The frames from `first` on have no time yet.
void write_unknown(File& file, const layout::Places& places, long first, long end) {
  const std::vector<double> unknown(static_cast<std::size_t>(end - first), std::numeric_limits<double>::quiet_NaN());
  for (const char* array : {layout::times, layout::min_det_F})
    write_all(file, places.at(array), unknown, static_cast<std::size_t>(first));
}

std::vector<int> region_of(const TrajectoryHeader& header) {
  return header.region.empty() ? std::vector<int>(header.tets.size(), 0) : header.region;
}

void write_bodies(File& file, const layout::Places& places, const TrajectoryHeader& header) {
  std::string names;
  std::vector<std::array<int, 2>> nodes, tets, edges, triangles;
  std::vector<int> pieces;
  for (const BodyRange& body : header.bodies) {
    names += body.name;
    names.resize((nodes.size() + 1) * layout::name_size(header));
    nodes.push_back({body.first_node, body.node_count});
    tets.push_back({body.first_tet, body.tet_count});
    edges.push_back({body.first_edge, body.edge_count});
    triangles.push_back({body.first_triangle, body.triangle_count});
    pieces.push_back(body.pieces);
  }
  places.at(layout::body_names).write(file, 0, names.data(), names.size());
  write_all(file, places.at(layout::body_nodes), nodes);
  write_all(file, places.at(layout::body_tets), tets);
  write_all(file, places.at(layout::body_edges), edges);
  write_all(file, places.at(layout::body_triangles), triangles);
  write_all(file, places.at(layout::body_pieces), pieces);
}

void write_rest(File& file, const layout::Places& places, const TrajectoryHeader& header) {
  write_all(file, places.at(layout::written), std::vector<std::int64_t>{0});
  write_unknown(file, places, 0, header.frames);
  write_bodies(file, places, header);
  write_all(file, places.at(layout::prescribed), header.prescribed);
  write_all(file, places.at(layout::edges), header.edges);
  write_all(file, places.at(layout::triangles), header.triangles);
  const auto write_piece = [&](const RestPiece& piece) {
    write_all(file, places.at(layout::nodes), piece.nodes, piece.first_node);
    write_all(file, places.at(layout::tets), piece.tets, piece.first_tet);
    const std::vector<int> none(piece.region.empty() ? piece.tets.size() : 0, 0);
    write_all(file, places.at(layout::region), piece.region.empty() ? none : piece.region, piece.first_tet);
  };
  if (header.large) {
    if (header.large->show) header.large->show(write_piece);
    return;
  }
  write_all(file, places.at(layout::nodes), header.nodes);
  write_all(file, places.at(layout::tets), header.tets);
  write_all(file, places.at(layout::region), region_of(header));
}

/// What of two headers differs, or "".
std::string difference(const TrajectoryHeader& a, const TrajectoryHeader& b) {
  if (a.node_count() != b.node_count())
    return fmt::format("number of nodes ({}, now {})", a.node_count(), b.node_count());
  if (a.nodes != b.nodes) return "rest shape";
  if (a.tets != b.tets || a.tet_count() != b.tet_count()) return "tetrahedra";
  if (a.edges != b.edges) return "edges";
  if (a.triangles != b.triangles) return "triangles";
  if (region_of(a) != region_of(b)) return "regions";
  if (a.bodies != b.bodies) return "bodies";
  if (a.prescribed != b.prescribed) return "pinned and scripted nodes";
  if (a.velocities != b.velocities) return "choice to store velocities";
  return "";
}

}  // namespace

struct TrajectoryWriter::Places : layout::Places {};

TrajectoryWriter::TrajectoryWriter(File file, XdmfIndex index, Places places, const TrajectoryHeader& header, long room,
                                   long frames)
    : file_(std::move(file)),
      index_(std::move(index)),
      places_(std::make_unique<Places>(std::move(places))),
      header_(without_rest(header)),
      nodes_(header.node_count()),
      room_(room),
      frames_(frames) {}

TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter& TrajectoryWriter::operator=(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter::~TrajectoryWriter() = default;

TrajectoryWriter TrajectoryWriter::create(const std::string& path, const TrajectoryHeader& header) {
  assert(header.frames > 0 && (header.region.empty() || header.region.size() == header.tet_count()));
  const long room = room_for(1, header.frames);
  const TrajectoryHeader first = with_room(header, room);
  const std::string temporary = temporary_name(path);
  try {
    Places places{layout::create(temporary, first)};
    File file = File::open(temporary);
    write_rest(file, places, first);
    file.close();
    XdmfIndex index = create_index(path, first, {});
    rename_temporary(path);
    return TrajectoryWriter(File::open(path), std::move(index), std::move(places), header, room, 0);
  } catch (const OutputError&) {
    ::unlink(temporary.c_str());
    throw;
  }
}

TrajectoryWriter TrajectoryWriter::resume(const std::string& path, const TrajectoryHeader& header,
                                          long frames_to_keep) {
  using RestShape = TrajectoryReader::RestShape;
  const TrajectoryReader old(path, header.large ? RestShape::large : RestShape::read);
  const std::string changed = difference(old.header(), header);
  if (!changed.empty())
    throw InputError(path, fmt::format("belongs to another scene: the {} differs; resume with the scene as it was run, "
                                       "or start again with --overwrite",
                                       changed));
  const long found = old.frames(), room = old.header().frames;
  if (frames_to_keep > found)
    throw InputError(path, fmt::format("has {} frames, but the checkpoint was taken after {}; start the run again with "
                                       "--overwrite",
                                       found, frames_to_keep));
  std::vector<double> times = old.times();
  times.resize(static_cast<std::size_t>(frames_to_keep));
  TrajectoryWriter writer(File::open(path), create_index(path, with_room(header, room), times),
                          Places{layout::locate(path)}, header, room, frames_to_keep);
  writer.set_frames(frames_to_keep);
  write_unknown(writer.file_, *writer.places_, frames_to_keep, room);
  if (const long needed = room_for(frames_to_keep, header.frames); needed > room) writer.make_room(needed);
  return writer;
}

void TrajectoryWriter::make_room(long room) {
  const TrajectoryReader reader(file_.path(), TrajectoryReader::RestShape::large);
  const TrajectoryHeader header = with_room(reader.header(), room);
  const std::vector<double> times = reader.times();
  layout::Growth growth = layout::grow(file_.path(), *places_, room);
  file_.truncate(growth.size);
  write_unknown(file_, growth.places, room_, room);
  for (const auto& [place, bytes] : growth.writes) file_.write_at(place, bytes.data(), bytes.size());
  *places_ = Places{std::move(growth.places)};
  room_ = room;
  index_ = create_index(file_.path(), header, times);
}

void TrajectoryWriter::write_rows(const char* array, long row, const double* data, Index count) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(double);
  places_->at(array).write(file_, size * static_cast<std::size_t>(row), data, size);
}

void TrajectoryWriter::set_frames(long frames) {
  const std::int64_t count = frames;
  places_->at(layout::written).write(file_, 0, &count, sizeof count);
  frames_ = frames;
}

void TrajectoryWriter::write_part(const char* array, long row, std::size_t first, const Vector& x) {
  const std::size_t before = 3 * (static_cast<std::size_t>(row) * nodes_ + first);
  places_->at(array).write(file_, before * sizeof(double), x.data(),
                           static_cast<std::size_t>(x.size()) * sizeof(double));
}

void TrajectoryWriter::write_nodes(long k, std::size_t first, const Vector& q, const Vector& v) {
  assert(k == frames_ && k < header_.frames);
  if (k == room_) make_room(room_for(k + 1, header_.frames));
  write_part(layout::positions, k, first, q);
  if (header_.velocities == Velocities::omit) return;
  assert(v.size() == q.size());
  write_part(layout::velocities, k, first, v);
}

void TrajectoryWriter::finish_frame(long k, double t, double min_det_F, const Vector& reactions) {
  write_rows(layout::reactions, k, reactions.data(), reactions.size());
  write_rows(layout::min_det_F, k, &min_det_F, 1);
  write_rows(layout::times, k, &t, 1);
  set_frames(k + 1);
  index_.show(k, t);
}

void TrajectoryWriter::write_frame(long k, double t, const Vector& q, const Vector& v, double min_det_F,
                                   const Vector& reactions) {
  write_nodes(k, 0, q, v);
  finish_frame(k, t, min_det_F, reactions);
}

}  // namespace limber
