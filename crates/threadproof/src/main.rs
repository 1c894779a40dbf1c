//! `threadproof`: proves multi-threaded C programs correct, or shows the interleaving that breaks them.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line and its help |
//! | [`verify`], [`show`], [`run`], [`mod@bench`], [`horn`] | one command each |
//! | [`load`] | from file names to a program |
//! | [`boundary`] | time, memory, Ctrl-C and panics around the work |
//! | [`blockers`], [`chosen`] | what stands in the way of a verdict, and what a counterexample takes for granted |
//! | [`calm`] | takes needless changes of thread out of a counterexample |
//! | [`mod@explain`] | from a proof to facts about the source |
//! | [`narrate`], [`sources`] | from a run of the interpreter to thread lanes |
//! | [`verdict`], [`output`] | the last line, the exit code, and writing without failing |

mod args;
mod bench;
mod blockers;
mod boundary;
mod calm;
mod chosen;
mod explain;
mod horn;
mod interrupt;
mod load;
mod narrate;
mod output;
mod run;
mod show;
mod sources;
mod verdict;
mod verify;

use args::{Cli, Command};
use clap::Parser;
use output::Exit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use verdict::Verdict;

fn main() {
    boundary::install_panic_message();
    let cli = Cli::try_parse().unwrap_or_else(|error| leave_with(&error));
    let exit = match cli.command {
        Command::Verify(args) => verify::verify(args),
        Command::Show(args) => guarded(|| show::show(&args)),
        Command::Run(args) => guarded(|| run::run(&args)),
        Command::Bench(args) => guarded(|| bench::bench(&args)),
        Command::Horn(args) => guarded(|| horn::horn(&args)),
    };
    output::leave(exit)
}

fn guarded(command: impl FnOnce() -> Exit) -> Exit {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or(Exit::Internal)
}

/// Help was asked for, or the command line is wrong. Even then the last line of `verify` is a verdict.
fn leave_with(error: &clap::Error) -> ! {
    // A reader that has gone away does not want the help.
    let _ = error.print();
    if !error.use_stderr() {
        output::leave(Exit::Fine);
    }
    if std::env::args_os().nth(1).is_some_and(|command| command == "verify") {
        output::out(&format!("verdict: {}\n", Verdict::UsageError));
    }
    output::leave(Exit::BadInput)
}
