//! The five loops of solvers.md, and paths that need each strategy.

use super::*;
use crate::path::{Cmd, PathAnswer, check_path, valid};
use crate::{Embedded, Model, Sort, Symbol, Value};

/// A program `init; while (guard) body; assert(goal)` unrolled.
struct Loop {
    name: &'static str,
    init: Block,
    body: Block,
    exit: Block,
    goal: Term,
}

struct Builder {
    terms: Terms,
}

impl Builder {
    fn var(&mut self, name: &str) -> (Term, Symbol) {
        let t = self.terms.var(name, Sort::Bits(32));
        (t, self.terms.as_var(t).unwrap())
    }
    fn number(&mut self, n: i128) -> Term {
        self.terms.constant(n as u128, 32)
    }
    fn add(&mut self, a: Term, n: i128) -> Term {
        let n = self.number(n);
        self.terms.add(a, n)
    }
}

fn five_loops(b: &mut Builder) -> Vec<Loop> {
    let (x, xs) = b.var("x");
    let (y, ys) = b.var("y");
    let (n, ns) = b.var("n");
    let (s, ss) = b.var("s");
    let (i, is) = b.var("i");
    let (lock, locks) = b.var("lock");
    let [zero, one] = [0, 1].map(|k| b.number(k));
    let (x1, y1, i1, s2) = (b.add(x, 1), b.add(y, 1), b.add(i, 1), b.add(s, 2));
    let y_down = b.add(y, -1);
    let t = &mut b.terms;
    let positive = t.sle(zero, n);
    let below = t.slt(x, n);
    let not_below = t.not(below);
    let nonzero = t.slt(zero, y);
    let zeroed = t.not(nonzero);
    let twice = t.add(i, i);
    let unlocked = t.eq(lock, zero);
    let sum = t.add(x, y);
    vec![
        Loop {
            name: "x == y",
            init: vec![Cmd::Assign(xs, zero), Cmd::Assign(ys, zero)],
            body: vec![Cmd::Assign(xs, x1), Cmd::Assign(ys, y1)],
            exit: vec![],
            goal: t.eq(x, y),
        },
        Loop {
            name: "x <= n",
            init: vec![Cmd::Havoc(ns), Cmd::Assume(positive), Cmd::Assign(xs, zero)],
            body: vec![Cmd::Assume(below), Cmd::Assign(xs, x1)],
            exit: vec![Cmd::Assume(not_below)],
            goal: t.sle(x, n),
        },
        Loop {
            name: "s == 2*i",
            init: vec![Cmd::Assign(ss, zero), Cmd::Assign(is, zero)],
            body: vec![Cmd::Assign(ss, s2), Cmd::Assign(is, i1)],
            exit: vec![],
            goal: t.eq(s, twice),
        },
        Loop {
            name: "lock == 0",
            init: vec![Cmd::Assign(locks, zero), Cmd::Assign(xs, zero)],
            body: vec![
                Cmd::Assume(unlocked),
                Cmd::Assign(locks, one),
                Cmd::Assign(xs, x1),
                Cmd::Assign(locks, zero),
            ],
            exit: vec![],
            goal: unlocked,
        },
        Loop {
            name: "x + y == n",
            init: vec![Cmd::Havoc(ns), Cmd::Assume(positive), Cmd::Assign(xs, zero), Cmd::Assign(ys, n)],
            body: vec![Cmd::Assume(nonzero), Cmd::Assign(xs, x1), Cmd::Assign(ys, y_down)],
            exit: vec![Cmd::Assume(zeroed)],
            goal: t.eq(sum, n),
        },
    ]
}

fn is_safe_invariant(solver: &mut Embedded, t: &mut Terms, l: &Loop, label: Term) -> bool {
    let limits = Limits::none();
    let tt = t.tt();
    [(tt, &l.init, label), (label, &l.body, label), (label, &l.exit, l.goal)]
        .into_iter()
        .all(|(pre, block, post)| valid(solver, t, pre, block, post, &limits).unwrap())
}

