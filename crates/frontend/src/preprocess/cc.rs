//! Running the C compiler, and its messages as diagnostics.

use super::MAX_BYTES;
use base::{FileId, Span};
use report::{Diagnostic, Level};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// How much of the compiler's messages is read.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;

/// The compiler's command: `$CC`, which may have arguments, or `cc`.
pub(super) struct Compiler {
    program: String,
    args: Vec<String>,
}

/// What came of running the compiler.
pub(super) struct CompilerRun {
    /// The preprocessed text, unless the compiler failed.
    pub(super) output: Option<Vec<u8>>,
    /// Its messages.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl CompilerRun {
    /// Returns true if it failed for want of a header, or because it has no 32-bit mode.
    pub(super) fn misses_headers_or_mode(&self) -> bool {
        let causes = ["No such file or directory", "file not found", "-m32"];
        let is_cause = |it: &Diagnostic| causes.iter().any(|cause| it.message.contains(cause));
        self.output.is_none() && self.diagnostics.iter().any(is_cause)
    }
}

impl Compiler {
    pub(super) fn from_environment() -> Self {
        let command = std::env::var("CC").unwrap_or_default();
        Self::from_command(&command)
    }

    pub(super) fn from_command(command: &str) -> Self {
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().unwrap_or_else(|| "cc".to_owned());
        Self { program, args: words.collect() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // Messages are to be understood here, and must not depend on the user's language.
        command.args(&self.args).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    /// The directory of the host's own headers, if the compiler knows several: `/usr/include/x86_64-linux-gnu`.
    pub(super) fn host_include_directory(&self) -> Option<PathBuf> {
        let output = self.command().arg("-print-multiarch").output().ok()?;
        let triple = String::from_utf8(output.stdout).ok()?;
        let directory = PathBuf::from("/usr/include").join(triple.trim());
        (!triple.trim().is_empty() && directory.is_dir()).then_some(directory)
    }

    /// Runs the compiler on the file called `name`, or with this text as its input. An error is that it cannot be run or says too much.
    pub(super) fn preprocess(
        &self,
        args: &[OsString],
        name: &str,
        input: Option<&str>,
    ) -> Result<CompilerRun, Vec<Diagnostic>> {
        let fail = |message: String, help: Option<&str>| {
            let diagnostic = Diagnostic::about_file(Level::Error, name, message);
            vec![Diagnostic { help: help.map(str::to_owned), ..diagnostic }]
        };
        let mut command = self.command();
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| {
            let message = format!("cannot run the C compiler `{}` to preprocess `{name}`: {error}", self.program);
            let help = "install a C compiler, name one in the environment variable CC, or give a preprocessed .i file";
            fail(message, Some(help))
        })?;
        let (output, messages, success) = collect(child, input).map_err(|error| {
            fail(format!("cannot read what the C compiler makes of `{name}`: {error}"), None)
        })?;
        if output.len() as u64 > MAX_BYTES {
            let message = format!("cannot read `{name}`: preprocessed, {}", super::too_large());
            return Err(fail(message, None));
        }
        let mut diagnostics = diagnose(&messages);
        let failed_silently = !success && diagnostics.iter().all(|it| it.level != Level::Error);
        if failed_silently {
            let said: String = messages.trim().chars().take(2_000).collect();
            let said = if said.is_empty() { "it does not say why".to_owned() } else { said };
            diagnostics.extend(fail(format!("the C compiler cannot preprocess `{name}`: {said}"), None));
        }
        Ok(CompilerRun { output: success.then_some(output), diagnostics })
    }
}

/// Waits for the compiler: what it wrote (up to one byte more than is acceptable), what it said, and whether it
/// succeeded.
fn collect(mut child: Child, input: Option<&str>) -> io::Result<(Vec<u8>, String, bool)> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    if let (Some(mut stdin), Some(text)) = (child.stdin.take(), input.map(str::to_owned)) {
        // A compiler that does not read all of it has said why.
        std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    // Both pipes are drained at once, lest the compiler should wait for us to read the other one.
    let listener = std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut stderr) = stderr {
            stderr.by_ref().take(MAX_MESSAGE_BYTES).read_to_end(&mut said)?;
            io::copy(&mut stderr, &mut io::sink())?;
        }
        io::Result::Ok(said)
    });
    let mut output = Vec::new();
    let read = stdout.map_or(Ok(0), |stdout| stdout.take(MAX_BYTES + 1).read_to_end(&mut output));
    if output.len() as u64 > MAX_BYTES {
        child.kill()?;
    }
    let status = child.wait()?;
    let said = listener.join().unwrap_or_else(|_| Ok(Vec::new()))?;
    read?;
    Ok((output, String::from_utf8_lossy(&said).into_owned(), status.success()))
}

/// The compiler's messages of the form `file:line:column: error: message`, followed by a quotation of the line.
fn diagnose(messages: &str) -> Vec<Diagnostic> {
    let mut lines = messages.lines().peekable();
    let mut diagnostics = Vec::new();
    while let Some(line) = lines.next() {
        let Some(mut diagnostic) = parse_message(line) else { continue };
        if let Some((number, quoted)) = lines.peek().and_then(|next| next.split_once('|'))
            && number.trim().parse() == Ok(diagnostic.span.line)
        {
            diagnostic.line_text = quoted.strip_prefix(' ').unwrap_or(quoted).to_owned();
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

fn parse_message(line: &str) -> Option<Diagnostic> {
    let forms =
        [(": fatal error: ", Level::Error), (": error: ", Level::Error), (": warning: ", Level::Warning)];
    let (place, level, message) = forms
        .iter()
        .find_map(|&(mark, level)| line.split_once(mark).map(|(place, rest)| (place, level, rest)))?;
    let mut parts = place.rsplitn(3, ':');
    let (col, row, file) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<u32>().ok());
    let message = format!("{message} (says the C compiler)");
    match (file, number(row), number(col)) {
        (Some(file), Some(line), Some(col)) => Some(Diagnostic {
            // Files have no ids yet; the report goes by the name.
            span: Span { file: FileId(0), line, col },
            mark_len: 1,
            ..Diagnostic::about_file(level, file, message)
        }),
        _ => Some(Diagnostic::about_file(level, "", message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_compilers() {
        let said = "In file included from a.c:1:\n\
                    ./b:h.h:3:10: fatal error: x.h: No such file or directory\n    3 | #include <x.h>\n      |          ^\n\
                    a.c:7:2: warning: #warning hi [-Wcpp]\ncc: error: unrecognized option\ncompilation terminated.\n";
        let found: Vec<_> = diagnose(said)
            .into_iter()
            .map(|it| (it.level, it.file, it.span.line, it.span.col, it.line_text, it.message))
            .collect();
        let says = |message: &str| format!("{message} (says the C compiler)");
        let expected = [
            (
                Level::Error,
                "./b:h.h".to_owned(),
                3,
                10,
                "#include <x.h>".to_owned(),
                says("x.h: No such file or directory"),
            ),
            (Level::Warning, "a.c".to_owned(), 7, 2, String::new(), says("#warning hi [-Wcpp]")),
            (Level::Error, String::new(), 0, 0, String::new(), says("unrecognized option")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_command_may_have_arguments() {
        let compiler = Compiler::from_command("ccache  gcc -m64");
        assert_eq!((compiler.program.as_str(), compiler.args.len()), ("ccache", 2));
        assert_eq!(Compiler::from_command(" ").program, "cc");
    }
}
