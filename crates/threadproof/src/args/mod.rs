//! The command line, and the help that explains it.
//!
//! This is a contract that scripts and benchmarks rely on; `--help` shows all of it.

mod config;
mod editor;
mod engine;
mod kept;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
pub use config::NAME as CONFIG_NAME;
pub use editor::LspArgs;
use engine::EngineArgs;
use kept::KeptArgs;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use threadproof::project::Inputs;
use threadproof::property::{self, Asked};
use threadproof::{Options, Property, SearchOptions, SourceOptions, units};

const AFTER_HELP: &str = "\
Examples:
  threadproof verify prog.c                           no assertion of prog.c can fail
  threadproof verify --property no-deadlock prog.c    nor can its threads block each other for ever
  threadproof verify -p build                         the program that build/compile_commands.json describes
  threadproof verify -I include -D N=3 main.c queue.c --timeout 5m --stats
  threadproof verify --memory-model arm --fences prog.c    and which fences it needs there
  threadproof verify --library queue.c                a library: any clients of its functions
  threadproof harness queue.c -o client.c             the client as C, to edit and to verify
  threadproof verify --property no-deadlock --proof p.json prog.c && threadproof check-proof p.json prog.c
  threadproof verify --property unreach-call --witness w.yml prog.c && threadproof validate w.yml prog.c
  threadproof replay p.json prog.c                    the violation in p.json, as a native program (--gdb)
  threadproof run --seed 7 prog.c                     watch one random schedule
  threadproof show --as dot prog.c | dot -Tsvg > prog.svg
  threadproof lsp -p build                            serve an editor (an extension for VS Code is in editors/vscode)
  threadproof bench tasks/ --timeout 10s --json rows.json
  threadproof bench --compare old.json rows.json

Exit codes:
  0    the property holds (verdict: true), or all violations are in the --baseline
  1    the property is violated (verdict: false(…)), and the --baseline does not know it;
       bench: some answer was wrong
  2    the command line or the program is wrong
  3    there is no answer (verdict: unknown(…))
  101  internal error: please report it
  130  interrupted

The last line of `verify` on stdout is its verdict; with another --format than text, on stderr.";

/// Proves multi-threaded C programs correct, or shows the interleaving that breaks them
#[derive(Parser, Debug)]
#[command(name = "threadproof", version, after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line.
    ///
    /// Options of an engine count only for that engine: one that is given for another is an error.
    pub fn read() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let args: Vec<OsString> = std::env::args_os().collect();
        let mut matches = command.try_get_matches_from_mut(&args)?;
        if let Some(args) = config::complete(&mut command, &matches, args)? {
            matches = command.try_get_matches_from_mut(args)?;
        }
        let mut cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        let Some((name, given)) = matches.subcommand() else { return Ok(cli) };
        let command = command.find_subcommand_mut(name).expect("a subcommand that was found should exist");
        if cli.command.inputs().is_some_and(Inputs::is_empty) {
            let message = "name C files, or a project with -p or --units";
            return Err(command.error(ErrorKind::MissingRequiredArgument, message));
        }
        let resolved = match &mut cli.command {
            Command::Verify(args) => args.engine.resolve(&mut args.options.search, command, given),
            Command::Bench(args) => args.engine.resolve(&mut args.search, command, given),
            Command::Show(_)
            | Command::Run(_)
            | Command::CheckProof(_)
            | Command::Validate(_)
            | Command::Replay(_)
            | Command::Harness(_)
            | Command::Horn(_)
            | Command::Lsp(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Init(_) => Ok(()),
        };
        resolved.map_err(|message| command.error(ErrorKind::ArgumentConflict, message))?;
        Ok(cli)
    }
}

