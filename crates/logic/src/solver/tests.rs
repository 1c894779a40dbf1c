//! The blaster against evaluation, exhaustively at small widths and on random terms.

use super::*;
use crate::term::Op;
use crate::{Sort, Value};
use base::Random;

fn check(solver: &mut Embedded, terms: &Terms, assumptions: &[Term]) -> Answer {
    solver.check(terms, assumptions, &Limits::none()).unwrap()
}

const WORD_OPS: [Op; 13] = [
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::BitAnd,
    Op::BitOr,
    Op::BitXor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Concat,
];

#[test]
fn every_operation_agrees_with_evaluation_at_widths_1_to_4() {
    for width in 1..=4u8 {
        let mut t = Terms::new();
        let (x, y) = (t.var("x", Sort::Bits(width)), t.var("y", Sort::Bits(width)));
        let mut results: Vec<Term> = WORD_OPS.iter().map(|&op| t.make(op, &[x, y])).collect();
        results.push(t.bit_not(x));
        results.push(t.neg(x));
        results.push(t.zext(width + 3, x));
        results.push(t.sext(width + 3, x));
        results.push(t.extract(width - 1, width / 2, x));
        for op in [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle] {
            let atom = t.make(op, &[x, y]);
            results.push(t.bool_to_bit(atom));
        }
        let less = t.ult(x, y);
        results.push(t.ite(less, x, y));
        let mut solver = Embedded::new();
        for a in 0..1u128 << width {
            for b in 0..1u128 << width {
                let mut model = Model::default();
                model.set(t.as_var(x).unwrap(), Value::Bits(a));
                model.set(t.as_var(y).unwrap(), Value::Bits(b));
                let (ca, cb) = (t.constant(a, width), t.constant(b, width));
                let fixed = [t.eq(x, ca), t.eq(y, cb)];
                for &result in &results {
                    let value = t.eval(result, &model).bits();
                    let value = t.constant(value, t.width(result));
                    let same = t.eq(result, value);
                    let differs = t.not(same);
                    let text = t.show(result);
                    assert!(
                        !check(&mut solver, &t, &[fixed[0], fixed[1], same]).is_unsat(),
                        "{text} {a} {b}"
                    );
                    assert!(
                        check(&mut solver, &t, &[fixed[0], fixed[1], differs]).is_unsat(),
                        "{text} {a} {b}"
                    );
                }
            }
        }
    }
}

/// A random truth-valued term over `vars`.
fn random_term(t: &mut Terms, random: &mut Random, width: u8, vars: &[Term], n_steps: usize) -> Term {
    let mut words = vars.to_vec();
    words.push(t.constant(random.index(1 << width.min(20)) as u128, width));
    words.push(t.constant(u128::MAX, width));
    let mut atoms = vec![t.tt()];
    for _ in 0..n_steps {
        let a = words[random.index(words.len())];
        let b = words[random.index(words.len())];
        let cheap = WORD_OPS.len() - 1;
        let mut op = WORD_OPS[random.index(cheap)];
        if width > 12 && matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem) {
            op = Op::Add;
        }
        words.push(t.make(op, &[a, b]));
        let compare = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle][random.index(5)];
        let mut atom = t.make(compare, &[a, b]);
        if random.index(3) == 0 {
            atom = t.not(atom);
        }
        let other = atoms[random.index(atoms.len())];
        words.push(t.ite(other, a, b));
        atoms.push(if random.index(2) == 0 { t.and2(atom, other) } else { t.or2(atom, other) });
        atoms.push(atom);
    }
    let last = atoms.len() - 1;
    let picks = [atoms[random.index(last)], atoms[last - 1]];
    t.and(&picks)
}

#[test]
fn random_formulas_agree_with_brute_force() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut solver_counts = (0, 0);
    for round in 0..300 {
        let width = 1 + (round % 3) as u8;
        let mut t = Terms::new();
        let vars: Vec<Term> = (0..3).map(|n| t.var(&format!("x{n}"), Sort::Bits(width))).collect();
        let mut solver = Embedded::new();
        let goals: Vec<Term> =
            (0..1 + round % 3).map(|_| random_term(&mut t, &mut random, width, &vars, 4)).collect();
        let all = t.and(&goals);
        let brute = (0..1u128 << (3 * width)).any(|code| {
            let mut model = Model::default();
            for (n, &v) in vars.iter().enumerate() {
                let value = code >> (n as u8 * width) & ((1 << width) - 1);
                model.set(t.as_var(v).unwrap(), Value::Bits(value));
            }
            t.eval(all, &model).truth()
        });
        match check(&mut solver, &t, &goals) {
            Answer::Sat(model) => {
                assert!(brute && t.eval(all, &model).truth());
                solver_counts.0 += 1;
            }
            Answer::Unsat(core) => {
                assert!(!brute);
                assert!(check(&mut Embedded::new(), &t, &core).is_unsat(), "a core should be unsatisfiable");
                let small = solver.minimise(&t, &core, 100, &Limits::none()).unwrap();
                assert!(check(&mut Embedded::new(), &t, &small).is_unsat());
                for n in 0..small.len() {
                    let mut without = small.clone();
                    without.remove(n);
                    assert!(!check(&mut solver, &t, &without).is_unsat(), "a minimal core should be minimal");
                }
                solver_counts.1 += 1;
            }
            Answer::Unknown => panic!("no limit was set"),
        }
    }
    assert!(solver_counts.0 > 50 && solver_counts.1 > 50, "{solver_counts:?}");
}

