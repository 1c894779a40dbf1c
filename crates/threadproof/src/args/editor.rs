//! The options of the language server.

use super::ConfigArgs;
use clap::Args;
use std::time::Duration;
use threadproof::project::Inputs;
use threadproof::{Options, units};

const LSP_HELP: &str = "\
The server speaks the language server protocol on standard input and output; editors start it in
the folder of the project. A file is looked at when it is opened or saved: its program is that of
the project (-p, a threadproof.toml, or a compile_commands.json in the editor's folder or its
build folder), or the file alone. A file without `main` that belongs to no program is only read.

  diagnostics    violated properties, with the other access of a race; what is wrong with the C
  hover          how a variable is protected; what a lock protects
  code lenses    verify the program, or one function with any callers, up to --timeout
  code actions   the trace of a violation: the command threadproof.trace [uri, property]";

/// `threadproof lsp`.
#[derive(Args, Debug)]
#[command(after_help = LSP_HELP)]
pub struct LspArgs {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// Look at a file for this time after it was opened or saved, such as 500ms or 5s
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::duration)]
    pub time_on_save: Duration,
    #[command(flatten)]
    pub options: Options,
}
