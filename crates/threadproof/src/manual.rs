//! `threadproof completions` and `threadproof man`: the command line, for shells and as manual pages.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{self, Exit};
use clap::CommandFactory;

/// Prints a script for a shell.
pub fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "threadproof", &mut script);
    output::out(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// Writes `threadproof.1`, `threadproof-verify.1` and so on.
pub fn manual(args: &ManArgs) -> Exit {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    match written {
        Ok(()) => Exit::Fine,
        Err(error) => {
            output::err(&format!("error: cannot write to `{}`: {error}\n", args.folder.display()));
            Exit::BadInput
        }
    }
}
