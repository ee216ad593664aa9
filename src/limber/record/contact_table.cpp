#include "limber/record/contact_table.hpp"

#include <charconv>
#include <string_view>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

constexpr std::string_view header =
    "time,body_a,body_b,collisions,smallest_gap,normal_x,normal_y,normal_z,friction_x,friction_y,friction_z\n";

void append(std::string& line, double x) {
  char digits[32];
  line += ',';
  line.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

/// Quoted where a plain reader would stumble.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

ContactTable ContactTable::create(const std::string& path) {
  ContactTable table(File::create(path));
  table.file_.append(header);
  return table;
}

ContactTable ContactTable::resume(const std::string& path, double t) {
  const std::string content = read_file(path);
  if (!content.starts_with(header))
    throw InputError(path + ":1", "the columns are not those of this run; start it again with --overwrite");
  std::size_t keep = header.size();
  while (keep < content.size()) {
    const std::size_t end = content.find('\n', keep);
    double time = 0;
    const auto read = std::from_chars(content.data() + keep, content.data() + content.size(), time);
    if (end == std::string::npos || read.ec != std::errc() || time > t) break;
    keep = end + 1;
  }
  ContactTable table(File::open(path));
  table.file_.truncate(static_cast<off_t>(keep));
  return table;
}

void ContactTable::add(const ContactRow& row) {
  char digits[32];
  std::string line(digits, std::to_chars(digits, digits + sizeof digits, row.time).ptr);
  line += "," + cell(row.body_a) + "," + cell(row.body_b) + "," + std::to_string(row.collisions);
  append(line, row.smallest_gap);
  for (const Vec3* f : {&row.normal_force, &row.friction_force})
    for (int k = 0; k < 3; ++k) append(line, (*f)[k]);
  file_.append(line + "\n");
}

}  // namespace limber
