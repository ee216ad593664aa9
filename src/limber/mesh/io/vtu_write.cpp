#include "limber/mesh/io/vtu_write.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <type_traits>

#include "limber/core/base64.hpp"

namespace limber {

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string vtu_head() {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
      native_is_little ? "LittleEndian" : "BigEndian");
}

std::string vtu_tail() { return "</UnstructuredGrid>\n</VTKFile>\n"; }

template <class T>
std::string vtu_array(const std::string& name, int components, const std::vector<T>& values) {
  constexpr const char* kind = std::is_floating_point_v<T> ? "Float" : std::is_signed_v<T> ? "Int" : "UInt";
  const std::uint64_t n = values.size() * sizeof(T);
  std::string bytes(reinterpret_cast<const char*>(&n), sizeof n);
  bytes.append(reinterpret_cast<const char*>(values.data()), n);
  return fmt::format(
      "<DataArray type=\"{}{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n{}\n</DataArray>\n", kind,
      8 * sizeof(T), xml_escaped(name), components, base64_encoded(bytes));
}

template std::string vtu_array(const std::string&, int, const std::vector<std::uint8_t>&);
template std::string vtu_array(const std::string&, int, const std::vector<std::int32_t>&);
template std::string vtu_array(const std::string&, int, const std::vector<std::int64_t>&);
template std::string vtu_array(const std::string&, int, const std::vector<float>&);
template std::string vtu_array(const std::string&, int, const std::vector<double>&);

}  // namespace limber
