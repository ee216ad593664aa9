#include "limber/render/video.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/programs.hpp"

extern char** environ;

namespace limber {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

OutputError missing(const std::string& path) {
  return OutputError(path + ": the program ffmpeg was not found; install it, or render to a folder of pictures");
}

/// BT.709, as players expect of H.264; marked as such. The same pictures give the same file.
std::vector<std::string> command(const std::string& file, PictureSize size, double fps) {
  return {"ffmpeg",
          "-hide_banner",
          "-loglevel",
          "error",
          "-y",
          "-f",
          "rawvideo",
          "-pixel_format",
          "rgb24",
          "-video_size",
          fmt::format("{}x{}", size.width, size.height),
          "-framerate",
          fmt::format("{}", fps),
          "-i",
          "pipe:0",
          "-an",
          "-vf",
          "scale=out_color_matrix=bt709:out_range=tv",
          "-c:v",
          "libx264",
          "-preset",
          "medium",
          "-crf",
          "18",
          "-pix_fmt",
          "yuv420p",
          "-colorspace",
          "bt709",
          "-color_primaries",
          "bt709",
          "-color_trc",
          "bt709",
          "-movflags",
          "+faststart",
          "-fflags",
          "+bitexact",
          "-flags:v",
          "+bitexact",
          "-f",
          "mp4",
          "file:" + file};
}

/// A file without a name.
int nameless_file() {
  std::FILE* file = std::tmpfile();
  if (!file) throw OutputError("a temporary file cannot be made: " + reason(errno));
  const int copy = ::fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
  std::fclose(file);
  return copy;
}

std::string first_line(int file) {
  std::string text(4096, '\0');
  const ssize_t n = ::pread(file, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text.substr(0, text.find('\n'));
}

/// Why the program failed: what it said, and else how it ended.
std::string failure(int status, int complaints) {
  if (const std::string said = first_line(complaints); !said.empty()) return said;
  if (WIFSIGNALED(status))
    return fmt::format("it said nothing, and was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("it said nothing, and ended with status {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace

void require_ffmpeg(const std::string& path) {
  if (!has_program("ffmpeg")) throw missing(path);
}

VideoWriter::VideoWriter(const std::string& path, PictureSize size, double fps) : path_(path), part_(path + ".part") {
  if (size.width % 2 || size.height % 2)
    throw InputError("--size",
                     fmt::format("{}x{} is odd; a video needs an even width and height", size.width, size.height));
  int ends[2];  // a socket: writing to a program that has ended is an error there, not a signal
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw OutputError(path + ": " + reason(errno));
  input_ = ends[0];
  complaints_ = nameless_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, complaints_, STDERR_FILENO);
  std::vector<std::string> words = command(part_, size, fps);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;  // a group of its own: Ctrl-C reaches this program, which then ends ffmpeg
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = posix_spawnp(&ffmpeg_, "ffmpeg", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed == 0) return;
  ffmpeg_ = 0;
  close_input();
  ::close(complaints_);
  if (failed == ENOENT) throw missing(path);
  throw OutputError(path + ": ffmpeg could not be started: " + reason(failed));
}

VideoWriter::~VideoWriter() {
  if (ffmpeg_) ::kill(ffmpeg_, SIGTERM);
  close_input();  // or ffmpeg would wait for more before it heeds the signal
  if (ffmpeg_) wait();
  ::close(complaints_);
  std::error_code error;
  std::filesystem::remove(part_, error);
}

void VideoWriter::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

int VideoWriter::wait() {
  int status = -1;
  while (::waitpid(ffmpeg_, &status, 0) < 0 && errno == EINTR) {
  }
  ffmpeg_ = 0;
  return status;
}

void VideoWriter::fail() {
  close_input();
  const int status = ffmpeg_ ? wait() : 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) throw missing(path_);
  throw OutputError(fmt::format("{}: ffmpeg failed: {}", path_, failure(status, complaints_)));
}

void VideoWriter::add(const Image& image) {
  for (std::size_t done = 0; done < image.rgb.size();) {
    const ssize_t n = ::send(input_, image.rgb.data() + done, image.rgb.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    done += static_cast<std::size_t>(n);
  }
}

void VideoWriter::finish() {
  close_input();
  const int status = wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw OutputError(fmt::format("{}: ffmpeg failed: {}", path_, failure(status, complaints_)));
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) throw OutputError(path_ + ": " + error.message());
}

}  // namespace limber
