//! What can be chosen about a verification.
//!
//! These types are values with defaults for embedders, and groups of options for the command line. Options of an engine are
//! declared beside the engine; here they are only collected.

use crate::units::{self, Bytes};
use crate::user_model::MemoryModels;
use clap::{Args, ValueEnum};
use engines::{Engine, cpa, directed, explore, graph, houdini, impact, redcomp, shape, simulate, ufo};
use program::MemoryModel;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How to verify.
#[derive(Args, Clone, PartialEq, Debug)]
#[group(id = "verification")]
pub struct Options {
    /// Give up with unknown(timeout) after this time, such as 500ms, 60s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::duration)]
    pub timeout: Duration,
    /// Take something for granted about the program, as the rules of SV-COMP do
    #[arg(long, value_enum, value_name = "WHAT")]
    pub assume: Vec<Assume>,
    /// If the property holds, show the proof: the facts that hold at the lines of the source
    #[arg(long)]
    pub explain: bool,
    /// Decide robustness, and say which fences the program needs to behave as on a sequentially consistent machine, and which it does not need
    #[arg(long)]
    pub fences: bool,
    /// Whether a report keeps the evidence of its answer.
    #[arg(skip)]
    pub keep_evidence: bool,
    /// Whether a report keeps what a native program is forced to do so that it shows the counterexample.
    #[arg(skip)]
    pub keep_script: bool,
    /// A folder where answers are kept, and looked up before anything is searched for.
    #[arg(skip)]
    pub cache: Option<PathBuf>,
    /// How the search is done.
    #[command(flatten)]
    pub search: SearchOptions,
    /// How C is read.
    #[command(flatten, next_help_heading = "How C is read")]
    pub source: SourceOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            assume: Vec::new(),
            explain: false,
            fences: false,
            keep_evidence: false,
            keep_script: false,
            cache: None,
            search: SearchOptions::default(),
            source: SourceOptions::default(),
        }
    }
}

/// What can be taken for granted.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assume {
    /// No execution does what C leaves undefined; only the property is checked
    NoUndefinedBehaviour,
}

/// What signed arithmetic that overflows does, by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SignedOverflow {
    /// It wraps around, as with gcc -fwrapv
    Wraps,
    /// The execution ends there
    Ends,
}

/// How C is read.
#[derive(Args, Clone, PartialEq, Debug)]
#[group(id = "source")]
pub struct SourceOptions {
    /// Sizes of C's types: ILP32 (32-bit long and pointers) or LP64 [default: LP64]
    #[arg(long, value_name = "MODEL", ignore_case = true)]
    pub data_model: Option<DataModelName>,
    /// The machine: in which order threads see each other's accesses; or FILE.cat, a model in herd's language for C11's events, MACHINE:FILE.cat for those of tso, arm, power or riscv
    #[arg(long, value_name = "MODEL", value_parser = MemoryModels, default_value = MemoryModel::Sc.name())]
    pub memory_model: MemoryModel,
    /// Look for included files in DIR too
    #[arg(short = 'I', long = "include-dir", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = macro_definition)]
    pub defines: Vec<String>,
    /// What the C compiler is told about single files beside that; a project knows it
    #[arg(skip)]
    pub flags: BTreeMap<PathBuf, Vec<OsString>>,
    /// The function where the first thread starts; of a library, or if there are several: the functions that clients call
    #[arg(long, value_name = "FUNCTION", default_value = "main", value_delimiter = ',')]
    pub entry: Vec<String>,
    /// Describe library functions by the table in FILE, too (docs/MODELS.md); C stubs are given as more C files
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,
    /// What functions do that neither the program nor a table defines
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = UndefinedFunctions::WritesArguments)]
    pub undefined_functions: UndefinedFunctions,
    /// What happens when signed arithmetic overflows, unless the property is about that
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SignedOverflow::Wraps)]
    pub signed_overflow: SignedOverflow,
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
    /// Libraries, which have no `main`.
    #[command(flatten, next_help_heading = "Libraries without main")]
    pub library: LibraryOptions,
}

