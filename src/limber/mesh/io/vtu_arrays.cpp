#include "limber/mesh/io/vtu_arrays.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>

#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"

namespace limber {
namespace {

struct ValueType {
  std::string_view name;
  std::size_t bytes;
};
constexpr ValueType value_types[] = {{"Int8", 1},   {"UInt8", 1}, {"Int16", 2},  {"UInt16", 2},  {"Int32", 4},
                                     {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}, {"Float32", 4}, {"Float64", 8}};

template <class Stored>
Stored stored_value(const char* at, ByteOrder order) {
  Stored x;
  std::memcpy(&x, at, sizeof x);
  return order == ByteOrder::swapped ? swapped_bytes(x) : x;
}

}  // namespace

std::string VtuFile::Stream::first(std::size_t n) const {
  return coding == Coding::raw ? std::string(text.substr(0, n)) : base64_decoded(text, n).bytes;
}

void VtuFile::fail(pugi::xml_node node, const std::string& what) const {
  const auto at = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)), text_.size());
  Cursor(path_, text_, at, at).fail(what);
}

VtuFile::VtuFile(std::string path, std::string_view text) : path_(std::move(path)), text_(text) {
  cut_appended();
  const auto result =
      document_.load_buffer(xml_.data(), xml_.size(), pugi::parse_minimal | pugi::parse_escapes, pugi::encoding_utf8);
  if (!result) {
    const auto at = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text_.size());
    Cursor(path_, text_, at, at).fail(fmt::format("this is not XML: {}", result.description()));
  }
  const pugi::xml_node file = document_.child("VTKFile");
  if (!file) throw InputError(path_ + ":1", "expected the element VTKFile");
  const std::string type = file.attribute("type").value();
  if (type != "UnstructuredGrid") fail(file, fmt::format("found type {}, expected UnstructuredGrid", in_quotes(type)));
  grid_ = file.child("UnstructuredGrid");
  if (!grid_) fail(file, "expected the element UnstructuredGrid");

  const std::string order = file.attribute("byte_order").as_string("LittleEndian");
  if (order == "BigEndian")
    order_ = big_endian;
  else if (order != "LittleEndian")
    fail(file, fmt::format("found byte_order {}, expected LittleEndian or BigEndian", in_quotes(order)));
  const std::string header = file.attribute("header_type").as_string("UInt32");
  if (header != "UInt32" && header != "UInt64")
    fail(file, fmt::format("found header_type {}, expected UInt32 or UInt64", in_quotes(header)));
  header_bytes_ = header == "UInt64" ? 8 : 4;
  const std::string compressor = file.attribute("compressor").value();
  if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
    fail(file, fmt::format("compressor {} is not read, expected vtkZLibDataCompressor or none", in_quotes(compressor)));
  compressed_ = !compressor.empty();

  if (const pugi::xml_node data = file.child("AppendedData")) {
    const std::string coding = data.attribute("encoding").as_string("base64");
    if (coding != "raw" && coding != "base64")
      fail(data, fmt::format("found encoding {}, expected raw or base64", in_quotes(coding)));
    appended_coding_ = coding == "raw" ? Coding::raw : Coding::base64;
  }
}

/// Raw data is not XML: it is cut out before the rest is parsed.
void VtuFile::cut_appended() {
  xml_ = text_;
  const std::size_t open = text_.find("<AppendedData");
  if (open == std::string_view::npos) return;
  const std::size_t start = text_.find('>', open), close = text_.rfind("</AppendedData");
  if (start == std::string_view::npos || close == std::string_view::npos || close < start)
    Cursor(path_, text_, open, open).fail("the file ends inside AppendedData, expected </AppendedData>");
  const std::size_t underscore = text_.find('_', start);
  if (underscore >= close) Cursor(path_, text_, open, open).fail("expected an underscore before the appended data");
  appended_ = text_.substr(underscore + 1, close - underscore - 1);
  xml_ = std::string(text_.substr(0, start + 1)) + std::string(text_.substr(close));
}

long long VtuFile::count(pugi::xml_node node, const char* attribute, long long largest) const {
  const std::string_view s = node.attribute(attribute).value();
  long long n = -1;
  const auto [stop, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || stop != s.data() + s.size() || n < 0 || n > largest)
    fail(node, fmt::format("found {}=\"{}\", expected a count from 0 to {}", attribute, s, largest));
  return n;
}

bool VtuFile::is_scalar(pugi::xml_node array) const {
  const std::string_view name = array.attribute("type").value();
  const bool number =
      std::any_of(std::begin(value_types), std::end(value_types), [&](auto& t) { return t.name == name; });
  return number && array.attribute("NumberOfComponents").as_int(1) == 1;
}

std::size_t VtuFile::value_size(pugi::xml_node array) const {
  const std::string_view name = array.attribute("type").value();
  for (const ValueType& t : value_types)
    if (t.name == name) return t.bytes;
  fail(array, fmt::format("found type {}, expected one such as Int32 or Float64", in_quotes(name)));
}

template <class T>
std::vector<T> VtuFile::values(pugi::xml_node array, std::size_t n, Reals reals) const {
  const std::string format = array.attribute("format").as_string("ascii");
  if (std::is_integral_v<T> && std::string_view(array.attribute("type").value()).starts_with("Float"))
    fail(array, "found a type with fractions, expected an integer one");
  const std::size_t size = value_size(array);
  if (format == "ascii") return ascii_values<T>(array, n, reals);
  if (format != "binary" && format != "appended")
    fail(array, fmt::format("found format {}, expected ascii, binary or appended", in_quotes(format)));
  return unpacked<T>(array, payload(array, n * size), n);
}

