//! The command line: what can be asked, and the help that explains it.
//!
//! This is a contract that scripts and benchmarks rely on; `--help` shows all of it.

pub mod property;
pub mod units;

use clap::{Args, Parser, Subcommand, ValueEnum};
use program::Property;
use property::Asked;
use std::path::PathBuf;
use std::time::Duration;
use units::Bytes;

const AFTER_HELP: &str = "\
Examples:
  threadproof verify prog.c                           no assertion of prog.c can fail
  threadproof verify --property no-deadlock prog.c    nor can its threads block each other for ever
  threadproof verify -I include -D N=3 main.c queue.c --timeout 5m --stats
  threadproof run --seed 7 prog.c                     watch one random schedule
  threadproof show --as dot prog.c | dot -Tsvg > prog.svg
  threadproof bench tasks/ --timeout 10s --json rows.json

Exit codes:
  0    the property holds (verdict: true)
  1    the property is violated (verdict: false(…)); bench: some answer was wrong
  2    the command line or the program is wrong
  3    there is no answer (verdict: unknown(…))
  101  internal error: please report it
  130  interrupted

The last line on stdout of `verify` is always its verdict.";

/// Proves multi-threaded C programs correct, or shows the interleaving that breaks them
#[derive(Parser, Debug)]
#[command(name = "threadproof", version, after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Decide whether a program keeps a property under every schedule and every input
    Verify(VerifyArgs),
    /// Print the program as threadproof understands it
    Show(ShowArgs),
    /// Interpret one random schedule and print its steps
    Run(RunArgs),
    /// Run SV-COMP style tasks (.yml) and print a table of right and wrong answers and times
    Bench(BenchArgs),
    /// Solve a system of constrained Horn clauses (SMT-LIB HORN over Bool and bit-vectors)
    Horn(HornArgs),
}

/// How C is read; shared by all commands.
#[derive(Args, Clone, Debug)]
pub struct SourceOptions {
    /// Sizes of C's types: ILP32 (32-bit long and pointers) or LP64 [default: LP64]
    #[arg(long, value_name = "MODEL", ignore_case = true)]
    pub data_model: Option<DataModelName>,
    /// Look for included files in DIR too
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = macro_definition)]
    pub defines: Vec<String>,
    /// The function where the first thread starts
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Describe library functions by the table in FILE, too (docs/MODELS.md); C stubs are given as more C files
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,
    /// What functions do that neither the program nor a table defines
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = UndefinedFunctions::WritesArguments)]
    pub undefined_functions: UndefinedFunctions,
    /// malloc, calloc, realloc and what is built on them may return a null pointer
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// pthread_create may fail with EAGAIN, thrd_create with thrd_error
    #[arg(long)]
    pub thread_create_may_fail: bool,
    /// Freed addresses may be handed out again, as real allocators do (finds ABA); a use of freed memory is no error then
    #[arg(long)]
    pub reuse_addresses: bool,
    /// Calling this function is an error, too (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub error_function: Vec<String>,
    /// Reaching this label is an error, too (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,
}

/// Policies for undefined functions by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndefinedFunctions {
    /// They return any value
    Pure,
    /// They also may write what they are given pointers to
    WritesArguments,
    /// They may do anything: calling one makes the verdict unknown
    Anything,
}

impl From<UndefinedFunctions> for frontend::Undefined {
    fn from(name: UndefinedFunctions) -> Self {
        match name {
            UndefinedFunctions::Pure => frontend::Undefined::Pure,
            UndefinedFunctions::WritesArguments => frontend::Undefined::WritesArguments,
            UndefinedFunctions::Anything => frontend::Undefined::Anything,
        }
    }
}

/// How the search is done; shared by `verify` and `bench`.
#[derive(Args, Clone, Debug)]
pub struct SearchOptions {
    /// The search engine
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    pub engine: EngineName,
    /// Give up with unknown(out of memory) at this size, such as 512MB or 4GiB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::bytes)]
    pub memory_limit: Bytes,
    /// What threads see of each other's writes: sc is sequential consistency
    #[arg(long, value_enum, default_value_t = MemoryModel::Sc)]
    pub memory_model: MemoryModel,
    /// How interleavings are reduced (UFO: spor or dpor)
    #[arg(long, value_enum, default_value_t = PorName::Dpor)]
    pub por: PorName,
    /// Impact: strengthen labels so that a node is covered
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub force_cover: Switch,
    /// Impact: which node is looked at next
    #[arg(long, value_enum, default_value_t = WorklistName::Cost)]
    pub worklist: WorklistName,
    /// UFO: how labels of new nodes are computed
    #[arg(long, value_enum, default_value_t = PostName::Cartesian)]
    pub post: PostName,
    /// UFO: whether nodes take the labels of refinements (off: these only feed predicates)
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub interpolate: Switch,
    /// Cpa: what is known of the data
    #[arg(long, value_enum, default_value_t = DomainName::Value)]
    pub domain: DomainName,
    /// Cpa: in which order states are looked at
    #[arg(long, value_enum, default_value_t = WaitlistName::Threads)]
    pub waitlist: WaitlistName,
    /// Cpa: compare only states in which all threads are at the same places
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub partition: Switch,
    /// RedComp: take reducible blocks as one step
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub reduction: Switch,
}

/// Orders of the worklist by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorklistName {
    /// Few context switches and turns of loops first
    Cost,
    /// Depth first
    Dfs,
    /// Breadth first
    Bfs,
    /// Few context switches first
    Switches,
}

