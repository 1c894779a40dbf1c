//! Ranking functions, of all threads and of each; programs without recursion; recurrence sets.

use super::{Proved, broken_formulas, copied, parsed, replays};
use base::{Budget, Idx, Stats};
use certify::replay;
use engines::ranking::{Bounds, prove, refute};
use engines::redcomp::terminate;
use evidence::{
    CommitPhase, Cycle, FormulaId, FormulaNode, ModularRanking, ModularStage, Proof, RankingProof,
    Recurrence, Stage, Trace,
};
use logic::Op;
use program::passes::without_recursion;
use program::{Program, Property};
use semantics::Analysis;
use semantics::modular::TemplateId;

fn ranking(proof: &mut Proof) -> &mut RankingProof {
    if let Proof::Ranking(proof) = proof { proof } else { panic!("{proof:?} should be ranking functions") }
}

fn ranked(text: &str) -> Proved {
    let program = parsed(text);
    let proof = prove(&Analysis::of(&program), Bounds::Widths, &Budget::unlimited(), &mut Stats::default());
    let proof = proof.unwrap_or_else(|why| panic!("there should be ranking functions: {why}"));
    Proved { program, property: Property::Termination, proof }.accepted()
}

/// Two inputs; a branch resets the second one.
const LEXICOGRAPHIC: &str = "program lp64
    function main() -> 32 {
        reg x, y: 32  reg b: 1
        havoc x; havoc y
        head: if x >s 0 && (y >s 0) then body else out
        body: havoc b
        if b then left else right
        left: x = x - 1; havoc y -> head
        right: y = y - 1 -> head
        out: return 0
    }";

/// A thread waits for a flag of another one.
const SPINNING: &str = "program lp64 object flag: 4 = 0
    function main() -> 32 {
        reg h: 64  reg f: 32
        h = create(&setter, 0)
        spin: f = [&flag]:32
        if f == 0 then spin else out
        out: return 0
    }
    function setter(arg: 64) -> 64 { [&flag]:32 = 1 return 0 }";

#[test]
fn ranking_functions() {
    for text in [LEXICOGRAPHIC, SPINNING] {
        let proved = ranked(text);
        for (what, change) in broken_formulas() {
            proved.refused(what, |p| change(&mut ranking(p).invariants.product.formulas));
        }
        let stages = ranking(&mut proved.proof.clone()).stages.clone();
        for (n, stage) in stages.iter().enumerate() {
            proved.refused("a stage less", |p| _ = ranking(p).stages.remove(n));
            let Stage::Ranking(values) = stage else { continue };
            let set = |proof: &mut Proof, value: FormulaId| {
                if let Stage::Ranking(values) = &mut ranking(proof).stages[n] {
                    values.iter_mut().for_each(|(_, v)| *v = value);
                }
            };
            proved.refused("a constant", |p| {
                let zero = FormulaNode::Constant { value: 0, width: 8 };
                let zero = ranking(p).invariants.product.formulas.push(zero);
                set(p, zero);
            });
            proved.refused("a truth value", |p| {
                let truth = ranking(p).invariants.product.formulas.truth(true);
                set(p, truth);
            });
            proved.refused("a formula that does not exist", |p| set(p, FormulaId(1_000_000)));
            proved.refused("a function that increases", |p| {
                let RankingProof { invariants, stages } = ranking(p);
                let Stage::Ranking(values) = &mut stages[n] else { return };
                for (_, value) in values {
                    *value = invariants.product.formulas.push(FormulaNode::Apply(Op::BitNot, vec![*value]));
                }
            });
            if values.len() > 1 {
                proved.refused("a transaction without a value", |p| {
                    if let Stage::Ranking(values) = &mut ranking(p).stages[n] {
                        values.pop();
                    }
                });
            }
        }
        proved.refused("no stages", |p| ranking(p).stages.clear());
        proved.refused("invariants that are too strong", |p| {
            let nothing = ranking(p).invariants.product.formulas.truth(false);
            ranking(p).invariants.labels.iter_mut().for_each(|(_, labels)| *labels = vec![nothing]);
        });
        let alone = Proof::Invariants(Box::new(ranking(&mut proved.proof.clone()).invariants.clone()));
        assert!(proved.check(&alone).is_err(), "invariants alone should prove nothing");
    }
    let stages = ranking(&mut ranked(SPINNING).proof).stages.clone();
    assert!(stages.iter().any(|stage| matches!(stage, Stage::Fairness(_))), "{stages:?}");
}

