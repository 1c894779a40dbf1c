//! Relaxed memory order, as goto-instrument takes it (Alglave et al., ESOP'13): only dependencies are kept, and two loads of one cell may be
//! reordered.

use super::Axioms;
use crate::graph::relation::any;
use program::memory_model::MachineFence;

/// The model.
pub fn rmo(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    let load_load = rel.po_loc.and(&rel.product(rel.r, rel.r));
    let dependent = any(&[&rel.addr, &rel.data, &rel.ctrl.to(rel.w)]);
    let fence = |which| rel.fenced(x.fences(&[which]));
    let fenced = any(&[
        &fence(MachineFence::Full),
        &fence(MachineFence::Light).minus(&rel.product(rel.w, rel.r)),
        &fence(MachineFence::ReadAny).from(rel.r),
        &fence(MachineFence::AnyWrite).to(rel.w),
        &fence(MachineFence::WriteWrite).within(rel.w, rel.w),
    ]);
    rel.is_atomic()
        && rel.po_loc.minus(&load_load).or(&rel.com()).is_acyclic()
        && dependent.or(&rel.rf).is_acyclic()
        && any(&[&dependent, &rel.rfe, &fenced, &rel.co, &rel.fr]).is_acyclic()
}
