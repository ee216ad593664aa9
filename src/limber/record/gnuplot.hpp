#pragma once
/// The program gnuplot, with a script on its standard input and the picture on its standard output: neither a shell nor
/// gnuplot ever sees the name of a file.

#include <optional>
#include <string>

namespace limber {

/// Text for a script: in single quotes gnuplot reads everything but the quote itself and the end of the line as it
/// stands.
std::string gnuplot_quoted(const std::string& text);

/// What `commands` draw goes into the file `output`, which appears only when it is complete; they set a terminal and no
/// output. Empty on success; otherwise why there is no picture, as where gnuplot is missing. Throws OutputError.
std::optional<std::string> run_gnuplot(const std::string& commands, const std::string& output);

}  // namespace limber
