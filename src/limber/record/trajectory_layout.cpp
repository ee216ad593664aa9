#include "limber/record/trajectory_layout.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>

#include "limber/core/errors.hpp"

namespace limber::layout {

static_assert(std::endian::native == std::endian::little, "arrays are written in the machine's byte order");

std::size_t name_size(const TrajectoryHeader& header) {
  std::size_t size = 1;
  for (const BodyRange& body : header.bodies) size = std::max(size, body.name.size());
  return size;
}

namespace {

using h5::Id;

struct Array {
  const char* path;
  hid_t type;
  std::vector<hsize_t> dims;
  const char* units;
};

Id string_type(std::size_t size) {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

/// Small arrays first: those that a frame updates keep their space on the disk when it fills.
std::vector<Array> arrays(const TrajectoryHeader& header, hid_t name_type) {
  const hsize_t V = header.node_count(), T = header.tet_count(), E = header.edges.size(), S = header.triangles.size();
  const hsize_t P = header.prescribed.size(), B = header.bodies.size(), F = static_cast<hsize_t>(header.frames);
  const hid_t real = H5T_IEEE_F64LE, integer = H5T_STD_I32LE;
  std::vector<Array> all = {
      {written, H5T_STD_I64LE, {1}, "1"}, {times, real, {F}, "s"},
      {min_det_F, real, {F}, "1"},        {body_names, name_type, {B}, nullptr},
      {body_nodes, integer, {B, 2}, "1"}, {body_tets, integer, {B, 2}, "1"},
      {body_edges, integer, {B, 2}, "1"}, {body_triangles, integer, {B, 2}, "1"},
      {body_pieces, integer, {B}, "1"},   {prescribed, integer, {P}, "1"},
      {nodes, real, {V, 3}, "m"},         {tets, integer, {T, 4}, "1"},
      {edges, integer, {E, 2}, "1"},      {triangles, integer, {S, 3}, "1"},
      {region, integer, {T}, "1"},        {reactions, real, {F, P, 3}, "N"},
      {positions, real, {F, V, 3}, "m"},
  };
  if (header.velocities == Velocities::store) all.push_back({velocities, real, {F, V, 3}, "m/s"});
  return all;
}

/// Throws if an HDF5 call failed.
class Check {
 public:
  explicit Check(const std::string& path) : path_(path) {}
  Id operator()(hid_t id, Id::Close close) const {
    if (id < 0) fail();
    return Id(id, close);
  }
  void operator()(herr_t status) const {
    if (status < 0) fail();
  }
  void close(Id& id) const {
    if (!id.close()) fail();
  }
  [[noreturn]] void fail() const { throw OutputError(path_ + ": cannot be written: " + h5::last_error()); }

 private:
  const std::string& path_;
};

void put_text(const Check& check, hid_t object, const char* name, const std::string& text) {
  const Id type = string_type(text.size());
  const Id space = check(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute = check(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  std::string padded = text;
  padded.resize(std::max<std::size_t>(text.size(), 1));
  check(H5Awrite(attribute, type, padded.data()));
}

void put_integer(const Check& check, hid_t object, const char* name, int value) {
  const Id space = check(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute = check(H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, H5T_NATIVE_INT, &value));
}

Id access_properties(const Check& check) {
  Id access = check(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Eight-byte places: the count of frames never straddles two pages of memory, so it is updated as a whole.
  check(H5Pset_alignment(access, 1, 8));
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(access, 0, 1));  // not every file system can lock; RunDirectory keeps other runs away
#endif
  return access;
}

/// The type of the array, its space all reserved at once, nothing written into it, no time stamp.
off_t create_array(const Check& check, hid_t file, const Array& array) {
  const Id links = check(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links, 1));
  const Id creation = check(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_layout(creation, H5D_CONTIGUOUS));
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  check(H5Pset_obj_track_times(creation, false));
  const Id space = check(H5Screate_simple(static_cast<int>(array.dims.size()), array.dims.data(), nullptr), H5Sclose);
  const Id dataset = check(H5Dcreate2(file, array.path, array.type, space, links, creation, H5P_DEFAULT), H5Dclose);
  if (array.units) put_text(check, dataset, "units", array.units);
  const haddr_t place = H5Dget_offset(dataset);
  return place == HADDR_UNDEF ? 0 : static_cast<off_t>(place);
}

/// A nameless file, sparse, in memory where the system has such (/dev/shm). HDF5 makes the structure here and not on a
/// disk that may be full: after a write that failed it would crash when the program ends.
class Memory {
 public:
  explicit Memory(const std::string& path) : path_(path) {
    for (const std::string& pattern : {std::string("/dev/shm/limber-XXXXXX"), path + "-XXXXXX"}) {
      name_ = pattern;
      descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
      if (descriptor_ >= 0) return;
    }
    throw_output_error(path_, errno);
  }
  ~Memory() {
    forget_name();
    ::close(descriptor_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const std::string& name() const { return name_; }
  /// Then nothing is left of it when the program is killed.
  void forget_name() {
    if (!name_.empty()) ::unlink(name_.c_str());
    name_.clear();
  }

  /// Copies all but the holes.
  void copy_to(File& file) const {
    const off_t size = ::lseek(descriptor_, 0, SEEK_END);
    std::string piece;
    for (off_t end, begin = 0; (begin = ::lseek(descriptor_, begin, SEEK_DATA)) >= 0; begin = end) {
      end = ::lseek(descriptor_, begin, SEEK_HOLE);
      piece.resize(static_cast<std::size_t>(end - begin));
      if (::pread(descriptor_, piece.data(), piece.size(), begin) != end - begin) throw_output_error(path_, EIO);
      file.write_at(begin, piece.data(), piece.size());
    }
    file.truncate(size);
  }

 private:
  const std::string& path_;
  std::string name_;
  int descriptor_ = -1;
};

/// No less than the size of the file [bytes].
off_t most_bytes(const TrajectoryHeader& header) {
  const Id name_type = string_type(name_size(header));
  double size = 1 << 16;
  for (const Array& array : arrays(header, name_type)) {
    double bytes = static_cast<double>(H5Tget_size(array.type));
    for (const hsize_t n : array.dims) bytes *= static_cast<double>(n);
    size += bytes;
  }
  return static_cast<off_t>(std::min(size, 9e18));
}

std::map<std::string, off_t> create_structure(const std::string& path, Memory& memory, const TrajectoryHeader& header) {
  const h5::Quiet quiet;
  const Check check(path);
  const Id creation = check(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_obj_track_times(creation, false));
  const Id access = access_properties(check);
  Id file = check(H5Fcreate(memory.name().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  memory.forget_name();
  put_text(check, file, "format", format);
  put_integer(check, file, "format_version", format_version);
  put_text(check, file, "limber_version", header.limber_version);
  put_text(check, file, "units", "SI");
  std::map<std::string, off_t> places;
  const Id name_type = string_type(name_size(header));
  for (const Array& array : arrays(header, name_type)) places[array.path] = create_array(check, file, array);
  check.close(file);
  return places;
}

}  // namespace

std::map<std::string, off_t> create(const std::string& path, const TrajectoryHeader& header) {
  const h5::Quiet quiet;
  File file = File::create(path);
  file.truncate(most_bytes(header));
  Memory memory(path);
  auto places = create_structure(path, memory, header);
  memory.copy_to(file);
  file.close();
  return places;
}

h5::Id open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(path, error ? "cannot be read: " + error_text(error.value()) : "there is no such file");
  const h5::Quiet quiet;
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_sieve_buf_size(access, 0);  // every read goes to the file, so that a run that goes on is seen
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (!file.valid()) throw InputError(path, "cannot be read as HDF5: " + h5::last_error());
  if (H5Aexists(file, "format") <= 0 || H5Aexists(file, "format_version") <= 0)
    throw InputError(path, "is not a trajectory of Limber");
  const Id attribute(H5Aopen(file, "format_version", H5P_DEFAULT), H5Aclose);
  int version = 0;
  if (!attribute.valid() || H5Aread(attribute, H5T_NATIVE_INT, &version) < 0 || version != format_version)
    throw InputError(path, fmt::format("has the trajectory format {}; this Limber reads {}", version, format_version));
  return file;
}

h5::Id open_array(const h5::Id& file, const char* array, const std::string& path) {
  const std::string name = array;
  const auto refuse = [&] { throw InputError(path, fmt::format("the array {} lies in another file", name)); };
  for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
    H5L_info_t link;
    const std::string part = name.substr(0, slash);
    if (H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_HARD) refuse();
    if (slash == std::string::npos) break;
  }
  Id dataset(H5Dopen2(file, array, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) return dataset;
  const Id made(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(made) == H5D_VIRTUAL || H5Pget_external_count(made) > 0) refuse();
  return dataset;
}

std::map<std::string, off_t> locate(const std::string& path) {
  const Id file = open(path);
  const h5::Quiet quiet;
  std::map<std::string, off_t> places;
  for (const char* array : {nodes, tets, edges, region, prescribed, body_names, body_nodes, body_tets, body_edges,
                            positions, velocities, reactions, times, min_det_F, written}) {
    const Id dataset = open_array(file, array, path);
    if (!dataset.valid()) continue;
    const haddr_t place = H5Dget_offset(dataset);
    places[array] = place == HADDR_UNDEF ? 0 : static_cast<off_t>(place);
  }
  return places;
}

}  // namespace limber::layout
