//! How fast are implications between labels? Ten thousand checks of conjunctions of 1 to 6 atoms over 32-bit
//! variables, as covering asks them.

use base::Stop;
use logic::{Embedded, Limits, Solver, Sort, Term, Terms};
use std::time::Instant;

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

fn atom(terms: &mut Terms, random: &mut Random, vars: &[Term]) -> Term {
    let x = vars[random.below(vars.len())];
    let y = vars[random.below(vars.len())];
    let c = terms.constant(random.below(8) as u128, 32);
    let shifted = terms.add(y, c);
    match random.below(7) {
        0 => terms.eq(x, c),
        1 => terms.sle(x, c),
        2 => terms.sle(c, x),
        3 => terms.sle(x, shifted),
        4 => terms.eq(x, shifted),
        5 => terms.ne(x, shifted),
        _ => {
            let sum = terms.add(x, y);
            let other = vars[random.below(vars.len())];
            terms.eq(sum, other)
        }
    }
}

fn label(terms: &mut Terms, random: &mut Random, vars: &[Term]) -> Term {
    let n = 1 + random.below(6);
    let atoms: Vec<Term> = (0..n).map(|_| atom(terms, random, vars)).collect();
    terms.and(&atoms)
}

fn main() -> Result<(), Stop> {
    let mut terms = Terms::new();
    let vars: Vec<Term> = (0..12).map(|n| terms.var(&format!("x{n}"), Sort::Bits(32))).collect();
    let mut random = Random(7);
    let mut solver = Embedded::new();
    let limits = Limits::none();
    let start = Instant::now();
    let mut n_valid = 0;
    for _ in 0..10_000 {
        let a = label(&mut terms, &mut random, &vars);
        // Half of the questions are about a weakening, so that both answers occur.
        let parts = terms.conjuncts(a);
        let other = label(&mut terms, &mut random, &vars);
        let b = if random.below(2) == 0 {
            other
        } else {
            terms.or(&[parts.first().copied().unwrap_or(other), other])
        };
        n_valid += u32::from(solver.implies(&mut terms, a, b, &limits)?);
    }
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{n_valid} of 10000 implications hold: {seconds:.3} s, {} terms", terms.len());
    eprintln!("{:?}", solver.statistics());
    Ok(())
}
