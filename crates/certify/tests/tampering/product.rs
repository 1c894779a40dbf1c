//! Labelled trees, inductive invariants and cut points.

use super::{Proved, XYM, broken_formulas, locked_increments, three};
use engines::{Engine, cpa, impact, ufo};
use evidence::{
    CutProof, FormulaId, FormulaNode, InvariantProof, LocationId, Product, Proof, Transaction, TreeProof,
};
use program::Property;
use program::interp::ThreadId;

fn tree(proof: &mut Proof) -> &mut TreeProof {
    if let Proof::Tree(tree) = proof { tree } else { panic!("{proof:?} should be a tree") }
}

fn invariants(proof: &mut Proof) -> &mut InvariantProof {
    if let Proof::Invariants(proof) = proof { proof } else { panic!("{proof:?} should be invariants") }
}

fn cuts(proof: &mut Proof) -> &mut CutProof {
    if let Proof::Cuts(proof) = proof { proof } else { panic!("{proof:?} should be cut points") }
}

/// Changes of locations, formulas and transactions, which trees and invariants have in common.
fn product_is_checked(proved: &Proved, product: fn(&mut Proof) -> &mut Product) {
    for (what, change) in broken_formulas() {
        proved.refused(what, |p| change(&mut product(p).formulas));
    }
    proved.refused("no formulas", |p| product(p).formulas = Default::default());
    proved.refused("no locations", |p| product(p).locations = Default::default());
    proved.refused("a location with two names", |p| {
        let first = product(p).locations[LocationId(0)].clone();
        product(p).locations.push(first);
    });
    proved.refused("no transactions", |p| product(p).transactions.clear());
    let original = product(&mut proved.proof.clone()).transactions.clone();
    proved.refused("two lists of transactions", |p| product(p).transactions.push(original[0].clone()));
    for (at, here) in original.iter().enumerate() {
        for n in 0..here.transactions.len() {
            fn one(product: &mut Product, at: usize, n: usize) -> &mut Transaction {
                &mut product.transactions[at].transactions[n]
            }
            proved.refused("a transaction less", |p| {
                product(p).transactions[at].transactions.remove(n);
            });
            proved.refused("a transaction twice", |p| {
                product(p).transactions[at].transactions.push(here.transactions[n].clone());
            });
            proved.refused("a transaction without actions", |p| one(product(p), at, n).choices.clear());
            proved.refused("a transaction that is too short", |p| _ = one(product(p), at, n).choices.pop());
            proved.refused("a transaction that is too long", |p| one(product(p), at, n).choices.push(0));
            proved.refused("another choice", |p| one(product(p), at, n).choices[0] += 7);
            proved.refused("another end", |p| one(product(p), at, n).to.0 ^= 1);
            proved.refused("no end", |p| one(product(p), at, n).to.0 = 1_000_000);
        }
    }
    assert!(original.iter().any(|here| !here.terminals.is_empty()), "the program should end somewhere");
    for (at, here) in original.iter().enumerate() {
        for n in 0..here.terminals.len() {
            fn one(product: &mut Product, at: usize, n: usize) -> &mut Vec<u32> {
                &mut product.transactions[at].terminals[n]
            }
            proved.refused("an end less", |p| _ = product(p).transactions[at].terminals.remove(n));
            proved.refused("an end twice", |p| {
                product(p).transactions[at].terminals.push(here.terminals[n].clone());
            });
            proved.refused("an end too early", |p| _ = one(product(p), at, n).pop());
            proved.refused("an end too late", |p| one(product(p), at, n).push(0));
            proved.refused("an end elsewhere", |p| one(product(p), at, n)[0] += 7);
            proved.refused("an end that goes on", |p| {
                let here = &mut product(p).transactions[at];
                let choices = here.terminals.remove(n);
                here.transactions.push(Transaction { choices, to: here.from });
            });
        }
        for n in 0..here.transactions.len() {
            proved.refused("a transaction that is called an end", |p| {
                let here = &mut product(p).transactions[at];
                let Transaction { choices, .. } = here.transactions.remove(n);
                here.terminals.push(choices);
            });
        }
    }
}

