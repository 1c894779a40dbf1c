//! The programs of `tests/programs/traps`, on which a literal reading of a published algorithm gives a wrong answer: Impact gives the
//! right one in every configuration, and every answer passes its check.
//!
//! The full configuration has to answer, unless the program says `// explore: unknown` or `// impact: unknown`; the others may run out of time, but
//! must not give the opposite answer.

use base::{Budget, Inconclusive, Stats};
use engines::impact::{Options, Por, Worklist, verify};
use evidence::Outcome;
use program::{Program, Property};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FULL: Options = Options { por: Por::Dpor, force_cover: true, worklist: Worklist::Cost };

fn configurations() -> Vec<Options> {
    let mut all = Vec::new();
    for por in [Por::Dpor, Por::Spor, Por::None] {
        for force_cover in [true, false] {
            all.push(Options { por, force_cover, ..FULL });
        }
    }
    for worklist in [Worklist::Depth, Worklist::Breadth, Worklist::Switches] {
        all.push(Options { worklist, ..FULL });
        all.push(Options { worklist, force_cover: false, ..FULL });
    }
    all
}

struct Trap {
    path: PathBuf,
    holds: bool,
    /// Whether the full configuration may give no answer.
    may_be_open: bool,
}

fn traps() -> Vec<Trap> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/traps");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("there should be traps")
        .filter_map(|e| Some(e.ok()?.path()))
        .collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
    paths.sort();
    let trap = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a trap should be readable");
        let says = |what: &str| text.lines().any(|line| line.trim() == format!("// {what}"));
        let holds = says("expect: unreach-call true");
        let known = holds || says("expect: unreach-call false");
        let may_be_open = says("explore: unknown") || says("impact: unknown");
        known.then_some(Trap { path, holds, may_be_open })
    };
    paths.into_iter().filter_map(trap).collect()
}

/// Whether the property holds, if there is an answer; every answer is checked.
fn answer(program: &Program, options: &Options, time: Duration) -> Result<bool, Inconclusive> {
    let budget = Budget::new(Some(time), None);
    match verify(program, Property::UnreachCall, options, &budget, &mut Stats::default()) {
        Outcome::Safe(proof) => {
            let checking = Budget::new(Some(10 * time), None);
            certify::check_proof(program, Property::UnreachCall, &proof, &checking).map(|()| true)
        }
        Outcome::Unsafe(trace) => certify::replay(program, &trace).map(|_| false),
        Outcome::Unknown(stop) => Err(stop),
    }
}

/// What is wrong with an answer, if anything.
fn trouble(trap: &Trap, program: &Program, options: &Options) -> Option<String> {
    let is_full = options.por == FULL.por && options.force_cover && options.worklist == FULL.worklist;
    let time = if is_full { Duration::from_secs(20) } else { Duration::from_millis(250) };
    let found = answer(program, options, time);
    let open = match &found {
        Ok(found) if *found == trap.holds => return None,
        Ok(_) => false,
        Err(Inconclusive::CheckFailed(_)) => false,
        Err(_) => true,
    };
    let allowed = open && (!is_full || trap.may_be_open);
    let (path, expected) = (trap.path.display(), trap.holds);
    (!allowed).then(|| format!("{path}: {options:?} should say {expected}, says {found:?}"))
}

#[test]
fn impact_is_caught_in_no_trap() {
    let traps = traps();
    assert!(traps.len() > 50, "there should be more traps than {}", traps.len());
    let mut failures = Vec::new();
    for trap in &traps {
        let loaded = frontend::load(std::slice::from_ref(&trap.path), &frontend::Options::default());
        let program =
            loaded.program.unwrap_or_else(|| panic!("{}: {:?}", trap.path.display(), loaded.diagnostics));
        failures.extend(configurations().iter().filter_map(|options| trouble(trap, &program, options)));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
