//! `threadproof`: proves multi-threaded C programs correct, or shows the interleaving that breaks them.
//!
//! This is only the command line of the library of the same name: it reads arguments and prints.
//!
//! | module | does |
//! |---|---|
//! | [`args`] | the command line and its help |
//! | [`command`], [`show`], [`run`], [`harness`], [`mod@bench`], [`horn`], [`init`], [`mod@lsp`], [`manual`], [`witnesses`], [`replays`] | one command each, the first one is `verify` (and `check-proof`) |
//! | [`interrupt`], [`logging`], [`output`] | Ctrl-C, `-v`, writing without failing, and how the process ends |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod args;
mod bench;
mod command;
mod harness;
mod horn;
mod init;
mod interrupt;
mod logging;
mod lsp;
mod manual;
mod output;
mod replays;
mod run;
mod show;
mod witnesses;

use args::{Cli, Command};
use output::Exit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use threadproof::Verdict;

fn main() {
    output::install_panic_message();
    let cli = Cli::read().unwrap_or_else(|error| leave_with(&error));
    let exit = match cli.command {
        Command::Verify(args) => guarded(|| command::verify(args)),
        Command::CheckProof(args) => guarded(|| command::check_proof(args)),
        Command::Validate(args) => guarded(|| witnesses::validate(args)),
        Command::Replay(args) => guarded(|| replays::replay(args)),
        Command::Show(args) => guarded(|| show::show(&args)),
        Command::Run(args) => guarded(|| run::run(&args)),
        Command::Harness(args) => guarded(|| harness::harness(&args)),
        Command::Bench(args) => guarded(|| bench::bench(&args)),
        Command::Horn(args) => guarded(|| horn::horn(&args)),
        Command::Init(args) => guarded(|| init::init(&args)),
        Command::Lsp(args) => guarded(|| lsp::lsp(*args)),
        Command::Completions(args) => guarded(|| manual::completions(&args)),
        Command::Man(args) => guarded(|| manual::manual(&args)),
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
