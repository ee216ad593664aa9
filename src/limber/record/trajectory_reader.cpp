#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "limber/core/errors.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/record/trajectory_layout.hpp"

namespace limber {

namespace {

using h5::Id;

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, int>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
}

}  // namespace

struct TrajectoryReader::Impl {
  std::string path;
  Id file;
  TrajectoryHeader header;

  [[noreturn]] void damaged(const char* array, const std::string& how) const {
    throw InputError(path, fmt::format("the array {} {}", array, how));
  }

  Id open(const char* array, std::vector<hsize_t>& dims) const {
    Id dataset = layout::open_array(path, file, array);
    const std::vector<hsize_t> found = layout::dimensions(dataset);
    if (found.size() != dims.size()) damaged(array, fmt::format("has {} dimensions", found.size()));
    dims = found;
    return dataset;
  }

  /// The whole array, rows × columns.
  template <class T>
  std::vector<T> read(const char* array, hsize_t columns = 1) const {
    std::vector<hsize_t> dims(columns == 1 ? 1 : 2);
    const Id dataset = open(array, dims);
    if (dims.size() == 2 && dims[1] != columns) damaged(array, fmt::format("has {} columns", dims[1]));
    std::vector<T> data(dims[0] * columns);
    if (!data.empty() && H5Dread(dataset, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0)
      damaged(array, "cannot be read: " + h5::last_error());
    return data;
  }

  /// Row k of an array of frames, #F × `count` × 3 or (with count 0) #F.
  void read_row(const char* array, long k, hsize_t count, double* out) const {
    std::vector<hsize_t> dims(count ? 3 : 1);
    const Id dataset = open_frames(array, count, dims);
    std::vector<hsize_t> start(dims.size(), 0), size = dims;
    start[0] = static_cast<hsize_t>(k);
    size[0] = 1;
    const Id from(H5Dget_space(dataset), H5Sclose);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    const Id to(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, out) < 0)
      damaged(array, "cannot be read: " + h5::last_error());
  }

  Id open_frames(const char* array, hsize_t count, std::vector<hsize_t>& dims) const {
    Id dataset = open(array, dims);
    if (dims[0] < static_cast<hsize_t>(header.frames) || (dims.size() == 3 && (dims[1] != count || dims[2] != 3)))
      damaged(array, "has another shape than the mesh and the number of frames ask for");
    return dataset;
  }

  bool has(const char* array) const { return H5Lexists(file, array, H5P_DEFAULT) > 0; }

  double read_number(const char* array, long k) const {
    double x = 0;
    read_row(array, k, 0, &x);
    return x;
  }

  Vector read_vectors(const char* array, long k, std::size_t count) const {
    Vector x(static_cast<Index>(3 * count));
    if (count > 0) read_row(array, k, count, x.data());
    return x;
  }

  std::vector<std::string> read_names() const {
    std::vector<hsize_t> dims(1);
    const Id dataset = open(layout::body_names, dims);
    const Id type(H5Dget_type(dataset), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type)) damaged(layout::body_names, "holds no text");
    const std::size_t size = H5Tget_size(type);
    std::string all(size * dims[0], '\0');
    if (dims[0] > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
      damaged(layout::body_names, "cannot be read: " + h5::last_error());
    std::vector<std::string> names;
    for (std::size_t b = 0; b < dims[0]; ++b) {
      std::string name = all.substr(b * size, size);
      names.push_back(name.substr(0, name.find('\0')));
    }
    return names;
  }