impl Default for SourceOptions {
    fn default() -> Self {
        Self {
            data_model: None,
            memory_model: MemoryModel::Sc,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            flags: BTreeMap::new(),
            entry: vec![MAIN.to_owned()],
            models: Vec::new(),
            undefined_functions: UndefinedFunctions::WritesArguments,
            signed_overflow: SignedOverflow::Wraps,
            malloc_may_fail: false,
            thread_create_may_fail: false,
            reuse_addresses: false,
            error_function: Vec::new(),
            error_label: Vec::new(),
            library: LibraryOptions::default(),
        }
    }
}

/// Where programs start.
const MAIN: &str = "main";

impl SourceOptions {
    /// The function where the first thread starts, unless the files are a library.
    pub fn first_function(&self) -> &str {
        self.entry.first().map_or(MAIN, String::as_str)
    }

    /// The client of the library that the files are; `None` if they are a program.
    pub fn client(&self) -> Option<frontend::Client> {
        let LibraryOptions { library, init, clients, may_be_null } = &self.library;
        let functions: Vec<String> = self.entry.iter().filter(|name| *name != MAIN).cloned().collect();
        (*library || self.entry.len() > 1).then(|| frontend::Client {
            functions,
            init: init.clone(),
            threads: clients.0,
            may_be_null: *may_be_null,
        })
    }

    /// An option about clients that has no effect, because the files are no library.
    pub(crate) fn without_library(&self) -> Option<&'static str> {
        let LibraryOptions { init, clients, may_be_null, .. } = &self.library;
        let given = [
            (!init.is_empty(), "--init"),
            (*clients != Clients::default(), "--clients"),
            (*may_be_null, "--may-be-null"),
        ];
        let (_, option) = given.into_iter().find(|(is_given, _)| *is_given)?;
        self.client().is_none().then_some(option)
    }
}

/// Libraries, which have no `main`.
#[derive(Args, Clone, PartialEq, Default, Debug)]
#[group(id = "libraries")]
pub struct LibraryOptions {
    /// The files are a library: verify it with its most general client, threads that call all exported functions (or those of --entry) in any order with any valid arguments; `threadproof harness` shows it
    #[arg(long)]
    pub library: bool,
    /// Clients call this function of the library first, for each object that it takes, or once (may be repeated)
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    pub init: Vec<String>,
    /// The number of client threads, or `any`
    #[arg(long, value_name = "N|any", default_value_t = Clients::default())]
    pub clients: Clients,
    /// Pointers that clients hand over may be null
    #[arg(long)]
    pub may_be_null: bool,
}

/// A number of threads; any number if there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clients(pub Option<u32>);

impl Default for Clients {
    fn default() -> Self {
        Self(Some(2))
    }
}

impl fmt::Display for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("any"),
            Some(n) => write!(f, "{n}"),
        }
    }
}

impl FromStr for Clients {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "any" => Ok(Self(None)),
            Ok(n @ 1..=64) => Ok(Self(Some(n))),
            _ => Err("it is a number from 1 to 64, or `any`".to_owned()),
        }
    }
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

/// How the search is done.
#[derive(Args, Clone, PartialEq, Debug)]
#[group(id = "search")]
pub struct SearchOptions {
    /// The engine that searches for a proof or a violation
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    pub engine: EngineName,
    /// Give up with unknown(out of memory) when the process is this large, such as 512MB or 4GiB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::bytes)]
    pub memory_limit: Bytes,
    /// Options of the engine impact.
    #[command(flatten, next_help_heading = "Options of --engine impact")]
    pub impact: impact::Options,
    /// Options of the engine ufo.
    #[command(flatten, next_help_heading = "Options of --engine ufo")]
    pub ufo: ufo::Options,
    /// Options of the engine cpa.
    #[command(flatten, next_help_heading = "Options of --engine cpa")]
    pub cpa: cpa::Options,
    /// Options of the engine redcomp.
    #[command(flatten, next_help_heading = "Options of --engine redcomp")]
    pub redcomp: redcomp::Options,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            engine: EngineName::Auto,
            memory_limit: Bytes(4 << 30),
            impact: impact::Options::default(),
            ufo: ufo::Options::default(),
            cpa: cpa::Options::default(),
            redcomp: redcomp::Options::default(),
        }
    }
}