impl Command {
    /// What the command is about, if that is a program.
    fn inputs(&self) -> Option<&Inputs> {
        match self {
            Command::Verify(args) => Some(&args.inputs),
            Command::Show(args) => Some(&args.inputs),
            Command::Run(args) => Some(&args.inputs),
            Command::CheckProof(args) => Some(&args.inputs),
            Command::Validate(args) => Some(&args.inputs),
            Command::Replay(args) => Some(&args.inputs),
            Command::Harness(_)
            | Command::Bench(_)
            | Command::Horn(_)
            | Command::Lsp(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Init(_) => None,
        }
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a program keeps a property under every schedule and every input
    Verify(VerifyArgs),
    /// Check the evidence that `verify --proof` has written, about the same program; no search is made
    CheckProof(CheckProofArgs),
    /// Validate a witness of SV-COMP's format 2.x, written by `verify --witness` or by another tool
    Validate(ValidateArgs),
    /// Compile and run the program so that it does what a trace says: the violation happens natively
    Replay(ReplayArgs),
    /// Print the program as threadproof understands it
    Show(ShowArgs),
    /// Interpret one random schedule and print its steps
    Run(RunArgs),
    /// Write the most general client of a library, as C: what `verify --library` verifies
    Harness(HarnessArgs),
    /// Run SV-COMP style tasks (.yml) and print a table of right and wrong answers and times
    Bench(BenchArgs),
    /// Solve a system of constrained Horn clauses (SMT-LIB HORN over Bool and bit-vectors)
    Horn(HornArgs),
    /// Write a threadproof.toml for the project in the current folder
    Init(InitArgs),
    /// Serve an editor: findings, how variables are protected, and traces, by the language server protocol
    Lsp(Box<LspArgs>),
    /// Print a script that completes the command line in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages, one for each command
    Man(ManArgs),
}

const VERIFY_HELP: &str = "\
Properties (without --property the five marked * are decided, and a table is printed):
* unreach-call         no assertion fails and reach_error() is never called (more by
                       --error-function and --error-label; a property file can say that
                       something else counts instead)
* valid-memsafety      every access and free() is valid, and nothing is lost; its parts:
                       valid-deref, valid-free, valid-memtrack
* undefined-behaviour  nothing happens that C gives no meaning
* no-data-race         no two conflicting accesses are unordered
* no-deadlock          no threads are blocked for ever
  no-overflow          no signed arithmetic overflows
  valid-memcleanup     everything is freed before the program ends
  termination          every fair execution ends, and no thread is blocked for ever
  robustness           every execution under --memory-model is one of a sequentially
                       consistent machine; a violation is shown with its cycle
With a weak --memory-model only assertions are (c11: and data races); with
--assume no-undefined-behaviour assertions and deadlocks; with --engine those that the
engine supports.

Diagnostics, assumptions and progress go to stderr. A violation is shown on stdout as
thread lanes: a column per thread, steps numbered globally, with the values read and
written. With --explain a proof is shown, too: per thread and source line the facts that it
rests on, over globals (`x`), locals (`thread:function:variable`) and elements (`a[3]`).
The last line is one of
  verdict: true
  verdict: false(PROPERTY)
  verdict: unknown(REASON)
on stdout, or on stderr if --format is another one than text, and the exit code is 0, 1 or 3 accordingly; 2 if the program cannot be read.";

#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// A property's name, or an SV-COMP property file (.prp); may be repeated, or several with commas between
    /// [default: assertions, memory safety, undefined behaviour, data races and deadlocks]
    #[arg(long = "property", value_name = "NAME|FILE.prp", value_delimiter = ',', value_parser = property::parse)]
    pub asked: Vec<Asked>,
    /// Decide only whether the program behaves under --memory-model as on a sequentially consistent machine; the same as --property robustness
    #[arg(long, conflicts_with = "asked")]
    pub robustness: bool,
    /// What is written to stdout
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write a report in a format to FILE, too (may be repeated)
    #[arg(long, value_name = "FORMAT=FILE", value_parser = output)]
    pub output: Vec<(Format, PathBuf)>,
    /// Write the evidence of the answer to FILE, for `threadproof check-proof`; one property has to be named
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    /// Write a witness of the answer to FILE, in SV-COMP's format 2.x, for `threadproof validate` and other validators; one property has to be named
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Print a line `stats: {json}` before the verdict
    #[arg(long)]
    pub stats: bool,
    /// Show on stderr when a phase ends and how long it took (-vv: and why an engine has no answer)
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
    /// Write all phases and events to FILE
    #[arg(long, value_name = "FILE")]
    pub trace_log: Option<PathBuf>,
    #[command(flatten)]
    pub kept: KeptArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub options: Options,
}

impl VerifyArgs {
    /// What is written to stdout.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// All formats that are written.
    pub fn formats(&self) -> impl Iterator<Item = Format> {
        self.output.iter().map(|(format, _)| *format).chain([self.format()])
    }
}

/// Where the options of a project stand.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// Read options from FILE [default: threadproof.toml in this folder or one above it]
    #[arg(long, value_name = "FILE", help_heading = "Projects")]
    pub config: Option<PathBuf>,
    /// Read no threadproof.toml
    #[arg(long, conflicts_with = "config", help_heading = "Projects")]
    pub no_config: bool,
}

#[derive(Args, Debug)]
pub struct InitArgs {
    /// Replace a threadproof.toml that is there
    #[arg(long)]
    pub force: bool,
}

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManArgs {
    /// The folder to write to
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = CHECK_PROOF_HELP)]
pub struct CheckProofArgs {
    /// What `verify --proof` has written
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// A property file, if one was named when the proof was written [default: the proof's property]
    #[arg(long = "property", value_name = "NAME|FILE.prp", value_parser = property::parse)]
    pub asked: Option<Asked>,
    /// Give up with unknown(timeout) after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub timeout: Duration,
    #[command(flatten, next_help_heading = "How C is read")]
    pub source: SourceOptions,
}

const CHECK_PROOF_HELP: &str = "\
The program is read again, so the options that say how C is read have to be those of `verify`. The last line is the
verdict, as of `verify`: unknown(check failed: …) if the evidence does not prove it, or is about something else.";

#[derive(Args, Debug)]
#[command(after_help = VALIDATE_HELP)]
pub struct ValidateArgs {
    /// The witness
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// A property's name or a property file [default: the witness's specification]
    #[arg(long = "property", value_name = "NAME|FILE.prp", value_parser = property::parse)]
    pub asked: Option<Asked>,
    /// Give up with unknown(timeout) after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub timeout: Duration,
    #[command(flatten, next_help_heading = "How C is read")]
    pub source: SourceOptions,
}

