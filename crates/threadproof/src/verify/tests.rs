//! Verifiers as embedders use them.

use super::*;
use std::sync::atomic::Ordering;

const SAFE: &str = "int main(void) { return 0; }";

fn file(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("prog.c");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_verifier_answers_more_than_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, SAFE);
    let verifier = Verifier::new(Options { explain: true, ..Options::default() });
    for property in [Property::UnreachCall, Property::Termination] {
        let report = verifier.verify(&[&path], property);
        assert_eq!((report.verdict, report.property), (Verdict::Holds, property));
        assert!(report.explanation.is_some() && report.counterexample.is_none());
    }
    let missing = verifier.verify(&[folder.path().join("missing.c")], Property::UnreachCall);
    assert_eq!((missing.verdict, missing.diagnostics.is_empty()), (Verdict::InputError, false));
}

#[test]
fn a_verifier_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "unsigned long long x; int main(void) { for (;;) x++; }");
    let verifier = Verifier::new(Options::default());
    let flag = verifier.cancel_flag();
    let verifier = verifier.on_progress(move |_| flag.store(true, Ordering::Relaxed));
    let report = verifier.verify(&[path], Property::NoDeadlock);
    assert!(
        matches!(report.verdict, Verdict::NoAnswer(Inconclusive::Cancelled) | Verdict::Holds),
        "{report:?}"
    );
}
