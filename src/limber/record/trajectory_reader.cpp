#include <fmt/format.h>

#include <cstdint>
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
    Id dataset = layout::open_array(file, array, path);
    if (!dataset.valid()) damaged(array, "is missing");
    const Id space(H5Dget_space(dataset), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank != static_cast<int>(dims.size())) damaged(array, fmt::format("has {} dimensions", rank));
    H5Sget_simple_extent_dims(space, dims.data(), nullptr);
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
    const Id dataset = open(array, dims);
    if (dims[0] != static_cast<hsize_t>(header.frames) || (count && (dims[1] != count || dims[2] != 3)))
      damaged(array, "has another shape than the mesh and the number of frames ask for");
    std::vector<hsize_t> start(dims.size(), 0), size = dims;
    start[0] = static_cast<hsize_t>(k);
    size[0] = 1;
    const Id from(H5Dget_space(dataset), H5Sclose);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    const Id to(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, out) < 0)
      damaged(array, "cannot be read: " + h5::last_error());
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
    if (!attribute.valid()) return "";
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

  std::size_t rows(const char* array) const {
    std::vector<hsize_t> dims(2);
    open(array, dims);
    return dims[0];
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
    std::vector<hsize_t> dims(1);
    open(layout::times, dims);
    header.frames = static_cast<long>(dims[0]);
    header.velocities = has(layout::velocities) ? Velocities::store : Velocities::omit;
    header.limber_version = read_version();
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
  const auto written = impl_->read<std::int64_t>(layout::written);
  if (written.size() != 1 || written[0] < 0 || written[0] > header().frames)
    impl_->damaged(layout::written, "is not a number of frames");
  return static_cast<long>(written[0]);
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