#[test]
fn the_five_loops_generalise() {
    let mut b = Builder { terms: Terms::new() };
    let loops = five_loops(&mut b);
    let mut solver = Embedded::new();
    let mut interpolator = Interpolator::new();
    let mut failures = Vec::new();
    for l in &loops {
        for n in [1, 2, 3, 5] {
            let mut path = vec![l.init.clone()];
            path.extend(std::iter::repeat_n(l.body.clone(), n));
            path.push(l.exit.clone());
            let t = &mut b.terms;
            let tt = t.tt();
            let all =
                interpolator.all_interpolants(&mut solver, t, tt, &path, l.goal, &Limits::none()).unwrap();
            let mut good = Vec::new();
            for found in &all {
                let labels = &found.labels[1..=n + 1];
                if let Some(&label) = labels.iter().find(|&&x| is_safe_invariant(&mut solver, t, l, x)) {
                    good.push(format!("{:?}: {}", found.strategy, t.show(label)));
                }
            }
            println!(
                "{} × {n}: {good:?} of {:?}",
                l.name,
                all.iter().map(|f| f.strategy).collect::<Vec<_>>()
            );
            if good.is_empty() {
                failures.push((l.name, n));
            }
        }
    }
    assert_eq!(failures, [], "every loop should have an inductive label");
    for strategy in Strategy::ALL {
        println!("{strategy:?}: {:?}", interpolator.count(strategy));
    }
    assert!(interpolator.count(Strategy::Wp).valid > 0 && interpolator.count(Strategy::Sp).valid > 0);
}

/// Finds labels for an infeasible path and returns their texts.
fn labels_of(t: &mut Terms, pre: Term, path: &[Block], post: Term) -> Option<(Strategy, Vec<String>)> {
    let mut solver = Embedded::new();
    let answer = check_path(&mut solver, t, pre, path, post, &Limits::none()).unwrap();
    assert!(matches!(answer, PathAnswer::Infeasible(_)), "{answer:?}");
    let found =
        Interpolator::new().interpolants(&mut solver, t, pre, path, post, &Limits::none()).unwrap()?;
    Some((found.strategy, found.labels.iter().map(|&l| t.show(l)).collect()))
}

#[test]
fn array_writes_go_through_weakest_preconditions() {
    let mut b = Builder { terms: Terms::new() };
    let (i, is) = b.var("i");
    let (j, _) = b.var("j");
    let five = b.number(5);
    let t = &mut b.terms;
    let a = t.var("a", Sort::Array { index: 32, element: 32 });
    let array = t.as_var(a).unwrap();
    let stored = t.store(a, i, five);
    let read = t.select(a, j);
    let (same, wrong) = (t.eq(i, j), t.ne(read, five));
    let path =
        [vec![Cmd::Havoc(is), Cmd::Assume(same)], vec![Cmd::Assign(array, stored)], vec![Cmd::Assume(wrong)]];
    let (tt, ff) = (t.tt(), t.ff());
    let (strategy, labels) = labels_of(t, tt, &path, ff).unwrap();
    assert_eq!(strategy, Strategy::Wp);
    assert_eq!(labels, ["true", "a[j] == 5 || i == j", "a[j] == 5", "false"]);
}

#[test]
fn a_fact_used_about_an_index_is_in_the_label() {
    // if (*) i = 0; else i = 1; a[i] = 1; assert(a[0] == 1) on the first branch (algorithms.md §1.3 g).
    let mut b = Builder { terms: Terms::new() };
    let (i, is) = b.var("i");
    let [zero, one] = [0, 1].map(|n| b.number(n));
    let t = &mut b.terms;
    let a = t.var("a", Sort::Array { index: 32, element: 32 });
    let array = t.as_var(a).unwrap();
    let stored = t.store(a, i, one);
    let read = t.select(a, zero);
    let post = t.eq(read, one);
    let path = [vec![Cmd::Assign(is, zero)], vec![Cmd::Assign(array, stored)]];
    let tt = t.tt();
    let (_, labels) = labels_of(t, tt, &path, post).unwrap();
    assert!(labels[1].contains('i'), "{labels:?}");
}

#[test]
fn disjunctive_guards_work() {
    let mut b = Builder { terms: Terms::new() };
    let (x, xs) = b.var("x");
    let (y, ys) = b.var("y");
    let [zero, one, two] = [0, 1, 2].map(|n| b.number(n));
    let t = &mut b.terms;
    let either = [t.eq(x, one), t.eq(x, two)];
    let either = t.or(&either);
    let positive = t.slt(zero, x);
    let chosen = t.ite(positive, one, zero);
    let goal = t.eq(y, one);
    let path = [vec![Cmd::Havoc(xs), Cmd::Assume(either)], vec![Cmd::Assign(ys, chosen)], vec![]];
    let tt = t.tt();
    let (_, labels) = labels_of(t, tt, &path, goal).unwrap();
    assert_eq!(labels[2], "y == 1");
}

#[test]
fn feasible_paths_have_models_and_no_labels() {
    let mut b = Builder { terms: Terms::new() };
    let (x, xs) = b.var("x");
    let ten = b.number(10);
    let t = &mut b.terms;
    let big = t.slt(ten, x);
    let path = [vec![Cmd::Havoc(xs)], vec![Cmd::Assume(big)]];
    let (tt, ff) = (t.tt(), t.ff());
    let mut solver = Embedded::new();
    let answer = check_path(&mut solver, t, tt, &path, ff, &Limits::none()).unwrap();
    let PathAnswer::Feasible(model) = answer else { panic!("{answer:?}") };
    assert!(model.havocs[0].bits() as u32 as i32 > 10);
    let found = Interpolator::new().interpolants(&mut solver, t, tt, &path, ff, &Limits::none()).unwrap();
    assert!(found.is_none());
}