/// Abstract domains by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DomainName {
    /// Constants
    Value,
    /// Ranges of numbers
    Interval,
    /// Sets of bit patterns, as binary decision diagrams
    Bdd,
}

/// Orders of the waitlist by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitlistName {
    /// The youngest state first
    Dfs,
    /// The oldest state first
    Bfs,
    /// States with fewer threads first
    Threads,
}

/// Reductions by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PorName {
    /// Every action of every thread
    None,
    /// Switch threads at shared accesses only
    Spor,
    /// And take independent steps in one order only
    Dpor,
    /// Cpa: take local steps together with the next one that others can notice; the default there
    Local,
}

/// Abstract post-conditions by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PostName {
    /// Nothing: labels come from refinements only
    None,
    /// The predicates that hold
    Cartesian,
    /// The strongest combination of predicates that holds
    Boolean,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    On,
    Off,
}

const VERIFY_HELP: &str = "\
Properties:
  unreach-call      no assertion fails and reach_error() is never called (more by --error-function
                    and --error-label; a property file can say that something else counts instead)
  no-deadlock       no threads are blocked for ever
  termination       every fair execution ends, and nobody is blocked for ever
  no-data-race      no two conflicting accesses are unordered
  no-overflow       no signed arithmetic overflows
  valid-memsafety   every access and free() is valid, and nothing is leaked (not yet: unknown)

Diagnostics, assumptions and progress go to stderr. A violation is shown on stdout as
thread lanes: a column per thread, steps numbered globally, with the values read and
written. With --explain a proof is shown, too: per thread and source line the facts that it
rests on, over globals (`x`), locals (`thread:function:variable`) and elements (`a[3]`).
The last line on stdout is one of
  verdict: true
  verdict: false(PROPERTY)
  verdict: unknown(REASON)
and the exit code is 0, 1 or 3 accordingly; 2 if the program cannot be read.";

#[derive(Args, Debug)]
#[command(after_help = VERIFY_HELP)]
pub struct VerifyArgs {
    /// C files, preprocessed or not; together they are one program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A property's name, or an SV-COMP property file (.prp)
    #[arg(
        long = "property",
        value_name = "NAME|FILE.prp",
        default_value = "unreach-call",
        value_parser = property::parse
    )]
    pub asked: Asked,
    /// Give up with unknown(timeout) after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub timeout: Duration,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub source: SourceOptions,
    /// How the result is printed before the verdict
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Print a line `stats: {json}` before the verdict
    #[arg(long)]
    pub stats: bool,
    /// If the property holds, say why: what is true where the threads are
    #[arg(long)]
    pub explain: bool,
}

impl VerifyArgs {
    /// The property that is asked for.
    pub fn property(&self) -> Property {
        self.asked.property
    }
}

#[derive(Args, Debug)]
pub struct ShowArgs {
    /// C files; together they are one program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The form: the textual form of programs, or a graph for Graphviz
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    pub form: Form,
    /// Instead, print for each thread how its actions can be moved, and the reducible blocks
    #[arg(long)]
    pub movers: bool,
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
    /// Ask Spacer, the Horn solver of the installed Z3, for the solution
    #[cfg(feature = "z3")]
    #[arg(long)]
    pub spacer: bool,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    /// C files; together they are one program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Chooses the schedule and the inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub steps: usize,
    #[command(flatten)]
    pub source: SourceOptions,
}

#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
    /// Task files, or folders in which to look for them
    #[arg(required = true, value_name = "DIR|FILE.yml")]
    pub tasks: Vec<PathBuf>,
    /// Time for each task
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration)]
    pub timeout: Duration,
    /// Run so many tasks at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Write a row for each task to FILE
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Ask only for this property (may be repeated) [default: all that a task names]
    #[arg(long, value_name = "NAME|FILE.prp", value_parser = property::parse_kind)]
    pub property: Vec<Property>,
    #[command(flatten)]
    pub search: SearchOptions,
    #[command(flatten)]
    pub source: SourceOptions,
}

/// Search engines by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineName {
    /// Several in turns: exploration, simulation, cpa, RedComp, UFO for one thread, Impact
    Auto,
    /// Explicit states, one after the other
    Explore,
    /// Lazy abstraction with interpolants over interleavings
    Impact,
    /// Interpolants of graphs and predicate abstraction, all paths at once
    Ufo,
    /// Configurable program analysis over interleavings
    Cpa,
    /// Lipton reduction with compositional proofs, thread by thread
    Redcomp,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[value(rename_all = "UPPER")]
pub enum DataModelName {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl From<DataModelName> for program::DataModel {
    fn from(name: DataModelName) -> Self {
        match name {
            DataModelName::Ilp32 => program::DataModel::Ilp32,
            DataModelName::Lp64 => program::DataModel::Lp64,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryModel {
    /// Sequential consistency: one memory, one step at a time
    Sc,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Text,
    /// One JSON object on one line
    Json,
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

fn macro_definition(text: &str) -> Result<String, String> {
    let name = text.split('=').next().unwrap_or_default();
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if starts_well && characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(text.to_owned())
    } else {
        Err(format!("`{name}` is no name of a macro"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn macros_have_names() {
        assert!(macro_definition("N=3").is_ok() && macro_definition("_X").is_ok());
        assert!(
            macro_definition("3N").is_err()
                && macro_definition("=1").is_err()
                && macro_definition("").is_err()
        );
    }
}