/// Transactions of one thread, of which the second begins where the first one ends, made one: some of them have two visible actions then.
fn visible_actions_are_counted(proved: &Proved, product: fn(&mut Proof) -> &mut Product) {
    let original = product(&mut proved.proof.clone()).transactions.clone();
    let mut reasons = Vec::new();
    for (at, here) in original.iter().enumerate().filter(|(_, here)| here.thread > ThreadId::MAIN) {
        let [first] = &here.transactions[..] else { continue };
        let then = original.iter().find(|t| t.from == first.to && t.thread == here.thread);
        let Some([second]) = then.map(|t| &t.transactions[..]) else { continue };
        let choices = [&first.choices[..], &second.choices[..]].concat();
        let mut changed = proved.proof.clone();
        product(&mut changed).transactions[at].transactions[0] = Transaction { choices, to: second.to };
        reasons.extend(proved.check(&changed).err().map(|reason| reason.to_string()));
    }
    assert!(reasons.iter().any(|reason| reason.contains("second visible action")), "{reasons:?}");
}

/// An execution that comes to an assumption that never holds is in no transaction; that has to be said, too.
#[test]
fn dead_ends_are_listed() {
    let text = three(
        XYM,
        "havoc t
         if t == 1 then dead else go
         dead: i = 1
         assume 0:1
         go: [&y]:32 = 1",
        "[&x]:32 = 1",
        "skip",
    );
    type Part = fn(&mut Proof) -> &mut Product;
    let engines: [(&dyn Engine, Part); 2] = [
        (&impact::Options::default(), |p| &mut tree(p).product),
        (&cpa::Options::default(), |p| &mut invariants(p).product),
    ];
    for (engine, product) in engines {
        let proved = Proved::by(engine, &text, Property::UnreachCall);
        let original = product(&mut proved.proof.clone()).transactions.clone();
        let workers = || original.iter().enumerate().filter(|(_, here)| here.thread > ThreadId::MAIN);
        assert!(workers().any(|(_, here)| !here.terminals.is_empty()), "a worker should have a dead end");
        for (at, here) in workers() {
            for n in 0..here.terminals.len() {
                fn all(product: &mut Product, at: usize) -> &mut Vec<Vec<u32>> {
                    &mut product.transactions[at].terminals
                }
                proved.refused("a dead end less", |p| _ = all(product(p), at).remove(n));
                proved.refused("a dead end too early", |p| _ = all(product(p), at)[n].pop());
                proved.refused("a dead end too late", |p| all(product(p), at)[n].push(0));
            }
        }
    }
}

/// How many threads have actions left at a location.
fn n_alive(product: &Product, at: LocationId) -> usize {
    product.locations[at].threads.iter().filter(|thread| !thread.is_finished()).count()
}

