#include "own_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <cstring>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"

namespace limber::app {
namespace {

using ChildStream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

ChildStream nameless_stream(const std::string& content = "") {
  ChildStream stream(std::tmpfile(), std::fclose);
  if (!stream) throw OutputError("a temporary file cannot be made: " + error_text(errno));
  if (std::fwrite(content.data(), 1, content.size(), stream.get()) != content.size() || std::fflush(stream.get()) != 0)
    throw OutputError("a temporary file cannot be written: " + error_text(errno));
  std::rewind(stream.get());
  ::fcntl(fileno(stream.get()), F_SETFD, FD_CLOEXEC);
  return stream;
}

/// On Linux the very file that runs now, even if a new build has taken its place since.
std::string own_program() {
#ifdef __linux__
  return "/proc/self/exe";
#else
  return "limber";  // of the PATH
#endif
}

/// Between fork and exec: only what signal handlers may call too.
[[noreturn]] void become(const char* program, char* const* arguments, int input, int complaints, pid_t parent,
                         const sigset_t& signals) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before this was set
#else
  static_cast<void>(parent);
#endif
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(nothing, STDOUT_FILENO) >= 0 &&
      ::dup2(complaints, STDERR_FILENO) >= 0)
    ::execvp(program, arguments);
  ::_exit(127);
}

}  // namespace

OwnChild::OwnChild(const std::vector<std::string>& arguments, const std::string& input)
    : complaints_(nameless_stream()) {
  const ChildStream in = nameless_stream(input);
  const std::string program = own_program();
  std::vector<std::string> words = {"limber"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // A signal that came before exec would only be noted in the child's copy of this program.
  sigset_t both, before;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &both, &before);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) become(program.c_str(), pointers.data(), fileno(in.get()), fileno(complaints_.get()), parent, before);
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (id_ < 0) throw OutputError("a run cannot be started: " + error_text(error));
}

OwnChild::~OwnChild() {
  if (ended_ || id_ <= 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
}

bool OwnChild::ended() {
  if (!ended_) ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
  return ended_;
}

std::optional<int> OwnChild::exit_status() const {
  return WIFEXITED(status_) ? std::optional<int>(WEXITSTATUS(status_)) : std::nullopt;
}

void OwnChild::ask_to_end() {
  if (ended_ || asked_) return;
  asked_ = true;
  ::kill(id_, SIGTERM);
}

std::string OwnChild::last_words() const {
  if (WIFSIGNALED(status_)) {
    const int signal = WTERMSIG(status_);
    return fmt::format("was ended by signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGKILL ? ": perhaps there was not enough memory" : "");
  }
  if (WEXITSTATUS(status_) == 127) return "could not be started";
  std::rewind(complaints_.get());
  std::string last, line;
  for (int c; (c = std::fgetc(complaints_.get())) != EOF;) {
    if (c != '\n') line += static_cast<char>(c);
    if (c == '\n' && !line.empty()) last = std::exchange(line, "");
  }
  if (!line.empty()) last = line;
  if (last.starts_with("limber: ")) last = last.substr(8);
  return last.empty() ? fmt::format("ended with status {}", WEXITSTATUS(status_)) : last;
}

}  // namespace limber::app