/// The widest words: a division works on one bit more.
#[test]
fn operations_agree_with_evaluation_at_width_128() {
    let mut t = Terms::new();
    let (x, y) = (t.var("x", Sort::Bits(128)), t.var("y", Sort::Bits(128)));
    let (a, b) = (u128::MAX - 12_345, (1u128 << 127) + 77);
    let mut model = Model::default();
    model.set(t.as_var(x).unwrap(), Value::Bits(a));
    model.set(t.as_var(y).unwrap(), Value::Bits(b));
    let (ca, cb) = (t.constant(a, 128), t.constant(b, 128));
    let fixed = [t.eq(x, ca), t.eq(y, cb)];
    for op in WORD_OPS.into_iter().filter(|op| !matches!(op, Op::Mul | Op::Concat)) {
        let result = t.make(op, &[x, y]);
        let value = t.eval(result, &model).bits();
        let value = t.constant(value, 128);
        let differs = t.ne(result, value);
        let mut solver = Embedded::new();
        assert!(check(&mut solver, &t, &[fixed[0], fixed[1], differs]).is_unsat(), "{op:?}");
    }
}

#[test]
fn models_of_wide_formulas_evaluate_to_true() {
    let mut random = Random(42);
    let mut n_sat = 0;
    for width in [8, 16, 32, 33, 64, 128] {
        let mut t = Terms::new();
        let vars: Vec<Term> = (0..4).map(|n| t.var(&format!("x{n}"), Sort::Bits(width))).collect();
        let mut solver = Embedded::new();
        for _ in 0..40 {
            let goal = random_term(&mut t, &mut random, width, &vars, 8);
            let limits = Limits { conflicts: Some(2000), ..Limits::none() };
            if let Answer::Sat(model) = solver.check(&t, &[goal], &limits).unwrap() {
                assert!(t.eval(goal, &model).truth());
                n_sat += 1;
            }
        }
    }
    assert!(n_sat > 100, "{n_sat}");
}

#[test]
fn arrays_are_consistent_and_extensional() {
    for width in [2u8, 8, 32] {
        let mut t = Terms::new();
        let sort = Sort::Array { index: width, element: 8 };
        let (a, b) = (t.var("a", sort), t.var("b", sort));
        let (i, j) = (t.var("i", Sort::Bits(width)), t.var("j", Sort::Bits(width)));
        let v = t.var("v", Sort::Bits(8));
        let mut solver = Embedded::new();
        let (ai, aj) = (t.select(a, i), t.select(a, j));
        let same_index = t.eq(i, j);
        let other_value = t.ne(ai, aj);
        assert!(check(&mut solver, &t, &[same_index, other_value]).is_unsat());
        assert!(!check(&mut solver, &t, &[other_value]).is_unsat());
        let stored = t.store(a, i, v);
        let same = t.eq(stored, b);
        let bi = t.select(b, i);
        let wrong = t.ne(bi, v);
        assert!(check(&mut solver, &t, &[same, wrong]).is_unsat(), "width {width}");
        let bj = t.select(b, j);
        let (far, changed) = (t.not(same_index), t.ne(bj, aj));
        assert!(check(&mut solver, &t, &[same, far, changed]).is_unsat());
        assert!(!check(&mut solver, &t, &[same, far]).is_unsat());
        let equal = t.eq(a, b);
        let unequal = t.not(equal);
        assert!(!check(&mut solver, &t, &[unequal]).is_unsat());
        let unchanged = t.eq(ai, v);
        assert!(check(&mut solver, &t, &[same, unchanged, unequal]).is_unsat());
        let (five, six) = (t.constant(5, 8), t.constant(6, 8));
        let (fives, sixes) = (t.const_array(width, five), t.const_array(width, six));
        let both = [t.eq(a, fives), t.eq(a, sixes)];
        assert!(check(&mut solver, &t, &both).is_unsat());
        let all_fives = [both[0], equal, t.eq(bj, five)];
        assert!(!check(&mut solver, &t, &all_fives).is_unsat());
    }
}