template <class T>
std::vector<T> VtuFile::ascii_values(pugi::xml_node array, std::size_t n, Reals reals) const {
  pugi::xml_node content = array.first_child();
  while (content && content.type() != pugi::node_pcdata) content = content.next_sibling();
  const std::size_t at = static_cast<std::size_t>((content ? content : array).offset_debug());
  Cursor in(path_, xml_, at, content ? at + std::strlen(content.value()) : at);
  std::vector<T> values;
  values.reserve(in.checked_count(static_cast<long long>(n), "the number of values", 2));
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>)
      values.push_back(in.integer("a value"));
    else
      values.push_back(reals == Reals::any ? in.any_real("a value") : in.real("a value"));
  }
  if (!in.done())
    fail(array, fmt::format("the array {} holds more than {} values", array.attribute("Name").value(), n));
  return values;
}

template <class T>
std::vector<T> VtuFile::unpacked(pugi::xml_node array, const std::string& bytes, std::size_t n) const {
  const std::string_view type = array.attribute("type").value();
  std::vector<T> values(n);
  const auto read = [&]<class Stored>(Stored) {
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<T>(stored_value<Stored>(bytes.data() + i * sizeof(Stored), order_));
  };
  if (type == "Int8") read(std::int8_t{});
  if (type == "UInt8") read(std::uint8_t{});
  if (type == "Int16") read(std::int16_t{});
  if (type == "UInt16") read(std::uint16_t{});
  if (type == "Int32") read(std::int32_t{});
  if (type == "UInt32") read(std::uint32_t{});
  if (type == "Int64") read(std::int64_t{});
  if (type == "UInt64") read(std::uint64_t{});
  if constexpr (!std::is_integral_v<T>) {
    if (type == "Float32") read(float{});
    if (type == "Float64") read(double{});
  }
  return values;
}

VtuFile::Stream VtuFile::stream(pugi::xml_node array) const {
  if (std::string_view(array.attribute("format").value()) == "binary") return {array.child_value(), Coding::base64};
  const auto offset = static_cast<std::size_t>(count(array, "offset", std::numeric_limits<long long>::max()));
  if (offset >= appended_.size())
    fail(array, fmt::format("offset {} lies outside the {} bytes of appended data", offset, appended_.size()));
  return {appended_.substr(offset), appended_coding_};
}

std::string VtuFile::first(pugi::xml_node array, const Stream& in, std::size_t n) const {
  std::string bytes = n <= in.capacity() ? in.first(n) : std::string();
  if (bytes.size() < n)
    fail(array,
         fmt::format("the data of the array {} ends before {} bytes are read", array.attribute("Name").value(), n));
  bytes.resize(n);
  return bytes;
}

std::size_t VtuFile::header_number(const std::string& bytes, std::size_t i) const {
  const char* at = bytes.data() + i * header_bytes_;
  return header_bytes_ == 8 ? stored_value<std::uint64_t>(at, order_) : stored_value<std::uint32_t>(at, order_);
}

std::string VtuFile::payload(pugi::xml_node array, std::size_t expected_bytes) const {
  const Stream in = stream(array);
  if (compressed_) return inflated(array, in, expected_bytes);
  const std::size_t n = header_number(first(array, in, header_bytes_), 0);
  if (n != expected_bytes)
    fail(array, fmt::format("the array {} announces {} bytes, expected {}", array.attribute("Name").value(), n,
                            expected_bytes));
  return first(array, in, header_bytes_ + n).substr(header_bytes_);
}

std::string VtuFile::inflated(pugi::xml_node array, const Stream& in, std::size_t expected_bytes) const {
  const char* name = array.attribute("Name").value();
  const std::size_t blocks = header_number(first(array, in, header_bytes_), 0);
  if (blocks > in.capacity() / header_bytes_)
    fail(array, fmt::format("the array {} announces {} blocks, more than its data holds", name, blocks));
  if (blocks == 0 && expected_bytes == 0) return {};
  const std::size_t header_size = header_bytes_ * (3 + blocks);
  const std::string header = first(array, in, header_size);
  const std::size_t full = header_number(header, 1), last = header_number(header, 2);
  std::size_t packed = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t size = header_number(header, 3 + b);
    if (size > in.capacity()) fail(array, fmt::format("the array {} announces a block of {} bytes", name, size));
    packed += size;
  }
  const auto unpacked_size = [&](std::size_t b) { return b + 1 == blocks && last != 0 ? last : full; };
  // zlib packs at most 1032 to 1, so a larger size is a damaged one.
  const bool fits = blocks > 0 && (blocks == 1 || full <= expected_bytes / (blocks - 1)) &&
                    unpacked_size(blocks - 1) <= expected_bytes &&
                    full * (blocks - 1) == expected_bytes - unpacked_size(blocks - 1) &&
                    expected_bytes / 1040 <= packed + 1;
  if (!fits)
    fail(array, fmt::format("the array {} announces {} blocks of {} bytes, the last of {}; expected {} bytes in all",
                            name, blocks, full, last == 0 ? full : last, expected_bytes));
  const std::string bytes = first(array, in, header_size + packed);
  std::string out(expected_bytes, '\0');
  std::size_t from = header_size, to = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t size = header_number(header, 3 + b);
    uLongf done = unpacked_size(b);
    const int status = uncompress(reinterpret_cast<Bytef*>(out.data() + to), &done,
                                  reinterpret_cast<const Bytef*>(bytes.data() + from), size);
    if (status != Z_OK || done != unpacked_size(b))
      fail(array, fmt::format("the array {}: block {} cannot be inflated ({})", name, b, zError(status)));
    from += size;
    to += unpacked_size(b);
  }
  return out;
}

template std::vector<double> VtuFile::values(pugi::xml_node, std::size_t, Reals) const;
template std::vector<long long> VtuFile::values(pugi::xml_node, std::size_t, Reals) const;

}  // namespace limber
