//! Checks proofs about weak memory models.
//!
//! The checker makes the transformed programs itself (crate `weak`, part of the trusted base) and checks the proofs about them with the checkers for
//! sequential consistency. A proof that speaks of states, trees or invariants says nothing about a program on a weak machine; only an inductive set of states may, where the
//! interpreter has the machine's store buffers.

use crate::{check_proof, demand, failed};
use base::{Budget, Inconclusive};
use evidence::{Proof, Reason, WeakProof};
use program::{MemoryModel, Program, Property};
use semantics::Analysis;
use weak::buffered::{Buffers, Full, is_kept};
use weak::{attacked, carries_over, has_no_critical_cycle, sequential, stale, strict, triangular};

/// More slots than this make programs that take too long to check.
const MOST_SLOTS: usize = 64;

/// Checks that a kind of proof can say something about the memory model of `program`.
pub(crate) fn check_model(program: &Program, property: Property, proof: &Proof) -> Result<(), Inconclusive> {
    let model = program.memory_model;
    let fits = match proof {
        Proof::Weak(_) => model.is_weak(),
        Proof::Graphs => {
            use Property::{NoOverflow, Robustness, UnreachCall};
            let by_memory = model.has_buffers() || model.user().is_some();
            model.is_weak() && (!by_memory || matches!(property, UnreachCall | NoOverflow | Robustness))
        }
        Proof::Explored(_) => model == MemoryModel::Sc || model.has_buffers() && carries_over(property),
        Proof::Evident
        | Proof::Shape(_)
        | Proof::Tree(_)
        | Proof::Locksets(_)
        | Proof::Protected(_)
        | Proof::Cuts(_)
        | Proof::Invariants(_)
        | Proof::Modular(_)
        | Proof::Ranking(_)
        | Proof::ModularRanking(_)
        | Proof::RecursionFree(_) => model == MemoryModel::Sc,
    };
    demand(fits, || format!("this kind of proof says nothing about {property} under {model}"))
}

/// Checks a proof about a weak memory model.
pub(crate) fn check(
    program: &Program,
    property: Property,
    weak: &WeakProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let original = sequential(program);
    let carries = carries_over(property) || property == Property::Robustness;
    match &weak.reason {
        Reason::RaceFree(proof) => {
            check_proof(&strict(program), Property::NoDataRace, proof, budget)?;
        }
        Reason::NoCriticalCycle => {
            demand(carries, || format!("{property} does not carry over"))?;
            let analysis = Analysis::of(&original);
            let robust = has_no_critical_cycle(&analysis, program.memory_model);
            demand(robust, || "a critical cycle".to_owned())?;
        }
        Reason::NoTriangularRace(proof) => {
            let fits = carries && program.memory_model == MemoryModel::Tso;
            demand(fits, || format!("triangular races say nothing about {property} here"))?;
            let triangular = triangular(&Analysis::of(&original));
            check_proof(&triangular, Property::NoDataRace, proof, budget)?;
        }
        Reason::NoAttack(proof) => {
            let fits = carries && program.memory_model == MemoryModel::Tso;
            demand(fits, || format!("attacks say nothing about {property} here"))?;
            let attacked = attacked(&Analysis::of(&original)).ok_or_else(|| failed("no exact cells"))?;
            check_proof(&attacked, Property::UnreachCall, proof, budget)?;
        }
        Reason::NoStaleRead(proof) => {
            let fits =
                (carries || property == Property::NoDataRace) && program.memory_model == MemoryModel::C11;
            demand(fits, || format!("stale reads say nothing about {property} here"))?;
            let stale = stale(&Analysis::of(&original)).ok_or_else(|| failed("no exact cells"))?;
            check_proof(&stale, Property::UnreachCall, proof, budget)?;
        }
        Reason::Buffered { slots } => {
            let proof = weak.proof.as_ref().ok_or_else(|| failed("no proof with buffers"))?;
            return check_buffered(program, property, *slots, proof, budget);
        }
    }
    let by_reason_alone = property == Property::Robustness
        || property == Property::NoDataRace
            && matches!(weak.reason, Reason::RaceFree(_) | Reason::NoStaleRead(_));
    if by_reason_alone {
        return demand(weak.proof.is_none(), || "a surplus proof".to_owned());
    }
    let proof = weak.proof.as_ref().ok_or_else(|| failed("no proof under sequential consistency"))?;
    check_proof(&original, property, proof, budget)
}

/// Checks a proof about the program with its store buffers written out. A proof shows that nothing unsupported is reached, so also that no buffer overflows.
fn check_buffered(
    program: &Program,
    property: Property,
    slots: usize,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    demand(is_kept(property), || format!("buffers say nothing about {property}"))?;
    demand(slots <= MOST_SLOTS, || format!("{slots} slots"))?;
    let original = sequential(program);
    let analysis = Analysis::of(&original);
    let buffers = Buffers::of(&analysis, program.memory_model).ok_or_else(|| failed("no exact cells"))?;
    check_proof(&buffers.written_out(slots, Full::Unsupported).program, property, proof, budget)
}
