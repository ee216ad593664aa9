#include "limber/record/xdmf.hpp"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <string_view>

#include "limber/record/trajectory.hpp"
#include "limber/record/trajectory_layout.hpp"

namespace limber {

namespace {

constexpr std::string_view open_comment = "<!--", close_comment = "-->";
constexpr std::size_t time_width = 32;

/// `Value="0.25"` and spaces, always of the same width.
std::string time_text(double t) {
  char digits[32];
  const std::string_view number(digits, static_cast<std::size_t>(std::to_chars(digits, digits + 32, t).ptr - digits));
  return fmt::format("{:<{}}", fmt::format("Value=\"{}\"", number), time_width + 2);
}

/// Inside comments entities are plain text, and two hyphens are forbidden there.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("&<>-\"").find(c) == std::string_view::npos)
      text += c;
    else
      text += fmt::format("&#{};", static_cast<int>(c));
  }
  return text;
}

class Entries {
 public:
  Entries(const std::string& trajectory, const TrajectoryHeader& header)
      : file_(escaped(trajectory)),
        V_(header.node_count()),
        T_(header.tet_count()),
        E_(header.edges.size()),
        S_(header.triangles.size()),
        F_(header.frames),
        velocities_(header.velocities) {}

  /// What ParaView shows as one time step.
  std::string frame(long k) const {
    const std::string time = fmt::format("<Time {}/>", time_text(0));
    struct Piece {
      const char* name;
      std::string content;
    };
    std::vector<Piece> pieces;
    if (T_ > 0) pieces.push_back({"solid", tetrahedra() + points(k) + region()});
    if (S_ > 0) pieces.push_back({"sheets", sheets() + points(k)});
    if (E_ > 0 || pieces.empty()) pieces.push_back({"springs", lines() + points(k)});
    if (pieces.size() == 1) return grid("frame", pieces[0].content, time);
    std::string all;
    for (const Piece& piece : pieces) all += grid(piece.name, piece.content, "");
    return fmt::format("<Grid Name=\"frame\" GridType=\"Collection\" CollectionType=\"Spatial\">{}\n{}</Grid>\n", time,
                       all);
  }

 private:
  static std::string grid(const char* name, const std::string& content, const std::string& time) {
    return fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">{}\n{}</Grid>\n", name, time, content);
  }

  std::string integers(const char* array, const std::string& dimensions) const {
    return fmt::format("<DataItem Dimensions=\"{}\" NumberType=\"Int\" Precision=\"4\" Format=\"HDF\">{}:{}</DataItem>",
                       dimensions, file_, array);
  }

  /// Row k of an array #F × #V × 3. ParaView recognises a geometry that it has in memory by the first node of its
  /// DataItem, so that the processing instruction makes every frame another one.
  std::string slab(const char* array, long k) const {
    return fmt::format(
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"{1} 3\" NumberType=\"Float\" Precision=\"8\"><?frame {0}?>"
        "<DataItem Dimensions=\"3 3\" NumberType=\"Int\" Format=\"XML\">{0} 0 0 1 1 1 1 {1} 3</DataItem>"
        "<DataItem Dimensions=\"{2} {1} 3\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">{3}:{4}</DataItem>"
        "</DataItem>",
        k, V_, F_, file_, array);
  }

  std::string tetrahedra() const {
    return fmt::format("<Topology TopologyType=\"Tetrahedron\" NumberOfElements=\"{}\">{}</Topology>\n", T_,
                       integers(layout::tets, fmt::format("{} 4", T_)));
  }

  std::string sheets() const {
    return fmt::format("<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">{}</Topology>\n", S_,
                       integers(layout::triangles, fmt::format("{} 3", S_)));
  }

  std::string lines() const {
    return fmt::format(
        "<Topology TopologyType=\"Polyline\" NodesPerElement=\"2\" NumberOfElements=\"{}\">{}</Topology>\n", E_,
        integers(layout::edges, fmt::format("{} 2", E_)));
  }

  std::string points(long k) const {
    std::string text = fmt::format("<Geometry GeometryType=\"XYZ\">{}</Geometry>\n", slab(layout::positions, k));
    if (velocities_ == Velocities::store)
      text += fmt::format("<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">{}</Attribute>\n",
                          slab(layout::velocities, k));
    return text;
  }

  std::string region() const {
    return fmt::format("<Attribute Name=\"region\" AttributeType=\"Scalar\" Center=\"Cell\">{}</Attribute>\n",
                       integers(layout::region, fmt::format("{}", T_)));
  }

  std::string file_;
  std::size_t V_, T_, E_, S_;
  long F_;
  Velocities velocities_;
};

/// Fills up with spaces before the last line end, so that places are multiples of 8 and comments open in one write.
void pad(std::string& text, std::size_t size) { text.insert(text.size() - 1, size - text.size(), ' '); }

std::size_t round_up(std::size_t size) { return (size + 7) / 8 * 8; }

}  // namespace

template <class Put>
void XdmfIndex::uncover(long k, double t, const Put& put) const {
  const std::size_t begin = first_ + static_cast<std::size_t>(k) * entry_;
  put(begin + time_, time_text(t));
  put(begin, std::string(open_comment.size(), ' '));
  // Until this is written too, the closing mark is plain text, which XML allows.
  put(begin + entry_ - 1 - close_comment.size(), std::string(close_comment.size(), ' '));
}

XdmfIndex XdmfIndex::create(const std::string& path, const std::string& trajectory, const TrajectoryHeader& header,
                            const std::vector<double>& times) {
  assert(static_cast<long>(times.size()) <= header.frames);
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
      "<Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  pad(text, round_up(text.size()));
  const std::size_t first = text.size();
  const Entries entries(trajectory, header);
  const auto hidden = [&](long k) { return fmt::format("{}{}{}\n", open_comment, entries.frame(k), close_comment); };
  const std::string last = hidden(header.frames - 1);  // the longest
  const std::size_t entry = round_up(last.size());
  const std::size_t time = last.find("Value=");
  for (long k = 0; k < header.frames; ++k) {
    // Padded before the closing mark: that stands at the same place in every entry.
    std::string frame = hidden(k);
    frame.insert(frame.size() - close_comment.size() - 1, entry - frame.size(), ' ');
    text += frame;
  }
  text += "</Grid>\n</Domain>\n</Xdmf>\n";

  XdmfIndex index(first, entry, time);
  const auto put = [&](std::size_t place, const std::string& part) { text.replace(place, part.size(), part); };
  for (std::size_t k = 0; k < times.size(); ++k) index.uncover(static_cast<long>(k), times[k], put);
  write_atomically(path, text);
  index.file_.emplace(File::open(path));
  return index;
}

void XdmfIndex::show(long k, double t) {
  uncover(k, t, [&](std::size_t place, const std::string& part) {
    file_->write_at(static_cast<off_t>(place), part.data(), part.size());
  });
}

}  // namespace limber
