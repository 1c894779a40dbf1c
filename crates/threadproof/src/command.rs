//! `threadproof verify`: runs the verifier and prints its report.

use crate::args::{Format, VerifyArgs};
use crate::interrupt::on_interrupt;
use crate::logging;
use crate::output::{self, Exit};
use report::progress::Progress;
use report::{TerminalStyle, json};
use std::cell::RefCell;
use threadproof::property::Asked;
use threadproof::several::{Answers, everything};
use threadproof::{Property, Status, Verdict, Verifier};

/// Verifies and prints.
pub fn verify(args: VerifyArgs) -> Exit {
    if let Err(message) = logging::start(args.verbose, args.trace_log.as_deref()) {
        output::err(&format!("error: {message}\n"));
        output::out(&format!("verdict: {}\n", Verdict::UsageError));
        return Exit::BadInput;
    }
    let progress = RefCell::new(Progress::new());
    let show = move |status: &Status| progress.borrow_mut().show(|| line(status));
    let asked = match args.asked.is_empty() {
        true if args.robustness || args.options.fences => vec![Asked::from(Property::Robustness)],
        true => everything(&args.options).into_iter().map(Asked::from).collect(),
        false => args.asked,
    };
    let verifier = Verifier::new(args.options).on_progress(show);
    on_interrupt(verifier.cancel_flag());
    let answers = verifier.verify_each(&args.files, asked);
    drop(verifier); // with it the line of progress disappears
    print(&answers, args.format, args.stats);
    answers.decisive().verdict.exit()
}

fn print(answers: &Answers, format: Format, stats: bool) {
    let report = answers.decisive();
    output::diagnostics(&report.diagnostics);
    output::err(&answers.remarks());
    let mut text = match format {
        Format::Json => format!("{}\n", answers.to_json()),
        Format::Text => answers.text(TerminalStyle::of_stdout()),
    };
    if stats {
        text.push_str(&format!("stats: {}\n", json::stats(&report.stats)));
    }
    text.push_str(&format!("verdict: {}\n", report.verdict));
    output::out(&text);
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