  std::string read_version() const {
    const Id attribute(H5Aopen(file, "limber_version", H5P_DEFAULT), H5Aclose);
    if (!attribute.valid() || !h5::is_single(attribute)) return "";
    const Id type(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type)) return "";
    std::string text(H5Tget_size(type), '\0');
    H5Aread(attribute, type, text.data());
    return text.substr(0, text.find('\0'));
  }

  template <std::size_t N>
  std::vector<std::array<int, N>> read_cells(const char* array) const {
    const std::vector<int> flat = read<int>(array, N);
    std::vector<std::array<int, N>> cells(flat.size() / N);
    for (std::size_t i = 0; i < flat.size(); ++i) cells[i / N][i % N] = flat[i];
    return cells;
  }

  void read_bodies() {
    const auto names = read_names();
    const auto nodes = read_cells<2>(layout::body_nodes), tets = read_cells<2>(layout::body_tets),
               edges = read_cells<2>(layout::body_edges);
    // Files from before there were sheets have no triangles.
    const auto triangles = has(layout::body_triangles) ? read_cells<2>(layout::body_triangles)
                                                       : std::vector<std::array<int, 2>>(names.size());
    const auto pieces = has(layout::body_pieces) ? read<int>(layout::body_pieces) : std::vector<int>(names.size(), 1);
    if (pieces.size() != names.size()) damaged(layout::body_pieces, "has another length than /bodies/names");
    for (const auto* ranges : {&nodes, &tets, &edges, &triangles})
      if (ranges->size() != names.size()) damaged("/bodies", "has arrays of different length");
    for (std::size_t b = 0; b < names.size(); ++b)
      header.bodies.push_back({names[b], nodes[b][0], nodes[b][1], tets[b][0], tets[b][1], edges[b][0], edges[b][1],
                               triangles[b][0], triangles[b][1], pieces[b]});
  }

  /// Whoever reads the file looks up nodes by these numbers, and parts of arrays by these ranges.
  template <class Cells>
  void require_nodes(const char* array, const Cells& cells) const {
    const std::size_t nodes = header.node_count();
    for (const auto& cell : cells)
      for (const int node : cell)
        if (node < 0 || static_cast<std::size_t>(node) >= nodes)
          damaged(array, fmt::format("names node {}, but there are {}", node, nodes));
  }

  void require_range(const BodyRange& body, int first, int count, std::size_t all, const char* what) const {
    if (first < 0 || count < 0 || static_cast<std::size_t>(first) + static_cast<std::size_t>(count) > all)
      damaged("/bodies", fmt::format("gives \"{}\" {} {} from number {} on, but there are {}", body.name, count, what,
                                     first, all));
  }

  void require_consistent() const {
    if (!header.large) require_nodes(layout::tets, header.tets);
    require_nodes(layout::edges, header.edges);
    require_nodes(layout::triangles, header.triangles);
    require_nodes(layout::prescribed, std::array{header.prescribed});
    if (!header.large && header.region.size() != header.tets.size())
      damaged(layout::region,
              fmt::format("has {} numbers for {} tetrahedra", header.region.size(), header.tets.size()));
    for (const BodyRange& b : header.bodies) {
      require_range(b, b.first_node, b.node_count, header.node_count(), "nodes");
      require_range(b, b.first_tet, b.tet_count, header.tet_count(), "tetrahedra");
      require_range(b, b.first_edge, b.edge_count, header.edges.size(), "edges");
      require_range(b, b.first_triangle, b.triangle_count, header.triangles.size(), "triangles");
      if (b.pieces < 1 || b.tet_count % b.pieces != 0)
        damaged(layout::body_pieces, fmt::format("makes {} tetrahedra of \"{}\" pieces of elements cut into {}",
                                                 b.tet_count, b.name, b.pieces));
    }
    std::vector<hsize_t> one(1), three(3);
    for (const char* array : {layout::times, layout::min_det_F}) open_frames(array, 0, one);
    open_frames(layout::positions, header.node_count(), three);
    if (header.velocities == Velocities::store) open_frames(layout::velocities, header.node_count(), three);
    open_frames(layout::reactions, header.prescribed.size(), three);
  }

  std::size_t rows(const char* array) const {
    std::vector<hsize_t> dims(2);
    open(array, dims);
    return dims[0];
  }

  /// Arrays grow one after the other: the shortest counts.
  long room() const {
    hsize_t frames = std::numeric_limits<hsize_t>::max();
    const auto bound = [&](const char* array, std::size_t rank) {
      std::vector<hsize_t> dims(rank);
      open(array, dims);
      frames = std::min(frames, dims[0]);
    };
    for (const char* array : {layout::times, layout::min_det_F}) bound(array, 1);
    for (const char* array : {layout::positions, layout::reactions}) bound(array, 3);
    if (header.velocities == Velocities::store) bound(layout::velocities, 3);
    return static_cast<long>(frames);
  }

  long count() {
    const auto written = read<std::int64_t>(layout::written);
    if (written.size() == 1 && written[0] > header.frames) {  // the file may have grown since it was opened
      file = Id();  // HDF5 would give what it remembers of a file that is open
      file = layout::open(path);
      header.frames = room();
    }
    if (written.size() != 1 || written[0] < 0 || written[0] > header.frames)
      damaged(layout::written, "is not a number of frames");
    return static_cast<long>(written[0]);
  }

  void read_header(RestShape rest) {
    if (rest == RestShape::large) {
      header.large = {rows(layout::nodes), rows(layout::tets)};
    } else {
      const std::vector<double> nodes = read<double>(layout::nodes, 3);
      for (std::size_t i = 0; i < nodes.size(); i += 3) header.nodes.emplace_back(nodes[i], nodes[i + 1], nodes[i + 2]);
      header.tets = read_cells<4>(layout::tets);
      header.region = read<int>(layout::region);
    }
    header.edges = read_cells<2>(layout::edges);
    if (has(layout::triangles)) header.triangles = read_cells<3>(layout::triangles);
    header.prescribed = read<int>(layout::prescribed);
    read_bodies();
    header.velocities = has(layout::velocities) ? Velocities::store : Velocities::omit;
    header.frames = room();
    header.limber_version = read_version();
    require_consistent();
  }
};

TrajectoryReader::TrajectoryReader(const std::string& path, RestShape rest) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->file = layout::open(path);
  const h5::Quiet quiet;
  impl_->read_header(rest);
}

TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
TrajectoryReader& TrajectoryReader::operator=(TrajectoryReader&&) noexcept = default;
TrajectoryReader::~TrajectoryReader() {
  if (!impl_) return;
  const h5::Quiet quiet;
  impl_.reset();
}

const TrajectoryHeader& TrajectoryReader::header() const { return impl_->header; }

long TrajectoryReader::frames() const {
  const h5::Quiet quiet;
  return impl_->count();
}

std::vector<double> TrajectoryReader::times() const {
  const long count = frames();  // before the times, which a run that goes on writes first
  const h5::Quiet quiet;
  std::vector<double> times = impl_->read<double>(layout::times);
  times.resize(static_cast<std::size_t>(count));
  return times;
}

Frame TrajectoryReader::frame(long k) const {
  const long count = frames();
  if (k < 0 || k >= count) throw InputError(impl_->path, fmt::format("has no frame {}; there are {}", k, count));
  const h5::Quiet quiet;
  Frame frame;
  frame.t = impl_->read_number(layout::times, k);
  frame.q = impl_->read_vectors(layout::positions, k, header().node_count());
  if (header().velocities == Velocities::store)
    frame.v = impl_->read_vectors(layout::velocities, k, header().node_count());
  frame.min_det_F = impl_->read_number(layout::min_det_F, k);
  frame.reactions = impl_->read_vectors(layout::reactions, k, header().prescribed.size());
  return frame;
}

}  // namespace limber
