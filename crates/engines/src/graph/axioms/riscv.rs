//! RISC-V's weak memory order, by `riscv.cat`: the thirteen rules of preserved program order.

use super::Axioms;
use crate::graph::relation::any;
use program::Order;
use program::memory_model::MachineFence;

/// The model; loads and stores have fences around them instead of orders, atomics carry `aq` and `rl`.
pub fn riscv(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    let (r, w, m) = (rel.r, rel.w, rel.m);
    let acquire = x.ordered(&[Order::Acquire, Order::AcqRel, Order::SeqCst]) & m;
    let release = x.ordered(&[Order::Release, Order::AcqRel, Order::SeqCst]) & m;
    let synchronising = (acquire | release) & x.all_rmws();
    let no_write_between = rel.po_loc.minus(&rel.po_loc.optional().to(w).then(&rel.po_loc)).within(r, r);
    let same_write = rel.rf.inverse().then(&rel.rf);
    let settled = x.execution.reads_from.iter().enumerate().filter(|(_, from)| from.is_some());
    let settled = settled.fold(0, |set, (read, _)| set | 1 << read);
    let written = x.execution.select(|event| event.read_part.is_some());
    let internal = rel.rf.minus(&rel.ext);
    let fence = |which| rel.fenced(x.fences(&[which]));
    let light = fence(MachineFence::Light);
    let ppo = any(&[
        &rel.po_loc.to(w),
        &no_write_between.minus(&same_write).within(settled, settled),
        &internal.from(written),
        &fence(MachineFence::Full),
        &light.within(w, w),
        &light.from(r),
        &fence(MachineFence::ReadAny).from(r),
        &fence(MachineFence::AnyWrite).to(w),
        &fence(MachineFence::WriteWrite).within(w, w),
        &rel.pom.from(acquire),
        &rel.pom.to(release),
        &rel.pom.within(synchronising, synchronising),
        &rel.rmw,
        &rel.addr,
        &rel.data,
        &rel.ctrl.to(w),
        &rel.addr.or(&rel.data).to(w).then(&internal.to(r)),
        &rel.addr.to(m).then(&rel.pom).to(w),
    ]);
    rel.is_coherent() && rel.is_atomic() && any(&[&rel.co, &rel.rfe, &rel.fr, &ppo.within(m, m)]).is_acyclic()
}
