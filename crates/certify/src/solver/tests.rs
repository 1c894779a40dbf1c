//! The checked solver against brute force, and with a SAT solver that lies below it.

use super::CheckedSolver;
use base::{Inconclusive, Random};
use logic::solver::faults::{Forgery, Lies};
use logic::{Answer, Limits, Model, Solver, Sort, Symbol, Term, Terms, Value};

/// Random formulas over three numbers of three bits.
struct Formulas {
    terms: Terms,
    vars: Vec<Term>,
    symbols: Vec<Symbol>,
    random: Random,
}

impl Formulas {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let vars: Vec<Term> = ["x", "y", "z"].iter().map(|n| terms.var(n, Sort::Bits(3))).collect();
        let symbols = vars.iter().map(|&v| terms.as_var(v).unwrap()).collect();
        Self { terms, vars, symbols, random: Random(seed) }
    }

    fn below(&mut self, n: u64) -> usize {
        usize::try_from(self.random.below(n)).unwrap()
    }

    fn atom(&mut self) -> Term {
        let [v, w, u] = [0; 3].map(|_| self.below(3)).map(|n| self.vars[n]);
        let c = self.random.below(8);
        let t = &mut self.terms;
        let c = t.constant(u128::from(c), 3);
        let (sum, product) = (t.add(w, c), t.mul(w, u));
        let atom = match self.random.below(5) {
            0 => t.ult(v, sum),
            1 => t.eq(v, product),
            2 => t.ule(product, c),
            3 => t.slt(sum, v),
            _ => t.eq(sum, v),
        };
        if self.random.below(3) == 0 { self.terms.not(atom) } else { atom }
    }

    fn query(&mut self) -> Vec<Term> {
        (0..2 + self.below(5)).map(|_| self.atom()).collect()
    }

    fn is_possible(&self, formulas: &[Term]) -> bool {
        (0..512u128).any(|code| {
            let mut model = Model::default();
            for (n, &x) in self.symbols.iter().enumerate() {
                model.set(x, Value::Bits(code >> (3 * n) & 7));
            }
            formulas.iter().all(|&f| self.terms.eval(f, &model).truth())
        })
    }
}

/// Without lies every answer is right and every `Unsat` passes its check: incrementally, with learnt clauses of earlier queries.
#[test]
fn answers_are_right_and_confirmed() {
    let mut formulas = Formulas::new(1);
    let mut solver = CheckedSolver::new();
    let mut n_unsat = 0;
    for _ in 0..1500 {
        let query = formulas.query();
        let answer = solver.check(&formulas.terms, &query, &Limits::none()).expect("it should be confirmed");
        assert_eq!(answer.is_unsat(), !formulas.is_possible(&query));
        if let Answer::Unsat(core) = answer {
            n_unsat += 1;
            assert!(!formulas.is_possible(&core), "a core should be impossible");
        }
    }
    assert!(n_unsat > 200, "{n_unsat}");
}

/// Whatever derivation a wrong `Unsat` comes with, it is never returned.
#[test]
fn lies_are_caught() {
    for forgery in [Forgery::Nothing, Forgery::NoHints, Forgery::RandomHints, Forgery::Contradiction] {
        let (mut n_caught, mut n_told) = (0, 0);
        for seed in 0..60 {
            let lies = Lies::tell(seed, 4, forgery);
            let mut formulas = Formulas::new(1000 + seed);
            let mut solver = CheckedSolver::new();
            for _ in 0..40 {
                let query = formulas.query();
                match solver.check(&formulas.terms, &query, &Limits::none()) {
                    Ok(Answer::Unsat(core)) => {
                        assert!(!formulas.is_possible(&core), "{forgery:?}: a lie was believed");
                    }
                    Ok(Answer::Sat(_) | Answer::Unknown) => {}
                    Err(Inconclusive::CheckFailed(_)) => n_caught += 1,
                    Err(other) => panic!("{other}"),
                }
            }
            n_told += lies.n_told();
        }
        assert!(n_told > 100 && n_caught > 100, "{forgery:?}: {n_caught} of {n_told}");
    }
}
