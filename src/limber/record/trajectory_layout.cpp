#include "limber/record/trajectory_layout.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

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

/// Pieces and the nodes of their index begin at multiples of this, so that a node is written as a whole.
constexpr std::size_t page = 4096;
/// HDF5 allows 4 GiB.
constexpr hsize_t largest_piece = hsize_t{1} << 30;

struct Array {
  const char* path;
  hid_t type;
  std::vector<hsize_t> dims;
  const char* units;
  bool grows = false;  // in its first dimension
};

constexpr std::array frame_arrays = {times, min_det_F, reactions, positions, velocities};

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
  for (Array& array : all)
    array.grows = std::find(frame_arrays.begin(), frame_arrays.end(), array.path) != frame_arrays.end();
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
  // What is large, and with it the blocks that HDF5 divides among small things, of which the count of frames is the
  // first: no number that a frame updates, and no node of an index, straddles two pages, so each is updated as a whole.
  check(H5Pset_alignment(access, page / 2, page));
#if H5_VERSION_GE(1, 10, 7)
  check(H5Pset_file_locking(access, 0, 1));  // not every file system can lock; RunDirectory keeps other runs away
#endif
  return access;
}

/// As many frames as there are now, or fewer where they are large; at least one, or some of its nodes.
std::vector<hsize_t> piece_of(const Array& array) {
  std::vector<hsize_t> piece = array.dims;
  for (hsize_t& n : piece) n = std::max<hsize_t>(n, 1);
  hsize_t row = H5Tget_size(array.type);
  for (std::size_t i = 1; i < piece.size(); ++i) row *= piece[i];
  piece[0] = std::clamp<hsize_t>(largest_piece / row, 1, piece[0]);
  if (row > largest_piece) piece[1] = largest_piece / (row / piece[1]);
  return piece;
}

/// Where the array lies, which is of numbers; an empty one lies nowhere.
std::optional<Place> place_of(hid_t dataset) {
  const Id creation(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose);
  const std::vector<hsize_t> dims = dimensions(dataset);
  std::size_t bytes = H5Tget_size(type);
  for (const hsize_t n : dims) bytes *= n;
  if (bytes == 0) return Place{};
  if (H5Pget_layout(creation) != H5D_CHUNKED) {
    const haddr_t place = H5Dget_offset(dataset);
    if (place == HADDR_UNDEF) return std::nullopt;
    return Place{{static_cast<off_t>(place)}, 0, bytes};
  }
  std::vector<hsize_t> piece(dims.size()), first(dims.size(), 0);
  H5Pget_chunk(creation, static_cast<int>(piece.size()), piece.data());
  Place place;
  place.piece = H5Tget_size(type);
  for (const hsize_t n : piece) place.piece *= n;
  const bool divided = dims.size() > 1 && piece[1] < dims[1];
  if (divided) place.row = bytes / dims[0];
  if (divided ? piece[0] != 1 : !std::equal(piece.begin() + 1, piece.end(), dims.begin() + 1)) return std::nullopt;
  const hsize_t in_row = divided ? (dims[1] + piece[1] - 1) / piece[1] : 1;
  const hsize_t count = (dims[0] + piece[0] - 1) / piece[0] * in_row;
  if (H5Dget_storage_size(dataset) < count * place.piece) return std::nullopt;
  for (hsize_t i = 0; i < count; ++i) {
    first[0] = i / in_row * piece[0];
    if (divided) first[1] = i % in_row * piece[1];
    haddr_t begin = HADDR_UNDEF;
    hsize_t size = 0;
    unsigned filters = 0;
    if (H5Dget_chunk_info_by_coord(dataset, first.data(), &filters, &begin, &size) < 0 || begin == HADDR_UNDEF)
      return std::nullopt;
    place.pieces.push_back(static_cast<off_t>(begin));
  }
  return place;
}

