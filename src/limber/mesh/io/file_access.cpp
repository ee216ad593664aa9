#include "limber/mesh/io/file_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path inside = path.lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

/// Without "..", so that the way there leads through no other folder.
fs::path plain(const std::string& path) {
  fs::path whole = fs::path(path).lexically_normal();
  return whole.has_filename() || !whole.has_relative_path() ? whole : whole.parent_path();
}

/// Where symbolic links lead; what cannot be found out is left as it is.
fs::path followed(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

bool fits(std::string_view text, std::string_view pattern) {
  // Where the last * was, and from where on the text was tried behind it.
  std::size_t t = 0, p = 0, star = std::string_view::npos, tried = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// a2 before a10: digits that stand together are one number.
bool comes_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view s) {
    const std::size_t end = s.find_first_not_of("0123456789");
    return s.substr(0, end);
  };
  const auto significant = [](std::string_view s) {
    s.remove_prefix(std::min(s.find_first_not_of('0'), s.size()));
    return s;
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view m = digits(a), n = digits(b);
    if (!m.empty() && !n.empty()) {
      const std::string_view x = significant(m), y = significant(n);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      if (m.size() != n.size()) return m.size() < n.size();
      a.remove_prefix(m.size());
      b.remove_prefix(n.size());
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

}  // namespace

struct FileAccess::Limits {
  std::vector<fs::path> folders;  // as they were given, and where symbolic links lead
  std::set<std::string> files;
};

FileAccess::FileAccess(const std::vector<std::string>& folders, const std::vector<std::string>& files) {
  Limits limits;
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    limits.folders.push_back(plain(folder));
    limits.folders.push_back(followed(limits.folders.back()));
  }
  for (const std::string& file : files) limits.files.insert(plain(file).string());
  limits_ = std::make_shared<const Limits>(std::move(limits));
}

bool FileAccess::allows(const std::string& path) const {
  if (!limits_) return true;
  const fs::path wanted = plain(path);
  if (limits_->files.contains(wanted.string())) return true;
  const auto in_a_folder = [this](const fs::path& file) {
    return std::any_of(limits_->folders.begin(), limits_->folders.end(),
                       [&](const fs::path& folder) { return is_below(file, folder); });
  };
  return in_a_folder(wanted) && in_a_folder(followed(wanted));
}

void FileAccess::require(const std::string& path, const std::string& where) const {
  if (path.find('\0') != std::string::npos) throw InputError(where, "has a zero byte in it; no file has such a name");
  if (!allows(path))
    throw InputError(where, fmt::format("{} lies outside the folders of the scene and the output", path));
}

std::string FileAccess::load(const std::string& path) const {
  require(path, path);
  return load_file(path);
}

std::string FileAccess::load_beside(const std::string& path, const std::string& name) const {
  const auto refuse = [&] {
    throw InputError(
        path, fmt::format("names the file {}; it may only name files in its own folder or below", in_quotes(name)));
  };
  const fs::path inside = fs::path(name).lexically_normal();
  const bool odd = name.find_first_of(std::string_view("\0\\:", 3)) != std::string::npos;
  if (odd || inside.empty() || inside == "." || inside.is_absolute() || *inside.begin() == ".." ||
      !inside.has_filename())
    refuse();
  const fs::path folder = fs::path(path).parent_path(), other = folder / inside;
  // What the user named may bring its companions along, from where it lies.
  const bool comes_along = limits_ && limits_->files.contains(plain(path).string()) &&
                           is_below(followed(plain(other.string())), followed(plain(folder.string())));
  if (!comes_along && !allows(other.string())) refuse();
  return load_file(other.string());
}

std::vector<std::string> FileAccess::matching(const std::string& pattern, const std::string& where) const {
  require(pattern, where);
  const fs::path path(pattern), folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code unreadable;
  for (auto entry = fs::directory_iterator(folder, unreadable); entry != fs::directory_iterator();
       entry.increment(unreadable))
    if (std::string name = entry->path().filename().string(); fits(name, path.filename().string()))
      names.push_back(std::move(name));
  std::sort(names.begin(), names.end(), comes_before);
  for (std::string& name : names) {
    name = (path.parent_path() / name).string();
    require(name, where);
  }
  return names;
}

}  // namespace limber