/// All states a block leads to, by enumeration: the semantics of commands, independent of the solver.
fn run(t: &Terms, block: &[Cmd], starts: Vec<Model>, width: u8) -> Vec<Model> {
    let mut states = starts;
    for cmd in block {
        let mut next = Vec::new();
        for state in states {
            match *cmd {
                Cmd::Assume(guard) if t.eval(guard, &state).truth() => next.push(state),
                Cmd::Assume(_) => {}
                Cmd::Assign(x, value) => {
                    let mut after = state.clone();
                    after.set(x, t.eval(value, &state));
                    next.push(after);
                }
                Cmd::Havoc(x) => next.extend((0..1 << width).map(|v| {
                    let mut after = state.clone();
                    after.set(x, Value::Bits(v));
                    after
                })),
            }
        }
        states = next;
    }
    states
}

fn all_states(vars: &[Symbol], width: u8) -> Vec<Model> {
    let mut states = vec![Model::default()];
    for &x in vars {
        let widen = |s: &Model| {
            let s = s.clone();
            (0..1u128 << width).map(move |v| {
                let mut s = s.clone();
                s.set(x, Value::Bits(v));
                s
            })
        };
        states = states.iter().flat_map(widen).collect();
    }
    states
}

#[test]
fn random_paths_agree_with_enumeration() {
    const WIDTH: u8 = 4;
    let mut seed = 12345u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % n
    };
    let (mut n_infeasible, mut n_labelled) = (0, 0);
    let mut t = Terms::new();
    let vars: Vec<Term> = ["x", "y"].iter().map(|n| t.var(n, Sort::Bits(WIDTH))).collect();
    let symbols: Vec<Symbol> = vars.iter().map(|&v| t.as_var(v).unwrap()).collect();
    let mut solver = Embedded::new();
    for _ in 0..40 {
        let mut path: Vec<Block> = Vec::new();
        for _ in 0..3 {
            let mut block = Vec::new();
            for _ in 0..2 {
                let (v, w) = (vars[below(2)], vars[below(2)]);
                let c = t.constant(below(4) as u128, WIDTH);
                let sum = t.add(w, c);
                let atoms = [t.sle(v, sum), t.eq(v, sum), t.ult(v, c), t.ne(v, c)];
                block.push(match below(7) {
                    0 => Cmd::Havoc(symbols[below(2)]),
                    1 | 2 => Cmd::Assign(symbols[below(2)], sum),
                    3 => Cmd::Assign(symbols[below(2)], c),
                    4 => Cmd::Assume(t.or2(atoms[below(4)], atoms[below(4)])),
                    _ => Cmd::Assume(atoms[below(4)]),
                });
            }
            path.push(block);
        }
        let (v, c) = (vars[below(2)], t.constant(below(4) as u128, WIDTH));
        let post = if below(2) == 0 { t.ult(v, c) } else { t.ne(v, c) };
        let pre = t.tt();
        let ends = path.iter().fold(all_states(&symbols, WIDTH), |s, b| run(&t, b, s, WIDTH));
        let is_feasible = ends.iter().any(|s| !t.eval(post, s).truth());
        let answer = check_path(&mut solver, &mut t, pre, &path, post, &Limits::none()).unwrap();
        assert_eq!(is_feasible, matches!(answer, PathAnswer::Feasible(_)));
        if is_feasible {
            continue;
        }
        n_infeasible += 1;
        let found = Interpolator::new()
            .all_interpolants(&mut solver, &mut t, pre, &path, post, &Limits::none())
            .unwrap();
        n_labelled += usize::from(!found.is_empty());
        for Interpolants { labels, strategy } in &found {
            for (n, block) in path.iter().enumerate() {
                let mut starts = all_states(&symbols, WIDTH);
                starts.retain(|s| t.eval(labels[n], s).truth());
                let holds = run(&t, block, starts, WIDTH).iter().all(|s| t.eval(labels[n + 1], s).truth());
                assert!(holds, "{strategy:?}: {} ⇏ {}", t.show(labels[n]), t.show(labels[n + 1]));
            }
        }
    }
    println!("{n_labelled} of {n_infeasible} infeasible paths have labels");
    assert!(n_infeasible > 10 && 10 * n_labelled >= 9 * n_infeasible, "{n_labelled} of {n_infeasible}");
}