/// `f` calls itself with a smaller number.
const RECURSIVE: &str = "program lp64
    function main() -> 32 { reg n: 32 havoc n call f(n) return 0 }
    function f(n: 32) {
        if 0 <s n then again else out
        again: call f(n - 1)
        out: return
    }";

#[test]
fn programs_without_recursion() {
    let program = parsed(RECURSIVE);
    let flat = without_recursion(&program).expect("recursion should be removable");
    let found = prove(&Analysis::of(&flat), Bounds::Widths, &Budget::unlimited(), &mut Stats::default());
    let found = found.unwrap_or_else(|why| panic!("there should be ranking functions: {why}"));
    let proof = Proof::RecursionFree(Box::new(found.clone()));
    let proved = Proved { program, property: Property::Termination, proof }.accepted();
    assert!(proved.check(&found).is_err(), "the inner proof is one of another program");
    proved.refused("no stages", |p| {
        if let Proof::RecursionFree(inner) = p {
            ranking(inner).stages.clear();
        }
    });
    proved.refused("recursion removed twice", |p| {
        *p = Proof::RecursionFree(Box::new(p.clone()));
    });
    let other = Proved { property: Property::UnreachCall, ..proved };
    assert!(
        other.check(&other.proof).is_err(),
        "the program without recursion only says something about termination"
    );
    let endless = parsed(&RECURSIVE.replace("n - 1", "n - 0"));
    let other = Proved { program: endless, property: Property::Termination, ..other };
    assert!(other.check(&other.proof).is_err(), "a proof of another program");
}

/// Any number of workers that share a countdown under a lock.
const COUNTDOWN: &str = "program lp64 object x: 4 = 9 object m: 4 = 0
    function main() -> 32 { reg h: 64 reg n: 32
              havoc n
        loop: if 0 <s n then again else done
        again: h = create(&worker, 0); n = n - 1 -> loop
        done: thread_exit 0
    }
    function worker(arg: 64) -> 64 { reg t: 32
        loop: guard [&m]:32 == 0; [&m]:32 = trunc32(self())
              t = [&x]:32
              if t == 0 then done else less
        less: [&x]:32 = t - 1
              [&m]:32 = 0 -> loop
        done: [&m]:32 = 0
              return 0
    }";

fn modular(proof: &mut Proof) -> &mut ModularRanking {
    if let Proof::ModularRanking(proof) = proof {
        proof
    } else {
        panic!("{proof:?} should be thread-modular")
    }
}

#[test]
fn ranking_functions_of_each_thread() {
    let program = parsed(COUNTDOWN);
    let analysis = Analysis::of(&program);
    let proof =
        terminate::prove(&analysis, true, Bounds::Widths, &Budget::unlimited(), &mut Stats::default());
    let proof = proof.unwrap_or_else(|why| panic!("there should be a proof: {why}"));
    drop(analysis);
    let proved = Proved { program, property: Property::Termination, proof }.accepted();
    for (what, change) in broken_formulas() {
        proved.refused(what, |p| change(&mut modular(p).invariants.formulas));
    }
    let stages = modular(&mut proved.proof.clone()).stages.clone();
    for (n, stage) in stages.iter().enumerate() {
        proved.refused("a stage less", |p| _ = modular(p).stages.remove(n));
        let ModularStage::Ranking { .. } = stage else { continue };
        let change = |proof: &mut Proof, node: &dyn Fn(FormulaId) -> FormulaNode| {
            let ModularRanking { invariants, stages } = modular(proof);
            let ModularStage::Ranking { values, .. } = &mut stages[n] else { return };
            values.iter_mut().for_each(|(_, value)| *value = invariants.formulas.push(node(*value)));
        };
        proved.refused("a constant", |p| change(p, &|_| FormulaNode::Constant { value: 0, width: 8 }));
        proved.refused("a function that increases", |p| {
            change(p, &|value| FormulaNode::Apply(Op::BitNot, vec![value]));
        });
        proved.refused("a truth value", |p| change(p, &|_| FormulaNode::Bool(true)));
        proved.refused("a template that does not exist", |p| {
            if let ModularStage::Ranking { template, .. } = &mut modular(p).stages[n] {
                *template = TemplateId(7);
            }
        });
        proved.refused("no values", |p| {
            if let ModularStage::Ranking { values, .. } = &mut modular(p).stages[n] {
                values.clear();
            }
        });
    }
    proved.refused("a worker that comes to rest", |p| {
        modular(p).stages.insert(0, ModularStage::Rests(TemplateId(1)))
    });
    proved.refused("the main thread at rest too early", |p| {
        modular(p).stages.insert(0, ModularStage::Rests(TemplateId::MAIN))
    });
    proved.refused("a thread at rest that does not exist", |p| {
        modular(p).stages.push(ModularStage::Rests(TemplateId(9)))
    });
    proved.refused("forgotten locks", |p| {
        modular(p).invariants.locks.iter_mut().flatten().for_each(|locks| locks.clear());
    });
    proved.refused("blocks that do not exist", |p| {
        let phases = modular(p).invariants.commit_phases.iter_mut().flatten();
        phases.for_each(|phase| *phase = CommitPhase::PreCommit);
    });
    for truth in [true, false] {
        proved.refused("other invariants", |p| {
            let formula = modular(p).invariants.formulas.truth(truth);
            modular(p).invariants.solution.iter_mut().for_each(|meaning| *meaning = formula);
        });
    }
    let invariants = modular(&mut proved.proof.clone()).invariants.clone();
    assert!(proved.check(&Proof::Modular(Box::new(invariants))).is_err(), "invariants alone prove nothing");
    let other = Proved { property: Property::UnreachCall, ..proved };
    assert!(other.check(&other.proof).is_err(), "ranking functions prove nothing else");
}

