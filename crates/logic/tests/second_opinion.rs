//! Random formulas, arrays included, answered by our solver and by the `z3` binary where there is one.

use logic::{Answer, Embedded, Limits, Solver, Sort, Term, Terms};
use std::io::Write;
use std::process::{Command, Stdio};

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

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

fn random_goals(t: &mut Terms, random: &mut Random) -> Vec<Term> {
    let width = 8;
    let sort = Sort::Array { index: width, element: width };
    let mut words: Vec<Term> = (0..3).map(|n| t.var(&format!("x{n}"), Sort::Bits(width))).collect();
    words.push(t.constant(random.below(4) as u128, width));
    let mut arrays = vec![t.var("a", sort), t.var("b", sort)];
    let mut atoms = vec![t.var("p", Sort::Bool)];
    for _ in 0..6 {
        let [i, v, w] = [(); 3].map(|()| words[random.below(words.len())]);
        let [a, b] = [(); 2].map(|()| arrays[random.below(arrays.len())]);
        let c = atoms[random.below(atoms.len())];
        arrays.push(if random.below(3) == 0 { t.ite(c, a, b) } else { t.store(a, i, v) });
        words.push(t.select(b, w));
        words.push(match random.below(6) {
            0 => t.add(v, w),
            1 => t.mul(v, w),
            2 => t.srem(v, w),
            3 => t.lshr(v, w),
            4 => t.ite(c, v, w),
            _ => t.bit_and(v, w),
        });
        let atom = match random.below(5) {
            0 => t.eq(v, w),
            1 => t.slt(v, w),
            2 => t.ule(w, i),
            3 => t.eq(a, b),
            _ => t.ne(a, b),
        };
        atoms.push(atom);
    }
    let n = atoms.len();
    (0..4).map(|_| atoms[random.below(n)]).collect()
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
        let goals = random_goals(&mut t, &mut random);
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
