#include "limber/record/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "limber/core/errors.hpp"
#include "limber/core/programs.hpp"
#include "limber/record/files.hpp"

extern char** environ;

namespace limber {

namespace {

constexpr const char* missing = "gnuplot was not found; install it to get plots";

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Stream temporary_stream(const std::string& content = "") {
  Stream stream(std::tmpfile(), std::fclose);
  if (!stream) throw OutputError("a temporary file cannot be made: " + error_text(errno));
  if (std::fwrite(content.data(), 1, content.size(), stream.get()) != content.size() || std::fflush(stream.get()) != 0)
    throw OutputError("a temporary file cannot be written: " + error_text(errno));
  std::rewind(stream.get());
  return stream;
}

std::string first_line(std::FILE* stream) {
  std::rewind(stream);
  std::string text;
  for (int c; (c = std::fgetc(stream)) != EOF;) {
    if (c != '\n') text += static_cast<char>(c);
    if (c == '\n' && text.find_first_not_of(" \t^") != std::string::npos) break;
  }
  return text;
}

std::optional<std::string> draw(const std::string& commands, const std::string& output) {
  const Stream input = temporary_stream(commands), complaints = temporary_stream();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  std::string program = "gnuplot", no_user_settings = "-d";
  char* arguments[] = {program.data(), no_user_settings.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return missing;
  if (failed) return "gnuplot could not be started: " + error_text(failed);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "gnuplot was lost: " + error_text(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return missing;
  return "gnuplot failed: " + first_line(complaints.get());
}

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "’";  // gnuplot 5.4 misreads two doubled quotes in a row
    else
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return out + "'";
}

void require_gnuplot() {
  if (!has_program("gnuplot")) throw OutputError(missing);
}

std::optional<std::string> run_gnuplot(const std::string& commands, const std::string& output) {
  const std::string temporary = temporary_name(output);
  auto failed = draw(commands, temporary);
  std::error_code error;
  if (!failed && std::filesystem::file_size(temporary, error) == 0) failed = "gnuplot drew nothing";
  if (failed) {
    std::filesystem::remove(temporary, error);
    return failed;
  }
  rename_temporary(output);
  return std::nullopt;
}

}  // namespace limber