/// Only 7 ends the loop, which even numbers never reach.
const NEVER: &str = "program lp64
    function main() -> 32 {
        reg i: 32
        i = 0
        head: if i == 7 then out else body
        body: i = i + 2 -> head
        out: return 0
    }";

fn endless(program: &Program) -> Trace {
    let accept = |trace: &Trace| replay(program, trace).is_ok();
    let found = refute(&Analysis::of(program), &accept, &Budget::unlimited(), &mut Stats::default());
    found.expect("nothing should stop the search").expect("there should be a non-terminating execution")
}

#[test]
fn recurrence_sets() {
    let program = parsed(NEVER);
    let right = endless(&program);
    replays(&program, &right);
    let Some(Cycle::Recurs(recurrence)) = &right.cycle else { panic!("{right:?} should recur") };
    let refused = |what: &str, change: &dyn Fn(&mut Recurrence)| {
        let mut wrong = recurrence.clone();
        change(&mut wrong);
        assert!(wrong != *recurrence, "{what}: something should change");
        let wrong = copied(&Trace { cycle: Some(Cycle::Recurs(wrong)), ..right.clone() });
        let refused = replay(&program, &wrong);
        assert!(matches!(refused, Err(base::Inconclusive::CheckFailed(_))), "{what} should be refused");
    };
    for (what, change) in broken_formulas() {
        refused(what, &|r| change(&mut r.formulas));
    }
    refused("everything", &|r| r.set = r.formulas.truth(true));
    refused("nothing", &|r| r.set = r.formulas.truth(false));
    refused("the complement", &|r| r.set = r.formulas.push(FormulaNode::Apply(Op::Not, vec![r.set])));
    refused("a formula that does not exist", &|r| r.set = FormulaId(1_000_000));
    refused("a later start", &|r| r.from += 1);
    refused("an earlier start", &|r| r.from -= 1);
    refused("a shorter iteration", &|r| r.outcomes.truncate(1));
    refused("no iteration", &|r| r.outcomes.clear());
    refused("another thread", &|r| r.outcomes[0].0 = program::interp::ThreadId(1));
    refused("another branch", &|r| r.outcomes.iter_mut().for_each(|(_, n)| *n = 1 - *n));
    refused("a successor that does not exist", &|r| r.outcomes[0].1 = 7);
    refused("another location", &|r| {
        let location = std::sync::Arc::make_mut(&mut r.location);
        let thread = location.thread_mut(program::interp::ThreadId::MAIN);
        let last = thread.frames.last_mut().expect("the main thread runs");
        last.loc = program::LocId::new(last.loc.index() + 1);
    });
    let repeats = Trace { cycle: Some(Cycle::Repeats { from: 1 }), ..right.clone() };
    assert!(replay(&program, &repeats).is_err(), "no state repeats");
    let blocked = Trace { cycle: None, ..right };
    assert!(replay(&program, &blocked).is_err(), "no thread is blocked");
}
