//! `threadproof verify`: runs the verifier and prints its report; `threadproof check-proof`: checks what it has written.

use crate::args::{CheckProofArgs, Format, VerifyArgs, value_name};
use crate::interrupt::on_interrupt;
use crate::logging;
use crate::output::{self, Exit};
use crate::witnesses;
use report::progress::Progress;
use report::{Sources, TerminalStyle, github, html, json, junit, sarif};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use threadproof::property::Asked;
use threadproof::several::{Answers, everything};
use threadproof::{Baseline, Certificate, Options, Property, Status, Verdict, Verifier};

/// Verifies and prints.
pub fn verify(mut args: VerifyArgs) -> Exit {
    if let Err(message) = logging::start(args.verbose, args.trace_log.as_deref()) {
        output::err(&format!("error: {message}\n"));
        return without_program(&args, &Verdict::UsageError);
    }
    let resolved = match args.inputs.resolve(&mut args.options.source) {
        Ok(resolved) => resolved,
        Err(errors) => {
            output::diagnostics(&errors);
            return without_program(&args, &Verdict::InputError);
        }
    };
    output::diagnostics(&resolved.diagnostics);
    let progress = RefCell::new(Progress::new());
    let show = move |status: &Status| progress.borrow_mut().show(|| line(status));
    let asked = match args.asked.is_empty() {
        true if args.robustness || args.options.fences => vec![Asked::from(Property::Robustness)],
        true => everything(&args.options).into_iter().map(Asked::from).collect(),
        false => std::mem::take(&mut args.asked),
    };
    let about_one = [("--proof", args.proof.is_some()), ("--witness", args.witness.is_some())];
    if let Some((option, _)) = about_one.into_iter().find(|(_, given)| *given && asked.len() != 1) {
        output::err(&format!("error: {option} is about one property: name it with --property\n"));
        return without_program(&args, &Verdict::UsageError);
    }
    args.options.keep_evidence = args.proof.is_some();
    // The page shows proofs, too.
    let shows_proofs = args.formats().any(|format| format == Format::Html);
    let is_asked_for = args.options.explain || shows_proofs;
    args.options.explain |= shows_proofs || args.witness.is_some();
    let baseline = match args.kept.baseline.as_deref().map(Baseline::read).transpose() {
        Ok(baseline) => baseline,
        Err(why) => {
            let path = args.kept.baseline.as_deref().unwrap_or(Path::new(""));
            output::err(&format!("error: cannot read `{}`: {why}\n", path.display()));
            return without_program(&args, &Verdict::UsageError);
        }
    };
    args.options.cache = args.kept.cache();
    let verifier = Verifier::new(args.options.clone()).on_progress(show);
    on_interrupt(verifier.cancel_flag());
    let first = asked.first().cloned();
    let mut answers = verifier.verify_each(&resolved.files, asked);
    drop(verifier); // with it the line of progress disappears
    let mut written = write_baseline(&args, &answers, &resolved.files, baseline.as_ref());
    for line in baseline.iter().flat_map(|it| it.apply(&mut answers, &resolved.files)) {
        output::err(&format!("{line}\n"));
    }
    if let (Some(path), Some(asked)) = (&args.witness, first) {
        written &= witnesses::write(path, answers.decisive(), &asked, &resolved.files, &args.options);
        if !is_asked_for {
            answers.forget_explanations();
        }
    }
    written &= print(&answers, &resolved.files, &args);
    if written { answers.exit() } else { Exit::BadInput }
}

/// Writes down all violations, if that is asked for; false if that fails.
fn write_baseline(
    args: &VerifyArgs,
    answers: &Answers,
    files: &[PathBuf],
    before: Option<&Baseline>,
) -> bool {
    let Some(path) = &args.kept.write_baseline else { return true };
    let written = std::fs::write(path, Baseline::of(answers, files, before).to_json());
    if let Err(error) = &written {
        output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
    }
    written.is_ok()
}

