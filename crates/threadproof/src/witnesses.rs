//! `threadproof verify --witness` and `threadproof validate`: witnesses as files.

use crate::args::ValidateArgs;
use crate::interrupt::on_interrupt;
use crate::output::{self, Exit};
use report::TerminalStyle;
use report::witness::{Content, Producer, Witness, render};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use threadproof::options::DataModelName;
use threadproof::property::Asked;
use threadproof::witness::{asked, of_report, read};
use threadproof::{Options, Report, Verdict, Verifier};

/// Writes the witness of an answer, if there is one; false if the file cannot be written.
pub fn write(path: &Path, report: &Report, asked: &Asked, files: &[PathBuf], options: &Options) -> bool {
    if !matches!(report.verdict, Verdict::Holds | Verdict::Violated(_)) {
        return true;
    }
    let witness = match of_report(report, asked, files, options) {
        Ok(witness) => witness,
        Err(why) => {
            output::err(&format!("note: no witness is written: {why}\n"));
            return true;
        }
    };
    if let Content::Correctness(invariants) = &witness.content
        && invariants.is_empty()
    {
        output::err(
            "note: the set of invariants of the witness is empty; `--proof` writes the evidence itself\n",
        );
    }
    let written = std::fs::write(path, render(&witness, &producer()));
    if let Err(error) = &written {
        output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
    }
    written.is_ok()
}

/// Builds that should be the same every time set `SOURCE_DATE_EPOCH`.
fn producer() -> Producer {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|time| time.parse().ok());
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Producer { version: env!("CARGO_PKG_VERSION").to_owned(), time: given.unwrap_or_else(now) }
}

/// Validates a witness and prints.
pub fn validate(mut args: ValidateArgs) -> Exit {
    let leave = |verdict: Verdict| {
        output::out(&format!("verdict: {verdict}\n"));
        verdict.exit()
    };
    let (witness, asked) = match read_witness(&args) {
        Ok(found) => found,
        Err(message) => {
            output::err(&format!("error: cannot read `{}`: {message}\n", args.witness.display()));
            return leave(Verdict::InputError);
        }
    };
    let resolved = match args.inputs.resolve(&mut args.source) {
        Ok(resolved) => resolved,
        Err(errors) => {
            output::diagnostics(&errors);
            return leave(Verdict::InputError);
        }
    };
    output::diagnostics(&resolved.diagnostics);
    if witness.task.data_model == "ILP32" {
        args.source.data_model.get_or_insert(DataModelName::Ilp32);
    }
    let options = Options { timeout: args.timeout, source: args.source, ..Options::default() };
    let verifier = Verifier::new(options);
    on_interrupt(verifier.cancel_flag());
    let report = verifier.validate(&resolved.files, asked, witness);
    output::diagnostics(&report.diagnostics);
    output::err(&report.remarks());
    output::out(&report.text(TerminalStyle::of_stdout()));
    leave(report.verdict)
}

fn read_witness(args: &ValidateArgs) -> Result<(Witness, Asked), String> {
    let text = std::fs::read_to_string(&args.witness).map_err(|error| error.to_string())?;
    let witness = read::parse(&text)?;
    let asked = match &args.asked {
        Some(asked) => asked.clone(),
        None => asked(&witness)?,
    };
    Ok((witness, asked))
}