/// While one thread is alive its actions are invisible, and a transaction may have any number of them. In this program every action is a write of `x`, a creation, a join or
/// an end, and there are two threads: two transactions may be made one exactly where the second one begins with one thread alive.
#[test]
fn actions_are_exempt_only_while_one_thread_is_alive() {
    let text = "program lp64 object x: 4 = 0
        function main() -> 32 { reg h, r: 64 reg e: 32
            [&x]:32 = 1
            [&x]:32 = 2
            h = create(&worker, 0)
            [&x]:32 = 3
            [&x]:32 = 4
            r, e = join(h)
            [&x]:32 = 5
            [&x]:32 = 6
            return 0
        }
        function worker(arg: 64) -> 64 {
            [&x]:32 = 7
            [&x]:32 = 8
            [&x]:32 = 9
            return 0
        }";
    type Part = fn(&mut Proof) -> &mut Product;
    let engines: [(&dyn Engine, Part); 2] = [
        (&impact::Options::default(), |p| &mut tree(p).product),
        (&cpa::Options::default(), |p| &mut invariants(p).product),
    ];
    for (engine, product) in engines {
        let proved = Proved::by(engine, text, Property::UnreachCall);
        let original = product(&mut proved.proof.clone()).clone();
        let (mut n_alone, mut n_together) = (0, 0);
        for (at, here) in original.transactions.iter().enumerate() {
            let [first] = &here.transactions[..] else { continue };
            let then = original.transactions.iter().find(|t| t.from == first.to && t.thread == here.thread);
            let Some([second]) = then.map(|t| &t.transactions[..]) else { continue };
            let choices = [&first.choices[..], &second.choices[..]].concat();
            let mut changed = proved.proof.clone();
            product(&mut changed).transactions[at].transactions[0] = Transaction { choices, to: second.to };
            let checked = proved.check(&changed).map_err(|reason| reason.to_string());
            let counted = checked.as_ref().is_err_and(|why| why.contains("second visible action"));
            let together = n_alive(&original, first.to) > 1;
            assert_eq!(counted, together, "{} at {}: {checked:?}", here.thread, here.from);
            *(if together { &mut n_together } else { &mut n_alone }) += 1;
        }
        assert!(n_alone > 2 && n_together > 4, "{}: {n_alone}, {n_together}", engine.name());
    }
}

/// Nodes whose covers matter: with labels that are not false, and without covered ancestors.
fn nodes_that_matter(tree: &TreeProof) -> Vec<bool> {
    let mut matters: Vec<bool> = Vec::new();
    for node in &tree.nodes {
        let above = node.parent.is_none_or(|(p, ..)| matters[p] && tree.nodes[p].covered_by.is_none());
        let label = &tree.product.formulas.nodes()[node.label.0 as usize];
        matters.push(above && *label != FormulaNode::Bool(false));
    }
    matters
}

#[test]
fn trees() {
    let proved = Proved::by(&impact::Options::default(), &locked_increments(), Property::UnreachCall);
    let product: fn(&mut Proof) -> &mut Product = |p| &mut tree(p).product;
    product_is_checked(&proved, product);
    visible_actions_are_counted(&proved, product);
    proved.refused("no nodes", |p| tree(p).nodes.clear());
    proved.refused("no label at all", |p| {
        let anything = tree(p).product.formulas.truth(true);
        tree(p).nodes.iter_mut().for_each(|n| n.label = anything);
    });
    proved.refused("a formula that does not exist", |p| tree(p).nodes[0].label = FormulaId(1_000_000));
    let nodes = tree(&mut proved.proof.clone()).nodes.clone();
    let matters = nodes_that_matter(tree(&mut proved.proof.clone()));
    for (n, node) in nodes.iter().enumerate() {
        proved.refused("another location", |p| tree(p).nodes[n].location.0 ^= 1);
        proved.refused("no location", |p| tree(p).nodes[n].location.0 = 1_000_000);
        if let Some((parent, thread, transaction)) = node.parent {
            proved.refused("a later parent", |p| tree(p).nodes[n].parent = Some((n, thread, transaction)));
            proved.refused("another thread", |p| {
                tree(p).nodes[n].parent = Some((parent, ThreadId(thread.0 + 1), transaction));
            });
            proved.refused("another transaction", |p| {
                tree(p).nodes[n].parent = Some((parent, thread, transaction + 1));
            });
        }
        if node.covered_by.is_some() && matters[n] {
            proved.refused("a cover by itself", |p| tree(p).nodes[n].covered_by = Some(n));
            proved.refused("a cover by the root", |p| tree(p).nodes[n].covered_by = Some(0));
            proved.refused("a cover by nothing", |p| tree(p).nodes[n].covered_by = Some(1_000_000));
        }
    }
    assert!(nodes.iter().any(|n| n.covered_by.is_some()), "something should be covered");
    proved.refused("a root that nothing satisfies", |p| {
        tree(p).nodes[0].label = tree(p).product.formulas.truth(false);
    });
    proved.refused("nothing expanded at the root", |p| tree(p).nodes[0].expanded.clear());
    proved.refused("nothing expanded", |p| tree(p).nodes.iter_mut().for_each(|n| n.expanded.clear()));
    proved.refused("covers taken away", |p| tree(p).nodes.iter_mut().for_each(|n| n.covered_by = None));
}

