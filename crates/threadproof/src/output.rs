//! Writing to stdout and stderr, and the ways in which the process can end.
//!
//! A reader that goes away (`threadproof show … | head`) is no error: what it does not want to read is dropped, and
//! the exit code still tells the verdict.

use program::passes::Overflow;
use report::{Diagnostic, TerminalStyle, snippet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
pub use threadproof::Exit;
use threadproof::project::Inputs;
use threadproof::{SourceOptions, load};

/// Writes `text` to stdout.
pub fn out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes `text` to stderr.
pub fn err(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Shows diagnostics on stderr.
pub fn diagnostics(diagnostics: &[Diagnostic]) {
    let terminal = TerminalStyle::of_stderr();
    for diagnostic in diagnostics {
        err(&snippet::render(diagnostic, terminal));
    }
}

/// Ends the process now, whatever other threads do.
pub fn leave(exit: Exit) -> ! {
    std::process::exit(exit as i32)
}

/// Reads the program and shows what is to be said about its files; `None` if they are no program.
pub fn load_or_explain(inputs: &Inputs, source: &SourceOptions) -> Option<(program::Program, Vec<PathBuf>)> {
    let mut source = source.clone();
    let resolved = match inputs.resolve(&mut source) {
        Ok(resolved) => resolved,
        Err(errors) => {
            diagnostics(&errors);
            return None;
        }
    };
    let loaded = load::load(&resolved.files, &source, None);
    diagnostics(&resolved.diagnostics);
    diagnostics(&loaded.diagnostics);
    loaded.program.map(|program| (program.with(Overflow::Wraps), resolved.files))
}

/// Makes panics say that they are bugs of ours. Only the first one of a process speaks: those that follow, as it
/// passes from thread to thread, say nothing new.
pub fn install_panic_message() {
    static SPOKEN: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|panic| {
        if SPOKEN.swap(true, Ordering::Relaxed) {
            return;
        }
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let place = panic.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let backtrace = std::backtrace::Backtrace::capture();
        let trace = match backtrace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("{backtrace}\n"),
            _ => String::new(),
        };
        err(&format!(
            "internal error: {text}{place}\n{trace}\
             This is a bug in threadproof; please report it together with the program.\n"
        ));
    }));
}
