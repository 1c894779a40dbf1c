//! Sequential consistency, and store buffers: TSO (x86) and PSO.

use super::Axioms;
use crate::graph::relation::any;
use program::Order;
use program::memory_model::MachineFence;

const RELEASING: [Order; 3] = [Order::Release, Order::AcqRel, Order::SeqCst];

/// One order for all.
pub fn sc(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    rel.is_coherent() && rel.is_atomic() && any(&[&rel.pom, &rel.com()]).is_acyclic()
}

/// x86tso.cat: a store and a later load are not ordered, unless a fence, a read-modify-write or a seq_cst store is between or among them.
pub fn tso(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    let locked = x.all_rmws();
    let store_load = rel.pom.and(&rel.product(rel.w, rel.r));
    let implied = any(&[
        &store_load.from(locked),
        &store_load.to(locked),
        &store_load.from(x.ordered(&[Order::SeqCst]) & rel.w),
    ]);
    let fenced = rel.fenced(x.fences(&[MachineFence::Full]));
    let kept = rel.pom.minus(&store_load);
    rel.is_coherent()
        && rel.is_atomic()
        && any(&[&kept, &fenced, &implied, &rel.rfe, &rel.fr, &rel.co]).is_acyclic()
}

/// SPARC's partial store order, with marks: a store is ordered before later stores only by a release, a store barrier, or if it is a seq_cst store or part of a
/// read-modify-write, which act on memory at once.
pub fn pso(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    let (w, r) = (rel.w, rel.r);
    let store_load = rel.pom.and(&rel.product(w, r));
    let store_store = rel.pom.and(&rel.product(w, w));
    let (parts, all_rmws) = (x.rmw_parts(), x.all_rmws());
    let releasing = x.ordered(&RELEASING);
    let barriers = x.fences(&[MachineFence::Light, MachineFence::AnyWrite, MachineFence::WriteWrite]);
    let marked = rel.fenced(barriers).and(&rel.product(w, w | all_rmws));
    let kept = any(&[
        &rel.pom.from(r),
        &rel.fenced(x.fences(&[MachineFence::Full])),
        &marked,
        &store_store.to(releasing & w),
        &store_load.from(x.ordered(&[Order::SeqCst]) & w),
        &store_store.from(x.ordered(&[Order::SeqCst]) & w),
        &store_load.and(&rel.loc).to(all_rmws & r),
        &store_load.to(all_rmws & releasing),
        &store_load.from(parts),
        &store_store.from(parts & w),
    ]);
    rel.is_coherent() && rel.is_atomic() && any(&[&kept, &rel.rfe, &rel.fr, &rel.co]).is_acyclic()
}