/// Every configuration of explicit values: with and without transactions.
#[test]
fn invariants_of_all_locations() {
    for local in [false, true] {
        let options = cpa::Options { local, ..cpa::Options::default() };
        let proved = Proved::by(&options, &locked_increments(), Property::UnreachCall);
        let product: fn(&mut Proof) -> &mut Product = |p| &mut invariants(p).product;
        if local {
            product_is_checked(&proved, product);
        }
        visible_actions_are_counted(&proved, product);
        proved.refused("no labels", |p| invariants(p).labels.clear());
        proved.refused("no knowledge", |p| {
            let anything = invariants(p).product.formulas.truth(true);
            invariants(p).labels.iter_mut().for_each(|(_, labels)| *labels = vec![anything]);
        });
        for n in 0..invariants(&mut proved.proof.clone()).labels.len() {
            proved.refused("a location less", |p| _ = invariants(p).labels.remove(n));
            proved.refused("no label", |p| invariants(p).labels[n].1.clear());
            proved.refused("a label that nothing satisfies", |p| {
                invariants(p).labels[n].1 = vec![invariants(p).product.formulas.truth(false)];
            });
            proved.refused("labels twice", |p| {
                let again = invariants(p).labels[n].clone();
                invariants(p).labels.push(again);
            });
        }
    }
}

/// Deadlocks and races are properties of states: proofs of safety say nothing about them.
#[test]
fn states_between_transactions() {
    let increments = three(
        XYM,
        "guard [&m]:32 == 0; [&m]:32 = 1
         [&m]:32 = 0",
        "guard [&m]:32 == 0; [&m]:32 = 1
         [&m]:32 = 0",
        "r, e = join(h) r, e = join(g)",
    );
    for engine in [&impact::Options::default() as &dyn Engine, &cpa::Options::default()] {
        let proved = Proved::by(engine, &increments, Property::NoDeadlock);
        let vague = proved.refused("labels that allow a deadlock", |p| match p {
            Proof::Tree(tree) => {
                let anything = tree.product.formulas.truth(true);
                tree.nodes.iter_mut().for_each(|n| n.label = anything);
            }
            other => {
                let anything = invariants(other).product.formulas.truth(true);
                invariants(other).labels.iter_mut().for_each(|(_, labels)| *labels = vec![anything]);
            }
        });
        assert!(!vague.is_empty());
    }
    let spinning = three(
        XYM,
        "loop: skip
        guard [&m]:32 == 0; [&m]:32 = 1
        [&m]:32 = 0 -> loop",
        "skip",
        "skip",
    );
    for engine in [&impact::Options::default() as &dyn Engine, &cpa::Options::default()] {
        let safe = Proved::by(engine, &spinning, Property::UnreachCall);
        let other = Proved { property: Property::NoDeadlock, ..safe };
        assert!(other.check(&other.proof).is_err(), "transactions may block in the middle");
    }
}

/// Three writes each, to `x` and to `y`: independent, so that sleep sets are used.
fn independent_writes() -> String {
    let writes = |x: &str| format!("[&{x}]:32 = 1 [&{x}]:32 = 2 [&{x}]:32 = 3");
    let check = "r, e = join(h)
        r, e = join(g)
        if [&x]:32 == 3 && [&y]:32 == 3 then ok else bad
        bad: error unreach-call \"reached\"
        ok: skip";
    three(XYM, &writes("x"), &writes("y"), check)
}