#[test]
fn limits_are_respected() {
    let mut t = Terms::new();
    let sort = Sort::Bits(64);
    let (x, y) = (t.var("x", sort), t.var("y", sort));
    let product = t.mul(x, y);
    let target = t.constant(2_654_435_761 * 3_266_489_917, 64);
    let one = t.constant(1, 64);
    let small = t.constant(1 << 32, 64);
    let goals = [t.eq(product, target), t.ult(x, small), t.ult(y, small), t.ult(one, x), t.ult(one, y)];
    let limits = Limits { conflicts: Some(50), ..Limits::none() };
    let mut solver = Embedded::new();
    assert!(matches!(solver.check(&t, &goals, &limits), Ok(Answer::Unknown)));
    let limits = Limits::of(&Budget::new(Some(std::time::Duration::from_millis(50)), None));
    let answer = solver.check(&t, &goals, &limits);
    assert!(matches!(answer, Err(Inconclusive::OutOfTime)), "{answer:?}");
}

mod sat_against_batsat {
    use super::super::sat::{Lit, Sat, Verdict};
    use super::Random;
    use batsat::SolverInterface;

    /// Random circuits of `and` and `xor` gates, random lemmas over inputs, and many queries to one solver.
    #[test]
    fn answers_models_and_cores_agree() {
        let mut random = Random(99);
        let mut counts = [0, 0];
        for round in 0..60 {
            let n_inputs = 6 + round % 10;
            let mut ours = Sat::new(None);
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            let inputs: Vec<u32> = (0..n_inputs).map(|_| ours.new_var()).collect();
            let mut vars = inputs.clone();
            for _ in 0..150 {
                let pick = |random: &mut Random, vars: &[u32]| {
                    Lit::new(vars[random.index(vars.len())], random.index(2) == 0)
                };
                let (a, b) = (pick(&mut random, &vars), pick(&mut random, &vars));
                if a.var() == b.var() {
                    continue;
                }
                let out = Lit::new(ours.new_var(), true);
                let gate: Vec<Vec<Lit>> = if random.index(2) == 0 {
                    vec![vec![!out, a], vec![!out, b], vec![out, !a, !b]]
                } else {
                    vec![vec![!out, a, b], vec![!out, !a, !b], vec![out, !a, b], vec![out, a, !b]]
                };
                let slices: Vec<&[Lit]> = gate.iter().map(|c| &c[..]).collect();
                ours.define(out.var(), &[a, b], &slices);
                clauses.extend(gate);
                vars.push(out.var());
            }
            let mut theirs = batsat::BasicSolver::default();
            let their_vars: Vec<batsat::Var> = vars.iter().map(|_| theirs.new_var_default()).collect();
            let translate = |l: Lit| batsat::Lit::new(their_vars[l.var() as usize], l.sign());
            for clause in &clauses {
                theirs.add_clause_reuse(&mut clause.iter().map(|&l| translate(l)).collect());
            }
            for query in 0..60 {
                let n = 1 + random.index(5);
                let assumed: Vec<Lit> =
                    (0..n).map(|_| Lit::new(vars[random.index(vars.len())], random.index(2) == 0)).collect();
                let verdict = ours.solve(&assumed, &inputs, u64::MAX, &mut || false);
                let expected =
                    theirs.solve_limited(&assumed.iter().map(|&l| translate(l)).collect::<Vec<_>>());
                assert_eq!(verdict == Verdict::Sat, expected == batsat::lbool::TRUE);
                if verdict == Verdict::Sat {
                    counts[0] += 1;
                    assert!(assumed.iter().all(|&l| ours.value(l)));
                } else {
                    counts[1] += 1;
                    let core: Vec<batsat::Lit> = ours.core().iter().map(|&l| translate(l)).collect();
                    assert!(ours.core().iter().all(|l| assumed.contains(l)));
                    assert!(theirs.solve_limited(&core) == batsat::lbool::FALSE, "a core should be a core");
                }
                if query % 20 == 19 {
                    let lemma: Vec<Lit> = (0..3)
                        .map(|k| Lit::new(inputs[(query + k) % n_inputs], random.index(2) == 0))
                        .collect();
                    ours.add_lemma(&lemma, &[]);
                    theirs.add_clause_reuse(&mut lemma.iter().map(|&l| translate(l)).collect());
                }
            }
        }
        assert!(counts[0] > 500 && counts[1] > 200, "{counts:?}");
    }
}