/// The type of the array, its space all reserved at once, nothing written into it, no time stamp.
Place create_array(const Check& check, hid_t file, const Array& array) {
  const Id links = check(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(links, 1));
  const Id creation = check(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const int rank = static_cast<int>(array.dims.size());
  std::vector<hsize_t> most = array.dims;
  if (array.grows) {
    const std::vector<hsize_t> piece = piece_of(array);
    check(H5Pset_chunk(creation, rank, piece.data()));
    for (std::size_t i = 1; i < most.size(); ++i) most[i] = std::max(most[i], piece[i]);
    most[0] = H5S_UNLIMITED;
  } else {
    check(H5Pset_layout(creation, H5D_CONTIGUOUS));
  }
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  check(H5Pset_obj_track_times(creation, false));
  const Id space = check(H5Screate_simple(rank, array.dims.data(), most.data()), H5Sclose);
  const Id dataset = check(H5Dcreate2(file, array.path, array.type, space, links, creation, H5P_DEFAULT), H5Dclose);
  if (array.units) put_text(check, dataset, "units", array.units);
  const std::optional<Place> place = place_of(dataset);
  if (!place) check.fail();
  return *place;
}

/// The pages of a file that are not all zeros, by where they begin.
using Pages = std::map<off_t, std::string>;

/// Without the bytes of `left_out`, whose ranges [begin, end) are sorted.
Pages pages_of(const File& file, const std::vector<std::array<off_t, 2>>& left_out) {
  Pages pages;
  off_t begin = 0;
  const auto take = [&](off_t end) {
    while ((begin = file.next_data(begin)) < end) {
      const off_t first = begin / static_cast<off_t>(page) * static_cast<off_t>(page);
      const off_t last = std::min(end, first + static_cast<off_t>(page));
      std::string bytes(static_cast<std::size_t>(last - begin), '\0');
      file.read_at(begin, bytes.data(), bytes.size());
      if (bytes.find_first_not_of('\0') != std::string::npos)
        std::copy(bytes.begin(), bytes.end(),
                  pages.try_emplace(first, page, '\0').first->second.begin() + (begin - first));
      begin = last;
    }
  };
  for (const auto& [from, to] : left_out) {
    if (begin < from) take(from);
    begin = std::max(begin, to);
  }
  take(file.size());
  return pages;
}

/// A nameless file, sparse, in memory where the system has such (/dev/shm). HDF5 makes the structure here and not on a
/// disk that may be full: after a write that failed it would crash when the program ends.
class Memory {
 public:
  explicit Memory(const std::string& path) : name_(made_near(path)), file_(File::open(name_)) {}
  ~Memory() { forget_name(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const std::string& name() const { return name_; }
  /// Then nothing is left of it when the program is killed.
  void forget_name() {
    if (!name_.empty()) ::unlink(name_.c_str());
    name_.clear();
  }
  File& file() { return file_; }

 private:
  static std::string made_near(const std::string& path) {
    for (std::string name : {std::string("/dev/shm/limber-XXXXXX"), path + "-XXXXXX"}) {
      const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
      if (descriptor < 0) continue;
      ::close(descriptor);
      return name;
    }
    throw_output_error(path, errno);
  }

  std::string name_;
  File file_;
};

/// No less than the size of the file [bytes].
off_t most_bytes(const TrajectoryHeader& header) {
  const Id name_type = string_type(name_size(header));
  double size = 1 << 16;
  for (const Array& array : arrays(header, name_type)) {
    double bytes = static_cast<double>(H5Tget_size(array.type)), pieces = 1;
    const std::vector<hsize_t> piece = array.grows ? piece_of(array) : array.dims;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] > 0) pieces *= static_cast<double>((array.dims[i] + piece[i] - 1) / piece[i]);
      bytes *= static_cast<double>(piece[i]);
    }
    size += pieces * (bytes + (array.grows ? static_cast<double>(page) : 0));
  }
  return static_cast<off_t>(std::min(size, 9e18));
}