/// Words of bits and arrays read at symbolic indices: neither linear nor easy to eliminate. Every infeasible path has labels.
#[test]
fn random_paths_over_arrays_always_have_labels() {
    let mut seed = 987_654_321u64;
    let mut below = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % n
    };
    let mut t = Terms::new();
    let words: Vec<Term> = ["x", "y", "z"].iter().map(|n| t.var(n, Sort::Bits(8))).collect();
    let a = t.var("a", Sort::Array { index: 8, element: 8 });
    let symbols: Vec<Symbol> = words.iter().map(|&v| t.as_var(v).unwrap()).collect();
    let array = t.as_var(a).unwrap();
    let (mut solver, mut judge) = (Embedded::new(), Embedded::new());
    let mut interpolator = Interpolator::new();
    let (limits, mut n_infeasible) = (Limits::none(), 0);
    for _ in 0..400 {
        let mut path: Vec<Block> = Vec::new();
        for _ in 0..4 {
            let mut block = Vec::new();
            for _ in 0..2 {
                let [v, w, u] = [(); 3].map(|()| words[below(3)]);
                let c = t.constant(below(4) as u128, 8);
                let (sum, bits, read) = (t.add(v, c), t.bit_and(v, w), t.select(a, v));
                let atoms = [t.eq(read, u), t.eq(bits, c), t.ne(read, c), t.ult(v, w), t.eq(v, c)];
                block.push(match below(9) {
                    0 => Cmd::Havoc(symbols[below(3)]),
                    1 => Cmd::Havoc(array),
                    2 | 3 => Cmd::Assign(array, t.store(a, w, sum)),
                    4 => Cmd::Assign(symbols[below(3)], read),
                    5 => Cmd::Assign(symbols[below(3)], bits),
                    _ => Cmd::Assume(atoms[below(5)]),
                });
            }
            path.push(block);
        }
        let (read, c) = (t.select(a, words[below(3)]), t.constant(below(4) as u128, 8));
        let (pre, post) = (t.tt(), t.ne(read, c));
        let answer = check_path(&mut solver, &mut t, pre, &path, post, &limits).unwrap();
        if matches!(answer, PathAnswer::Feasible(_)) {
            continue;
        }
        n_infeasible += 1;
        assert!(interpolator.interpolants(&mut solver, &mut t, pre, &path, post, &limits).unwrap().is_some());
        for found in interpolator.all_interpolants(&mut solver, &mut t, pre, &path, post, &limits).unwrap() {
            for (n, block) in path.iter().enumerate() {
                let (before, after) = (found.labels[n], found.labels[n + 1]);
                assert!(valid(&mut judge, &mut t, before, block, after, &limits).unwrap());
            }
        }
    }
    let points = interpolator.count(Strategy::Points);
    println!("{n_infeasible} infeasible paths: {:?}", Strategy::ALL.map(|s| interpolator.count(s)));
    assert!(n_infeasible > 50 && points.valid == points.tried, "{points:?} of {n_infeasible}");
}

/// A long path of which three commands matter costs a few small queries, not one for each block.
#[test]
fn passive_blocks_cost_no_query() {
    let mut b = Builder { terms: Terms::new() };
    let (x, xs) = b.var("x");
    let (y, _) = b.var("y");
    let others: Vec<(Term, Symbol)> = (0..20).map(|n| b.var(&format!("other{n}"))).collect();
    let mut path: Vec<Block> = Vec::new();
    let n_blocks = 300;
    for n in 0..n_blocks {
        let (other, symbol) = others[n % others.len()];
        let (next, limit) = (b.add(other, 1), b.number(1000));
        let bound = b.terms.slt(other, limit);
        path.push(vec![Cmd::Assume(bound), Cmd::Assign(symbol, next)]);
    }
    let (three, next) = (b.number(3), b.add(x, 1));
    let t = &mut b.terms;
    path[50] = vec![Cmd::Assign(xs, three)];
    path[150] = vec![Cmd::Assign(xs, next)];
    let wrong = t.slt(x, three);
    let also = t.slt(y, three);
    path[n_blocks - 1] = vec![Cmd::Assume(wrong), Cmd::Assume(also)];
    let (pre, post) = (t.tt(), t.ff());
    let mut solver = Embedded::new();
    let start = std::time::Instant::now();
    let found =
        Interpolator::new().interpolants(&mut solver, t, pre, &path, post, &Limits::none()).unwrap().unwrap();
    let statistics = solver.statistics();
    println!("{:?} in {:?}: {statistics:?}", found.strategy, start.elapsed());
    let distinct: std::collections::BTreeSet<Term> = found.labels.iter().copied().collect();
    assert!(distinct.len() <= 5, "{distinct:?}");
    assert!(statistics.calls <= 20 && statistics.searches <= 12, "{statistics:?}");
}
