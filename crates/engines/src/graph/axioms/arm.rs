//! AArch64, by `aarch64.cat`: an execution is allowed if what processors observe of each other is acyclic.

use super::Axioms;
use crate::graph::relation::any;
use program::Order;
use program::memory_model::MachineFence;

/// The model. `acquire` is LDAPR, `seq_cst` and `acq_rel` LDAR (or an atomic with A); every releasing store is STLR.
pub fn arm(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    let (r, w) = (rel.r, rel.w);
    let strong =
        x.ordered(&[Order::SeqCst, Order::AcqRel]) & r | x.ordered(&[Order::Acquire]) & r & x.all_rmws();
    let weak = x.ordered(&[Order::Acquire]) & r & !x.all_rmws();
    let release = x.ordered(&[Order::Release, Order::AcqRel, Order::SeqCst]) & w;
    let local_read = rel.po_loc.minus(&rel.po_loc.to(w).then(&rel.po_loc)).within(w, r);
    let local_write = rel.po_loc.to(w);
    let isb = x.fences(&[MachineFence::Control]);
    let dependent = rel.addr.or(&rel.data);
    let by_dependency = any(&[
        &dependent,
        &rel.ctrl.to(w),
        &rel.ctrl.or(&rel.addr.then(&rel.po)).to(isb).then(&rel.po).to(r),
        &rel.addr.then(&rel.pom).to(w),
        &dependent.then(&local_read),
    ]);
    let written = x.execution.select(|event| event.read_part.is_some());
    let by_atomic = rel.rmw.or(&local_read.within(written, strong | weak));
    let both = rel.rmw.within(strong, release);
    let fence = |which| rel.fenced(x.fences(&[which]));
    let by_barrier = any(&[
        &fence(MachineFence::Full),
        &rel.pom.then(&both).then(&rel.pom),
        &rel.pom.within(release, strong),
        &fence(MachineFence::ReadAny).from(r),
        &rel.pom.from(strong | weak),
        &fence(MachineFence::WriteWrite).within(w, w),
        &rel.pom.to(release),
    ]);
    rel.is_coherent()
        && rel.is_atomic()
        && any(&[&rel.rfe, &rel.fre, &rel.coe, &local_write, &by_dependency, &by_atomic, &by_barrier])
            .is_acyclic()
}