Places create_structure(const std::string& path, Memory& memory, const TrajectoryHeader& header) {
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
  Places places;
  const Id name_type = string_type(name_size(header));
  for (const Array& array : arrays(header, name_type)) places[array.path] = create_array(check, file, array);
  check.close(file);
  return places;
}

/// Not one that leads to another file, nor does the group that it is in.
void require_own_link(const std::string& path, hid_t file, const std::string& array) {
  for (std::size_t end = array.find('/', 1);; end = array.find('/', end + 1)) {
    const std::string name = array.substr(0, end);
    H5L_info_t link;
    if (H5Lget_info(file, name.c_str(), &link, H5P_DEFAULT) < 0)
      throw InputError(path, fmt::format("the array {} is missing", array));
    if (link.type != H5L_TYPE_HARD)
      throw InputError(path, fmt::format("the array {} does not lie in the file: {} is a link", array, name));
    if (end == std::string::npos) return;
  }
}

}  // namespace

Place::Run Place::run(std::size_t byte) const {
  const std::size_t in_row = row ? (row + piece - 1) / piece : 0;
  const std::size_t before = row ? byte / row * in_row : 0, here = row ? byte % row : byte;
  const std::size_t passed = here % piece, size = piece - passed;
  return {pieces.at(before + here / piece) + static_cast<off_t>(passed), row ? std::min(size, row - here) : size};
}

void Place::write(File& file, std::size_t byte, const void* data, std::size_t size) const {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const Run to = run(byte);
    const std::size_t part = std::min(size, to.size);
    file.write_at(to.begin, next, part);
    next += part;
    byte += part;
    size -= part;
  }
}

Places create(const std::string& path, const TrajectoryHeader& header) {
  const h5::Quiet quiet;
  File file = File::create(path);
  file.truncate(most_bytes(header));
  Memory memory(path);
  Places places = create_structure(path, memory, header);
  assert(places.at(written).pieces.front() % 8 == 0);
  for (const auto& [begin, bytes] : pages_of(memory.file(), {})) file.write_at(begin, bytes.data(), bytes.size());
  file.truncate(memory.file().size());
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
  if (!attribute.valid() || !h5::is_single(attribute) || H5Aread(attribute, H5T_NATIVE_INT, &version) < 0 ||
      version < 1 || version > format_version)
    throw InputError(path,
                     fmt::format("has the trajectory format {}; this Limber reads 1 to {}", version, format_version));
  return file;
}

std::vector<hsize_t> dimensions(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return dims;
}