const VALIDATE_HELP: &str = "\
A violation is confirmed (false(…)) if an execution passes all waypoints in their order and violates the property at
the target; it is shown. A proof is confirmed (true) if all invariants hold, and then the property. Otherwise the last
line is unknown(check failed: the witness is refused: …), or another reason why there is no answer.";

#[derive(Args, Debug)]
#[command(after_help = REPLAY_HELP)]
pub struct ReplayArgs {
    /// What `verify --proof` has written about a violation
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// A property file, if one was named when the trace was written [default: the trace's property]
    #[arg(long = "property", value_name = "NAME|FILE.prp", value_parser = property::parse)]
    pub asked: Option<Asked>,
    /// Stop the program after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration)]
    pub timeout: Duration,
    /// Start the program in gdb, which stops at the violation
    #[arg(long)]
    pub gdb: bool,
    /// Build in DIR, and keep what is built
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    #[command(flatten, next_help_heading = "How C is read")]
    pub source: SourceOptions,
}

const REPLAY_HELP: &str = "\
The program is compiled with $CC or cc (gcc is meant), objdump and addr2line find its lines. It runs in a scratch folder, without input
and, where the system allows it, without a network; it can still do what its user can do, so replay only programs that you would run. For a data race it is built a second time with ThreadSanitizer; violations of memory safety are
shown by AddressSanitizer. The last line is `replay: reproduced` (exit code 1) or `replay: not reproduced (REASON)` (exit code 3).";

#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// The form: the textual form of programs, or a graph for Graphviz
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    pub form: Form,
    /// Print instead which actions of each thread commute with other threads (movers), and the reducible blocks
    #[arg(long)]
    pub movers: bool,
    #[command(flatten)]
    pub source: SourceOptions,
}

#[derive(Args, Debug)]
pub struct HarnessArgs {
    /// C files of the library
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub source: SourceOptions,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Prints sat and the solution, unsat and the derivation, or unknown; the exit code is 0, 1 or 3."
)]
pub struct HornArgs {
    /// An SMT-LIB script in the logic HORN
    #[arg(value_name = "FILE.smt2")]
    pub file: PathBuf,
    /// Give up with unknown after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub timeout: Duration,
    /// Print the clauses as they were read before the answer
    #[arg(long)]
    pub print: bool,
    /// Use Spacer, the Horn solver of the installed Z3
    #[cfg(feature = "z3")]
    #[arg(long)]
    pub spacer: bool,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// Chooses the schedule and the inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Stop after this number of steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,
    #[command(flatten)]
    pub source: SourceOptions,
}

#[derive(Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("kept_rows").args(["json", "slurm"]).multiple(true)))]
pub struct BenchArgs {
    /// Task files, or folders in which to look for them
    #[arg(required_unless_present = "compare", value_name = "DIR|FILE.yml")]
    pub tasks: Vec<PathBuf>,
    /// Time for each task
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub timeout: Duration,
    /// The number of tasks that run at once [default: 1; with --slurm, what the cluster allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run the tasks in this process, without hard limits: for many small ones
    #[arg(long)]
    pub in_process: bool,
    /// Write a row for each task to FILE
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Run only the tasks that have no row in the --json file or the --slurm folder, or one of an error; the options should be those of the earlier run
    #[arg(long, requires = "kept_rows")]
    pub resume: bool,
    /// Submit the tasks to Slurm as a job array, and wait for their rows in DIR, a folder that all nodes see at the same path, as they do the tasks and this program
    #[arg(long, value_name = "DIR", conflicts_with = "compare")]
    pub slurm: Option<PathBuf>,
    /// Give an option to sbatch, such as --slurm-option=--partition=long (may be repeated)
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    pub slurm_option: Vec<String>,
    /// Run nothing: compare two files of rows, and print what has changed
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with_all = ["tasks", "json"])]
    pub compare: Option<Vec<PathBuf>>,
    /// Draw the times of both files of --compare against each other, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub scatter: Option<PathBuf>,
    /// Draw how many tasks were right within which time, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub quantile: Option<PathBuf>,
    /// Verify only this property (may be repeated) [default: all that a task names]
    #[arg(long, value_name = "NAME|FILE.prp", value_parser = property::parse_kind)]
    pub property: Vec<Property>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten, next_help_heading = "How C is read")]
    pub source: SourceOptions,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people, with the verdict as the last line
    Text,
    /// One JSON object on one line (docs/schema/report.schema.json)
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
    /// JUnit's XML, for build servers
    Junit,
    /// A page for a browser, in one file
    Html,
}

/// `sarif=report.sarif`
fn output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("it should be FORMAT=FILE, such as html=report.html")?;
    if file.is_empty() {
        return Err("there is no FILE".to_owned());
    }
    Ok((Format::from_str(format, false)?, file.into()))
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The textual form
    Text,
    /// A graph for Graphviz
    Dot,
}

/// The name a value of the command line is written with.
pub fn value_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
