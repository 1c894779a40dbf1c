//! The commands around RedComp: Horn clauses, movers, reduction on and off.

mod common;

use common::{last_line, stderr, stdout, threadproof};

const LOOP: &str = "(set-logic HORN)
(declare-fun inv ((_ BitVec 32) (_ BitVec 32)) Bool)
(assert (forall ((x (_ BitVec 32))) (=> (= x #x00000000) (inv x x))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)))
  (=> (inv x y) (inv (bvadd x #x00000001) (bvadd y #x00000001)))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32))) (=> (and (inv x y) (not (= x y))) false)))
(check-sat)
";

fn horn(text: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let file = folder.path().join("clauses.smt2");
    std::fs::write(&file, text).expect("a file should be written");
    let output =
        threadproof().args(["horn", "--timeout", "30s"]).arg(&file).output().expect("threadproof should run");
    (stdout(&output) + &stderr(&output), output.status.code())
}

#[test]
fn clauses_are_solved_or_refuted() {
    let (text, code) = horn(LOOP);
    assert!(text.starts_with("sat\n") && text.contains("define-fun inv"), "{text}");
    assert_eq!(code, Some(0));
    let (text, code) = horn(&LOOP.replace("(bvadd y #x00000001)", "(bvadd y #x00000002)"));
    assert!(text.starts_with("unsat\n") && text.contains("false by clause 2"), "{text}");
    assert_eq!(code, Some(1));
    let (text, code) = horn(&LOOP.replace("(_ BitVec 32)", "Int"));
    assert!(text.contains("sort Int"), "{text}");
    assert_eq!(code, Some(2));
}

fn program(name: &str) -> std::path::PathBuf {
    testkit::corpus::path(&format!("redcomp/{name}"))
}

/// The blocks of the paper's program: two in the first thread, one in each of the others.
#[test]
fn movers_and_blocks_are_shown() {
    let output = threadproof().args(["show", "--movers"]).arg(program("p1_1.c")).output().unwrap();
    let text = stdout(&output);
    let threads: Vec<&str> = text.split("thread ").skip(1).collect();
    let n_outside: Vec<usize> = threads.iter().map(|t| t.matches("): outside").count()).collect();
    assert_eq!(n_outside[1..], [2, 1, 1], "{text}");
    assert!(
        text.contains("right-mover") && text.contains("left-mover") && text.contains("holds mx"),
        "{text}"
    );
}

#[test]
fn ways_through_a_block_are_not_taken_one_by_one() {
    let output = threadproof()
        .args(["verify", "--engine", "redcomp", "--timeout", "60s"])
        .arg(program("many_ways_through_a_block.c"))
        .output()
        .unwrap();
    assert_eq!(last_line(&output), "verdict: true");
}

/// Neither the proof nor the way to the violation gets lost in the loop that creates the threads.
#[test]
fn thousands_of_creations_are_no_obstacle() {
    for (name, verdict) in
        [("many_creations.c", "verdict: true"), ("many_creations_broken.c", "verdict: false(unreach-call)")]
    {
        let output = threadproof()
            .args(["verify", "--property", "unreach-call", "--timeout", "120s"])
            .arg(program(name))
            .output()
            .unwrap();
        assert_eq!(last_line(&output), verdict, "{name}");
    }
}

#[test]
fn the_papers_program_is_proved() {
    for (name, verdict) in [("p1_1.c", "verdict: true"), ("p1_2_broken.c", "verdict: false(unreach-call)")] {
        let output = threadproof()
            .args(["verify", "--engine", "redcomp", "--timeout", "120s"])
            .arg(program(name))
            .output()
            .unwrap();
        assert_eq!(last_line(&output), verdict, "{name}");
    }
}