h5::Id open_array(const std::string& path, hid_t file, const char* array) {
  const auto refuse = [&](const std::string& how) {
    throw InputError(path, fmt::format("the array {} {}", array, how));
  };
  require_own_link(path, file, array);
  Id dataset(H5Dopen2(file, array, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) refuse("cannot be opened: " + h5::last_error());
  const Id creation(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose);
  const H5D_layout_t kind = H5Pget_layout(creation);
  if ((kind != H5D_CONTIGUOUS && kind != H5D_CHUNKED) || H5Pget_external_count(creation) != 0 ||
      H5Pget_nfilters(creation) != 0)
    refuse("does not lie in the file as it is");
  const double most = static_cast<double>(std::filesystem::file_size(path));
  double size = static_cast<double>(H5Tget_size(type));
  for (const hsize_t n : dimensions(dataset)) size *= static_cast<double>(n);
  if (size == 0) return dataset;
  const haddr_t place = kind == H5D_CONTIGUOUS ? H5Dget_offset(dataset) : 0;
  if (place == HADDR_UNDEF || static_cast<double>(place) + size > most)
    refuse(fmt::format("has {:.0f} bytes, more than the file", size));
  return dataset;
}

Places locate(const std::string& path) {
  const Id file = open(path);
  const h5::Quiet quiet;
  Places places;
  for (const char* array :
       {nodes, tets, edges, triangles, region, prescribed, body_names, body_nodes, body_tets, body_edges,
        body_triangles, body_pieces, positions, velocities, reactions, times, min_det_F, written}) {
    const bool optional = array == velocities || array == triangles || array == body_triangles || array == body_pieces;
    if (optional && H5Lexists(file, array, H5P_DEFAULT) <= 0) continue;
    std::optional<Place> place = place_of(open_array(path, file, array));
    if (!place) throw InputError(path, fmt::format("the array {} has parts that are not in the file", array));
    places[array] = std::move(*place);
  }
  return places;
}

namespace {

/// All but the numbers of arrays.
Pages structure_of(const File& file, const Places& places) {
  std::vector<std::array<off_t, 2>> numbers;
  for (const auto& [array, place] : places)
    for (const off_t begin : place.pieces) numbers.push_back({begin, begin + static_cast<off_t>(place.piece)});
  std::sort(numbers.begin(), numbers.end());
  return pages_of(file, numbers);
}

/// Makes the arrays in the file longer, which is closed then. Where it ended before.
off_t extend(const std::string& path, Memory& memory, long frames, Places& places) {
  const Check check(path);
  const Id access = access_properties(check);
  Id file = check(H5Fopen(memory.name().c_str(), H5F_ACC_RDWR, access), H5Fclose);
  memory.forget_name();
  haddr_t end = 0;
  check(H5Fget_eoa(file, &end));
  for (const char* array : frame_arrays) {
    if (!places.contains(array)) continue;
    const Id dataset = check(H5Dopen2(file, array, H5P_DEFAULT), H5Dclose);
    std::vector<hsize_t> dims = dimensions(dataset);
    const Id creation = check(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(creation) != H5D_CHUNKED)
      throw InputError(path, fmt::format("is of trajectory format 1, which has no room for more than its {} frames; "
                                         "start the run again with --overwrite",
                                         dims[0]));
    dims[0] = std::max(dims[0], static_cast<hsize_t>(frames));
    check(H5Dset_extent(dataset, dims.data()));
    std::optional<Place> place = place_of(dataset);
    if (!place) check.fail();
    places[array] = std::move(*place);
  }
  check.close(file);
  return static_cast<off_t>(end);
}

}  // namespace

Growth grow(const std::string& path, const Places& places, long frames) {
  const h5::Quiet quiet;
  Growth growth;
  growth.places = places;
  const File file = File::open(path);
  Pages before = structure_of(file, growth.places);
  Memory memory(path);
  memory.file().truncate(file.size());
  for (const auto& [begin, bytes] : before) memory.file().write_at(begin, bytes.data(), bytes.size());
  const off_t old_end = extend(path, memory, frames, growth.places);
  growth.size = std::max(memory.file().size(), file.size());
  for (auto& [begin, bytes] : pages_of(memory.file(), {})) {
    const std::string& old = before.try_emplace(begin, page, '\0').first->second;
    std::size_t first = 0, end = page;
    while (first < page && bytes[first] == old[first]) ++first;
    if (first == page) continue;
    while (bytes[end - 1] == old[end - 1]) --end;
    // Between what has changed there may be numbers, which the structure does not have.
    const auto there = static_cast<std::size_t>(std::clamp<off_t>(file.size() - begin, 0, page));
    std::string now(page, '\0');
    file.read_at(begin, now.data(), there);
    for (std::size_t i = first; i < end; ++i)
      if (bytes[i] != old[i]) now[i] = bytes[i];
    growth.writes.push_back({begin + static_cast<off_t>(first), now.substr(first, end - first)});
  }
  // New nodes of an index before those that refer to them; the end of the file, which stands at its beginning, before
  // what lies behind the old one is used; and the root of an index before the node that it is divided with.
  std::stable_partition(growth.writes.begin(), growth.writes.end(),
                        [&](const Growth::Write& w) { return w.place >= old_end; });
  return growth;
}

}  // namespace limber::layout
