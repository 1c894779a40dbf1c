//! Power, by herd's `ppc.cat`: Alglave, Maranget, Tautschnig: Herding Cats (TOPLAS'14), figures 17, 18 and 25.

use super::Axioms;
use crate::graph::relation::{Relation, any};
use program::memory_model::MachineFence;

/// The model.
pub fn power(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    if !rel.is_coherent() || !rel.is_atomic() {
        return false;
    }
    let sync = rel.fenced(x.fences(&[MachineFence::Full]));
    let light = rel.fenced(x.fences(&[MachineFence::Light])).minus(&rel.product(rel.w, rel.r));
    let eieio = rel.fenced(x.fences(&[MachineFence::WriteWrite])).within(rel.w, rel.w);
    let fence = any(&[&sync, &light, &eieio]);
    let hb = any(&[&preserved(x), &fence, &rel.rfe]);
    if !hb.is_acyclic() {
        return false;
    }
    let later = hb.star();
    let base = fence.or(&rel.rfe.then(&fence)).then(&later);
    let strong = rel.com().star().then(&base.star()).then(&sync).then(&later);
    let prop = base.within(rel.w, rel.w).or(&strong);
    rel.co.or(&prop).is_acyclic() && rel.fre.then(&prop).then(&later).is_irreflexive()
}

/// Preserved program order: an access is initiated (i) and committed (c); the four relations say which of these come before which.
fn preserved(x: &Axioms<'_>) -> Relation {
    let rel = &x.rel;
    let accesses = |relation: Relation| relation.within(rel.m, rel.m);
    let dependent = rel.addr.or(&rel.data);
    let isync = x.fences(&[MachineFence::Control]);
    let control_isync = rel.ctrl.to(isync).then(&rel.po).to(rel.m);
    let read_different = rel.po_loc.and(&rel.fre.then(&rel.rfe));
    let detour = rel.po_loc.and(&rel.coe.then(&rel.rfe));
    let internal = rel.rf.minus(&rel.ext);
    let ii0 = accesses(any(&[&dependent, &internal, &read_different]));
    let ci0 = accesses(control_isync.or(&detour));
    let cc0 = accesses(any(&[&dependent, &rel.po_loc, &rel.ctrl, &rel.addr.then(&rel.po)]));
    let (mut ii, mut ic, mut ci, mut cc) = (ii0.clone(), Relation::empty(rel.n), ci0.clone(), cc0.clone());
    loop {
        let next = (
            any(&[&ii0, &ci, &ic.then(&ci), &ii.then(&ii)]),
            any(&[&ii, &cc, &ic.then(&cc), &ii.then(&ic)]),
            any(&[&ci0, &ci.then(&ii), &cc.then(&ci)]),
            any(&[&cc0, &ci, &ci.then(&ic), &cc.then(&cc)]),
        );
        if next == (ii.clone(), ic.clone(), ci.clone(), cc.clone()) {
            break;
        }
        (ii, ic, ci, cc) = next;
    }
    ic.within(rel.r, rel.w).or(&ii.within(rel.r, rel.r))
}
