//! `threadproof replay`: shows a counterexample as a native program.

use crate::args::ReplayArgs;
use crate::interrupt::on_interrupt;
use crate::output::{self, Exit};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use threadproof::options::DataModelName;
use threadproof::property::Asked;
use threadproof::replay::script::Script;
use threadproof::replay::{Replay, Replayed};
use threadproof::{Certificate, Options, Property, Report, SourceOptions, Verdict, Verifier};

/// How long the trace may take to be checked.
const CHECK: Duration = Duration::from_secs(60);

/// Checks the trace, builds the program, runs it, and prints what happened.
pub fn replay(mut args: ReplayArgs) -> Exit {
    let certificate = match Certificate::read(&args.trace) {
        Ok(certificate) => certificate,
        Err(message) => return refuse(&format!("cannot read `{}`: {message}", args.trace.display())),
    };
    let resolved = match args.inputs.resolve(&mut args.source) {
        Ok(resolved) => resolved,
        Err(errors) => {
            output::diagnostics(&errors);
            return Exit::BadInput;
        }
    };
    output::diagnostics(&resolved.diagnostics);
    args.source.memory_model = certificate.memory_model();
    let report = checked(&args, &resolved.files, certificate);
    output::diagnostics(&report.diagnostics);
    if report.verdict == Verdict::InputError {
        return Exit::BadInput;
    }
    let script = match forced(&report, &args.source) {
        Ok(script) => script,
        Err(why) => return not_reproduced(&why),
    };
    let Some(scratch) = Scratch::new(args.keep.as_deref()) else {
        return refuse("a scratch folder cannot be made");
    };
    let replay = Replay {
        files: &resolved.files,
        source: &args.source,
        script,
        folder: &scratch.folder,
        time: args.timeout,
    };
    if args.gdb {
        return debug(&replay);
    }
    match replay.run() {
        Ok(replayed) => print(script, &replayed),
        Err(why) => not_reproduced(&format!("the program cannot be built: {}", why.trim_end())),
    }
}

/// The trace, checked again about the program.
fn checked(args: &ReplayArgs, files: &[PathBuf], certificate: Certificate) -> Report {
    let asked = args.asked.clone().unwrap_or_else(|| Asked::from(certificate.property()));
    let source = args.source.clone();
    let options = Options { timeout: CHECK, source, keep_script: true, ..Options::default() };
    let verifier = Verifier::new(options);
    on_interrupt(verifier.cancel_flag());
    verifier.check_certificate(files, asked, certificate)
}

/// What the program is forced to do, if a native program can show it.
fn forced<'r>(report: &'r Report, source: &SourceOptions) -> Result<&'r Script, String> {
    match &report.verdict {
        Verdict::Violated(Property::Termination) => {
            return Err("a program that does not end cannot be watched for ever".to_owned());
        }
        Verdict::Violated(Property::NoOverflow) => {
            return Err("machines wrap around where signed arithmetic overflows".to_owned());
        }
        Verdict::Violated(Property::UndefinedBehaviour) => {
            return Err("machines go on after undefined behaviour of this kind".to_owned());
        }
        Verdict::Violated(_) => {}
        Verdict::Holds => return Err("the evidence is a proof: there is nothing to replay".to_owned()),
        other => return Err(other.to_string()),
    }
    if source.data_model == Some(DataModelName::Ilp32) {
        return Err("the hooks of compilers exist for 64 bits only".to_owned());
    }
    if source.library.library || source.first_function() != "main" {
        return Err("the program has no main of its own".to_owned());
    }
    let weak = "the execution needs a weak memory model, which cannot be forced upon the machine";
    report.script.as_ref().ok_or_else(|| weak.to_owned())
}

fn print(script: &Script, replayed: &Replayed) -> Exit {
    output::err(&format!(
        "compiled natively; {} context switches and {} inputs are forced{}\n",
        script.segments.len().saturating_sub(1),
        script.inputs.len(),
        if replayed.offline { "; without a network" } else { "; the network could not be taken away" }
    ));
    if !replayed.output.is_empty() {
        output::out(&format!("the program wrote:\n{}\n", indented(&replayed.output)));
    }
    let Some(shown) = &replayed.shown else { return not_reproduced(&replayed.reasons.join("; ")) };
    output::out(&format!("{shown}\n"));
    for thread in &replayed.threads {
        let mut words = thread.splitn(3, ' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (name, line, does) = (next(), next(), next());
        output::out(&format!("  {name} at {line} {does}\n"));
    }
    if matches!(script.property, Property::NoDataRace) && replayed.sanitizer.is_none() {
        output::out("ThreadSanitizer does not report it\n");
    }
    for reason in &replayed.reasons {
        output::err(&format!("note: {reason}\n"));
    }
    output::out("replay: reproduced\n");
    Exit::Violated
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn not_reproduced(why: &str) -> Exit {
    output::out(&format!("replay: not reproduced ({why})\n"));
    Exit::Unknown
}

fn refuse(why: &str) -> Exit {
    output::err(&format!("error: {why}\n"));
    Exit::BadInput
}

/// Starts gdb with the program; it stops where the violation has happened.
fn debug(replay: &Replay<'_>) -> Exit {
    let program = match replay.program() {
        Ok(program) => program,
        Err(why) => return not_reproduced(&format!("the program cannot be built: {}", why.trim_end())),
    };
    let commands = ["set pagination off", "break threadproof_reproduced", "run"];
    let status = Command::new("gdb")
        .arg("-q")
        .args(commands.iter().flat_map(|command| ["-ex", command]))
        .arg(&program)
        .current_dir(replay.folder)
        .status();
    match status {
        Ok(_) => Exit::Fine,
        Err(error) => refuse(&format!("gdb: {error}")),
    }
}

/// A folder that is removed, unless it is to be kept.
struct Scratch {
    folder: PathBuf,
    kept: bool,
}

impl Scratch {
    fn new(keep: Option<&Path>) -> Option<Self> {
        if let Some(folder) = keep {
            std::fs::create_dir_all(folder).ok()?;
            return Some(Self { folder: folder.canonicalize().ok()?, kept: true });
        }
        let parent = std::env::temp_dir();
        // Another process may have the name already, and its folder must not be used.
        let name = |n: u32| parent.join(format!("threadproof-replay-{}-{n}", std::process::id()));
        let folder =
            (0..100).map(name).find(|folder| DirBuilder::new().mode(0o700).create(folder).is_ok())?;
        Some(Self { folder, kept: false })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