impl SearchOptions {
    /// The one engine that is chosen; `None` if several share the time.
    pub(crate) fn single_engine(&self) -> Option<Box<dyn Engine>> {
        match self.engine {
            EngineName::Auto => None,
            EngineName::Explore => Some(Box::new(explore::Options::default())),
            EngineName::Impact => Some(Box::new(self.impact.clone())),
            EngineName::Ufo => Some(Box::new(self.ufo)),
            EngineName::Cpa => Some(Box::new(self.cpa.clone())),
            EngineName::Redcomp => Some(Box::new(self.redcomp)),
            EngineName::Simulate => Some(Box::new(simulate::Options::to_the_end())),
            EngineName::Directed => Some(Box::new(directed::Options { executions: u64::MAX })),
            EngineName::Houdini => Some(Box::new(houdini::Options)),
            EngineName::Shape => Some(Box::new(shape::Options::default())),
            EngineName::Graphs => Some(Box::new(graph::Options::default())),
        }
    }
}

/// Engines by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineName {
    /// Several in time slices: exploration, simulation, directed search, cpa, redcomp, ufo for one thread, impact
    Auto,
    /// Explicit states, one after the other
    Explore,
    /// Lazy abstraction with interpolants over interleavings
    Impact,
    /// Interpolants of graphs and predicate abstraction, all paths at once
    Ufo,
    /// Configurable program analysis over interleavings
    Cpa,
    /// Lipton reduction with thread-modular proofs
    Redcomp,
    /// Random schedules until the time is up; finds violations only
    Simulate,
    /// Executions directed at the data races that are not excluded; finds violations only
    Directed,
    /// Simple facts that are inductive together; finds proofs only
    Houdini,
    /// Lists and trees of any size, also of threads that share them under locks or are handed them; finds proofs only
    Shape,
    /// All execution graphs that a weak memory model allows, one by one
    Graphs,
}

/// Data models by name.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataModelName {
    /// 32-bit int, long and pointers
    #[value(name = "ILP32")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers
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
    use clap::{Command, FromArgMatches};

    #[test]
    fn an_empty_command_line_means_the_defaults() {
        let matches = Options::augment_args(Command::new("verify")).get_matches_from(["verify"]);
        assert_eq!(Options::from_arg_matches(&matches).unwrap(), Options::default());
    }

    #[test]
    fn several_entries_are_functions_of_a_library() {
        let client = |args: &[&str]| {
            let args = [&["verify"], args].concat();
            let matches = Options::augment_args(Command::new("verify")).get_matches_from(args);
            Options::from_arg_matches(&matches).unwrap().source.client()
        };
        assert_eq!((client(&[]), client(&["--entry", "start"])), (None, None));
        let all = client(&["--library", "--clients", "any"]).unwrap();
        assert_eq!((all.functions.len(), all.threads), (0, None));
        let some = client(&["--entry", "push,pop", "--init", "start"]).unwrap();
        assert_eq!((some.functions, some.init), (vec!["push".into(), "pop".into()], vec!["start".into()]));
        assert!("0".parse::<Clients>().is_err() && "many".parse::<Clients>().is_err());
    }

    #[test]
    fn macros_have_names() {
        assert!(macro_definition("N=3").is_ok() && macro_definition("_X").is_ok());
        for bad in ["3N", "=1", ""] {
            assert!(macro_definition(bad).is_err(), "{bad}");
        }
    }
}