/// Checks a certificate and prints.
pub fn check_proof(mut args: CheckProofArgs) -> Exit {
    let leave = |verdict: Verdict| {
        output::out(&format!("verdict: {verdict}\n"));
        verdict.exit()
    };
    let certificate = match Certificate::read(&args.proof) {
        Ok(certificate) => certificate,
        Err(message) => {
            output::err(&format!("error: cannot read `{}`: {message}\n", args.proof.display()));
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
    args.source.memory_model = certificate.memory_model();
    let asked = args.asked.unwrap_or_else(|| Asked::from(certificate.property()));
    let options = Options { timeout: args.timeout, source: args.source, ..Options::default() };
    let verifier = Verifier::new(options);
    on_interrupt(verifier.cancel_flag());
    let report = verifier.check_certificate(&resolved.files, asked, certificate);
    output::diagnostics(&report.diagnostics);
    output::err(&report.remarks());
    output::out(&report.text(TerminalStyle::of_stdout()));
    leave(report.verdict)
}

/// The verdict if there is no program to ask about.
fn without_program(args: &VerifyArgs, verdict: &Verdict) -> Exit {
    say_verdict(args, verdict);
    verdict.exit()
}

/// Only text for people ends with the verdict; elsewhere it would spoil the format.
fn say_verdict(args: &VerifyArgs, verdict: &Verdict) {
    let line = format!("verdict: {verdict}\n");
    if args.format() == Format::Text { output::out(&line) } else { output::err(&line) }
}

/// Writes all that was asked for; false if a file cannot be written.
fn print(answers: &Answers, files: &[PathBuf], args: &VerifyArgs) -> bool {
    let report = answers.decisive();
    output::diagnostics(&report.diagnostics);
    output::err(&answers.remarks());
    output::out(&rendered(answers, files, args, args.format(), TerminalStyle::of_stdout()));
    let mut written = true;
    for (format, path) in &args.output {
        let text = rendered(answers, files, args, *format, TerminalStyle::plain(100));
        if let Err(error) = std::fs::write(path, text) {
            output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
            written = false;
        }
    }
    if let (Some(path), Some(certificate)) = (&args.proof, &report.certificate)
        && let Err(error) = certificate.write(path)
    {
        output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
        written = false;
    }
    if args.stats {
        let line = format!("stats: {}\n", json::stats(&report.stats));
        if args.format() == Format::Text { output::out(&line) } else { output::err(&line) }
    }
    say_verdict(args, &report.verdict);
    written
}

fn rendered(
    answers: &Answers,
    files: &[PathBuf],
    args: &VerifyArgs,
    format: Format,
    terminal: TerminalStyle,
) -> String {
    let source = &args.options.source;
    let data_model = source.data_model.map_or("LP64".to_owned(), |model| value_name(&model));
    let summary =
        || answers.summary(files, command_line(), format!("{}, {data_model}", source.memory_model.name()));
    match format {
        Format::Text => answers.text(terminal),
        Format::Json => format!("{}\n", answers.to_json()),
        Format::Sarif => sarif::render(&summary()),
        Format::Github => github::render(&summary()),
        Format::Junit => junit::render(&summary()),
        Format::Html => html::render(&summary(), &mut Sources::new(files)),
    }
}

/// The command line as it could be typed again.
fn command_line() -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:@+".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("threadproof".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The line of progress.
fn line(status: &Status) -> String {
    let of = status.limit.map(|t| format!(" of {} s", t.as_secs())).unwrap_or_default();
    let nodes = match status.n_nodes {
        0 => String::new(),
        n => format!(", {n} nodes"),
    };
    let (elapsed, megabytes) = (status.elapsed.as_secs(), status.memory.0 / 1_000_000);
    format!("verifying: {elapsed} s{of}{nodes}, {megabytes} MB (Ctrl-C stops)")
}
