//! Random formulas, arrays included, answered by our solver and by the `z3` binary where there is one.

use base::Random;
use logic::{Answer, Embedded, Limits, Solver, Sort, Term, Terms};
use std::io::Write;
use std::process::{Command, Stdio};

fn z3(script: &str) -> Option<String> {
    let mut child = Command::new("z3")
        .args(["-in", "-T:20"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn random_goals(t: &mut Terms, random: &mut Random, width: u8) -> Vec<Term> {
    let sort = Sort::Array { index: width, element: width };
    let mut words: Vec<Term> = (0..3).map(|n| t.var(&format!("x{n}"), Sort::Bits(width))).collect();
    words.push(t.constant(random.index(4) as u128, width));
    let mut arrays = vec![t.var("a", sort), t.var("b", sort)];
    let mut atoms = vec![t.var("p", Sort::Bool)];
    for _ in 0..6 {
        let [i, v, w] = [(); 3].map(|()| words[random.index(words.len())]);
        let [a, b] = [(); 2].map(|()| arrays[random.index(arrays.len())]);
        let c = atoms[random.index(atoms.len())];
        arrays.push(if random.index(3) == 0 { t.ite(c, a, b) } else { t.store(a, i, v) });
        words.push(t.select(b, w));
        // Products and quotients of wide words are hard for both, and hard is not what this test is about.
        let n_kinds = if width <= 16 { 8 } else { 6 };
        words.push(match random.index(n_kinds) {
            0 => t.add(v, w),
            1 => t.bit_xor(v, w),
            2 => t.ashr(v, w),
            6 => t.mul(v, w),
            7 => t.srem(v, w),
            3 => t.lshr(v, w),
            4 => t.ite(c, v, w),
            _ => t.bit_and(v, w),
        });
        let atom = match random.index(5) {
            0 => t.eq(v, w),
            1 => t.slt(v, w),
            2 => t.ule(w, i),
            3 => t.eq(a, b),
            _ => t.ne(a, b),
        };
        atoms.push(atom);
    }
    let n = atoms.len();
    (0..4).map(|_| atoms[random.index(n)]).collect()
}

#[test]
fn z3_agrees() {
    if z3("(check-sat)").is_none() {
        println!("skipped: there is no z3 binary");
        return;
    }
    let mut random = Random(2024);
    let mut counts = [0, 0, 0];
    for _ in 0..300 {
        let mut t = Terms::new();
        let goals = random_goals(&mut t, &mut random, 8);
        let script = t.smtlib(&goals);
        let expected = z3(&script).expect("z3 should still be there");
        let ours = match Embedded::new().check(&t, &goals, &Limits::none()).expect("there should be no limit")
        {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown => "unknown",
        };
        counts[["sat", "unsat", "unknown"].iter().position(|&v| v == ours).unwrap()] += 1;
        assert!(ours == "unknown" || expected == ours, "we say {ours}, z3 {expected}:\n{script}");
    }
    assert!(counts[0] > 30 && counts[1] > 30 && counts[2] == 0, "{counts:?}");
}

/// Thousands of queries at several widths: answers, models and cores of both solvers, each judged by the other.
#[cfg(feature = "z3")]
#[test]
fn the_second_back_end_agrees() {
    let Ok(mut z3) = logic::Z3::start() else {
        println!("skipped: the feature z3 is on, but there is no program called z3");
        return;
    };
    let limits = Limits::none();
    let mut random = Random(4711);
    let (mut n_sat, mut n_unsat, mut n_unknown) = (0, 0, 0);
    let mut t = Terms::new();
    let mut ours = Embedded::new();
    for n in 0..2000 {
        // Fifty queries in a row to one solver: what it learns must not spoil later answers.
        let width = [8, 13, 16, 32, 64][n / 50 % 5];
        if n % 50 == 0 {
            t = Terms::new();
            ours = Embedded::new();
        }
        let goals = random_goals(&mut t, &mut random, width);
        let script = t.smtlib(&goals);
        let we = ours.check(&t, &goals, &limits).expect("there should be no limit");
        let they = z3.check(&t, &goals, &limits).expect("z3 should answer");
        match (we, they) {
            (Answer::Sat(model), Answer::Sat(_) | Answer::Unknown) => {
                n_sat += 1;
                assert!(goals.iter().all(|&g| t.eval(g, &model).truth()), "our model is none:\n{script}");
            }
            (Answer::Unsat(core), Answer::Unsat(other)) => {
                n_unsat += 1;
                let again = z3.check(&t, &core, &limits).expect("z3 should answer");
                assert!(again.is_unsat(), "our core {core:?} is none:\n{script}");
                assert!(ours.core(&t, &other, &limits).expect("no limit").is_some(), "its core is none");
            }
            (Answer::Unknown, _) => n_unknown += 1,
            (we, they) => panic!("we say {we:?}, z3 says {they:?}:\n{script}"),
        }
    }
    println!("{n_sat} satisfiable, {n_unsat} not, {n_unknown} unknown to us");
    // We may give up on equations between arrays, which no engine asks about; seldom, or something is broken.
    assert!(n_sat > 300 && n_unsat > 300 && n_unknown < 5);
}