#[test]
fn cut_points() {
    for text in [locked_increments(), independent_writes()] {
        let proved = Proved::by(&ufo::Options::default(), &text, Property::UnreachCall);
        for (what, change) in broken_formulas() {
            proved.refused(what, |p| change(&mut cuts(p).formulas));
        }
        proved.refused("no points", |p| cuts(p).points.clear());
        proved.refused("no locations", |p| cuts(p).locations = Default::default());
        proved.refused("no knowledge", |p| {
            let anything = cuts(p).formulas.truth(true);
            cuts(p).points.iter_mut().for_each(|point| point.labels = vec![anything]);
        });
        proved.refused("no stops", |p| cuts(p).points.iter_mut().for_each(|point| point.stops.clear()));
        proved.refused("a start that nothing satisfies", |p| cuts(p).points[0].labels.clear());
        let points = cuts(&mut proved.proof.clone()).points.clone();
        let mut n_needed = 0;
        for (n, point) in points.iter().enumerate() {
            proved.refused("a formula that does not exist", |p| cuts(p).points[n].labels[0].0 = 1_000_000);
            proved.refused("no location", |p| cuts(p).points[n].location.0 = 1_000_000);
            proved.refused("a point twice", |p| cuts(p).points.push(point.clone()));
            proved.refused("a thread in the sleep set that cannot move", |p| {
                cuts(p).points[n].sleep_set.push(ThreadId(77));
            });
            // Labels may be weaker than what can be reached.
            n_needed += usize::from(proved.is_refused(|p| _ = cuts(p).points.remove(n)));
            n_needed += usize::from(proved.is_refused(|p| {
                cuts(p).points[n].labels = vec![cuts(p).formulas.truth(false)];
            }));
        }
        assert!(n_needed > points.len(), "most points should be needed: {n_needed} of {}", points.len());
    }
}

/// Not all threads may be in the sleep set while none has ended: the one that moved last is not. And no thread may always be in it.
#[test]
fn sleep_sets() {
    for text in [locked_increments(), independent_writes()] {
        let proved = Proved::by(&ufo::Options::default(), &text, Property::UnreachCall);
        let CutProof { locations, points, .. } = cuts(&mut proved.proof.clone()).clone();
        let mut n_tried = 0;
        for (n, point) in points.iter().enumerate() {
            let twins = points.iter().filter(|p| p.location == point.location).count();
            let location = &locations[point.location];
            if twins > 1 || location.threads.iter().any(|t| t.is_finished()) {
                continue;
            }
            proved.refused("all threads", |p| cuts(p).points[n].sleep_set = location.movable().collect());
            n_tried += 1;
        }
        assert!(n_tried > 5, "only {n_tried} points were tried");
        for thread in (0..3).map(ThreadId) {
            proved.refused("always", |p| {
                for point in &mut cuts(p).points {
                    let moves = locations[point.location].movable().any(|t| t == thread);
                    if moves && !point.sleep_set.contains(&thread) {
                        point.sleep_set.push(thread);
                    }
                }
            });
        }
    }
    let proved = Proved::by(&ufo::Options::default(), &independent_writes(), Property::UnreachCall);
    let points = cuts(&mut proved.proof.clone()).points.clone();
    assert!(points.iter().any(|point| !point.sleep_set.is_empty()), "some sleep set should be used");
}

/// Stops further away make transactions with two visible actions.
#[test]
fn transactions_between_cut_points() {
    let proved = Proved::by(&ufo::Options::default(), &locked_increments(), Property::UnreachCall);
    let points = cuts(&mut proved.proof.clone()).points.clone();
    let mut n_refused = 0;
    for (n, point) in points.iter().enumerate() {
        for (thread, stops) in point.stops.iter().filter(|(t, stops)| t.0 > 0 && stops.len() == 1) {
            let next = points.iter().find(|p| p.location == stops[0]);
            let further = next.and_then(|next| next.stops.iter().find(|(t, _)| t == thread));
            let Some((_, further)) = further.filter(|(_, s)| !s.is_empty()) else { continue };
            n_refused += usize::from(proved.is_refused(|p| {
                let stops = &mut cuts(p).points[n].stops;
                stops.iter_mut().filter(|(t, _)| t == thread).for_each(|(_, s)| s.clone_from(further));
            }));
        }
    }
    assert!(n_refused > 0, "some transaction over a visible action should be refused");
}
