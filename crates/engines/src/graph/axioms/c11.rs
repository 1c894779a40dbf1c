//! C11, as repaired in RC11: Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11 (PLDI'17).

use super::Axioms;
use crate::graph::execution::{Execution, Kind};
use crate::graph::relation::{Relation, Set, any};
use program::Order;
use program::memory_model::Barrier;

/// The model. Programs with data races have no meaning in C11; [`has_race`] says which those are.
pub fn c11(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    // The closure of `com`: a write that is read by an event comes before what that event comes before, so that one `rf` at the end is enough.
    let eco = rel.rf.or(&rel.co.or(&rel.fr).then(&rel.rf.optional()));
    let hb = happens_before(x);
    let sc_accesses = x.ordered(&[Order::SeqCst]) & rel.m;
    let sc_fences = barriers(x, &[Barrier::Full]);
    let sc = sc_accesses | sc_fences;
    let coherent = hb.then(&eco.optional()).is_irreflexive();
    let atomic = rel.rmw.and(&rel.fr.then(&rel.co)).is_empty() && rel.rmw.then(&eco).is_irreflexive();
    if !coherent || !atomic || !rel.po.or(&rel.rf).is_acyclic() {
        return false;
    }
    let elsewhere = rel.po.minus(&rel.loc);
    let order = any(&[&rel.po, &elsewhere.then(&hb).then(&elsewhere), &hb.and(&rel.loc), &rel.co, &rel.fr]);
    let itself = Relation::identity(rel.n, sc);
    let left = itself.or(&hb.optional().from(sc_fences));
    let right = itself.or(&hb.optional().to(sc_fences));
    let base = left.then(&order).then(&right);
    let fences = hb.or(&hb.then(&eco).then(&hb)).within(sc_fences, sc_fences);
    base.or(&fences).is_acyclic()
}

/// Program order and synchronisation: a release, perhaps by a fence before the write; the write's release sequence; a read from it, and an
/// acquire, perhaps by a fence after the read.
fn happens_before(x: &Axioms<'_>) -> Relation {
    let rel = &x.rel;
    let atomic = x.ordered(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst]);
    let release = x.ordered(&[Order::Release, Order::AcqRel, Order::SeqCst]) & rel.w;
    let acquire = x.ordered(&[Order::Acquire, Order::AcqRel, Order::SeqCst]) & rel.r;
    let release_fences = barriers(x, &[Barrier::Release, Barrier::Store, Barrier::AcqRel, Barrier::Full]);
    let acquire_fences = barriers(x, &[Barrier::Acquire, Barrier::AcqRel, Barrier::Full]);
    let sequence = rel.po_loc.optional().within(rel.w, rel.w & atomic).then(&rel.rf.then(&rel.rmw).star());
    let before = Relation::identity(rel.n, release).or(&rel.po.from(release_fences));
    let after = Relation::identity(rel.n, acquire).or(&rel.po.to(acquire_fences));
    let synchronises = before.then(&sequence).then(&rel.rf.to(atomic)).then(&after);
    rel.po.or(&synchronises).plus()
}

fn barriers(x: &Axioms<'_>, wanted: &[Barrier]) -> Set {
    x.execution.select(|event| matches!(event.kind, Kind::Barrier(barrier) if wanted.contains(&barrier)))
}

/// Returns true if there are two accesses of one cell in different threads, not both atomic, one a write, that nothing orders.
pub fn has_race(execution: &Execution) -> bool {
    let x = Axioms { execution, rel: execution.relations() };
    let rel = &x.rel;
    let hb = happens_before(&x);
    let plain = x.ordered(&[Order::Plain]);
    let pairs = rel.loc.and(&rel.ext).within(rel.m & !rel.iw, rel.w & !rel.iw);
    let racy = pairs.within(plain, rel.m).or(&pairs.within(rel.m, plain));
    !racy.minus(&hb).minus(&hb.inverse()).is_empty()
}
