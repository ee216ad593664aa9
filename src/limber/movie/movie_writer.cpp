#include "limber/movie/movie_writer.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"

namespace limber {

namespace fs = std::filesystem;

MovieKind movie_kind(const std::string& output) {
  const fs::path path(output);
  const std::string extension = path.extension().string();
  if (!path.has_filename() || fs::is_directory(path) || extension.empty()) return MovieKind::pictures;
  if (extension == ".png") return MovieKind::picture;
  if (extension == ".mp4") return MovieKind::video;
  throw InputError(
      "--output",
      fmt::format("'{}' cannot be written: expected movie.mp4, picture.png or a folder, pictures/", output));
}

MovieWriter::MovieWriter(const std::string& output, PictureSize size, double fps)
    : output_(output), kind_(movie_kind(output)) {
  const fs::path path(output), folder = kind_ == MovieKind::pictures ? path : path.parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw OutputError(folder.string() + ": " + error.message());
  if (kind_ == MovieKind::video) video_.emplace(output, size, fps);
}

void MovieWriter::add(const Image& image) {
  if (video_) return video_->add(image);
  const fs::path numbered = fs::path(output_) / fmt::format("frame_{:04}.png", pictures_++);
  write_atomically(kind_ == MovieKind::picture ? output_ : numbered.string(), encode_png(image));
}

void MovieWriter::finish() {
  if (video_) video_->finish();
}

}  // namespace limber
