//! Data races as formulas: when two threads are about to make accesses that conflict.
//!
//! The definition is the interpreter's ([`program::interp`], module `races`): two threads are about to access the same byte, at least one to write
//! it, and not both atomically; a blocked thread accesses nothing; sections are atomic for each other only, so that threads that
//! a section holds up count.
//!
//! An address is computed where its operation stands in the transaction and expressed in the variables before it.
//!
//! # Direction of error
//! Too many races: an access in the side of a choice that is not taken counts, one of unknown length meets everything in the
//! objects that it may be in, and conditions on inputs are taken for true. Where not even an address can be told,
//! there is no answer.

use crate::analysis::Targets;
use crate::analysis::footprint::{Footprint, Kind as What, footprints};
use crate::encoding::control::GlobalLocation;
use crate::encoding::encode::{Encoder, Encoding, Successor, SuccessorKind};
use logic::path::SymbolicStore;
use logic::{Term, Terms};
use program::interp::ThreadId;
use program::{Action, Op, Order};

/// A condition under which two threads race.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The two threads.
    pub threads: [ThreadId; 2],
    /// When.
    pub when: Term,
}

/// An access that is next in a thread.
struct Next {
    when: Term,
    address: Term,
    /// `None` if unknown.
    bytes: Option<u64>,
    targets: Targets,
    write: bool,
    atomic: bool,
}

impl<'p> Encoder<'p> {
    /// All races that are possible at a control; what has no model if there may be others.
    pub fn races(&mut self, terms: &mut Terms, control: &GlobalLocation) -> Result<Vec<Race>, SuccessorKind> {
        let live = control.threads.iter().filter(|t| !t.is_finished()).map(|t| t.id);
        let mut earlier: Vec<(ThreadId, Vec<Next>)> = Vec::new();
        let mut found = Vec::new();
        for thread in live {
            let here = self.next_accesses(terms, control, thread)?;
            for (other, there) in &earlier {
                let mut ways = Vec::new();
                for (left, right) in there.iter().flat_map(|l| here.iter().map(move |r| (l, r))) {
                    ways.extend(self.conflict(terms, left, right));
                }
                let when = terms.or(&ways);
                if terms.as_bool(when) != Some(false) {
                    found.push(Race { threads: [*other, thread], when });
                }
            }
            earlier.push((thread, here));
        }
        Ok(found)
    }

    fn conflict(&self, terms: &mut Terms, left: &Next, right: &Next) -> Option<Term> {
        let sites = |next: &Next| -> Vec<_> { next.targets.places.iter().map(|(site, _)| *site).collect() };
        let (here, there) = (sites(left), sites(right));
        if !(left.write || right.write)
            || left.atomic && right.atomic
            || here.iter().all(|site| !there.contains(site))
        {
            return None;
        }
        let meet = match (left.bytes, right.bytes) {
            (Some(left_bytes), Some(right_bytes)) => {
                let width = self.program.data_model.pointer().0;
                let ahead = terms.sub(left.address, right.address);
                let behind = terms.sub(right.address, left.address);
                let right_bytes = terms.constant(u128::from(right_bytes), width);
                let left_bytes = terms.constant(u128::from(left_bytes), width);
                let parts = [terms.ult(ahead, right_bytes), terms.ult(behind, left_bytes)];
                terms.or(&parts)
            }
            _ => terms.tt(),
        };
        Some(terms.and(&[left.when, right.when, meet]))
    }

    /// What a thread accesses next.
    fn next_accesses(
        &mut self,
        terms: &mut Terms,
        control: &GlobalLocation,
        thread: ThreadId,
    ) -> Result<Vec<Next>, SuccessorKind> {
        let at = control.thread(thread).expect("a thread that moves should be in the control").top();
        let function = &self.program.functions[at.func];
        let action = &function.locations[at.loc].action;
        let declares = |f: &Footprint<'_>| matches!(action, Action::Ops { ops, .. } if matches!(ops[f.op], Op::Forget { .. }));
        let footprints: Vec<_> = footprints(function, action).into_iter().filter(|f| !declares(f)).collect();
        if footprints.is_empty() {
            return Ok(Vec::new());
        }
        let begins =
            matches!(action, Action::Ops { ops, .. } if ops.iter().any(|op| matches!(op, Op::AtomicBegin)));
        let in_section = begins || control.atomic.is_some_and(|(owner, _)| owner == thread);
        let moves = self.may_move(terms, control, thread, action);
        let mut found = Vec::new();
        for footprint in footprints {
            let targets = self.analysis.points_to.targets(at.func, &footprint.addr);
            if targets.unknown {
                return Err(SuccessorKind::Unsupported(
                    "access through a pointer that may be anything".to_owned(),
                ));
            }
            for (when, address) in self.addresses(terms, control, thread, action, &footprint)? {
                let when = moves.map_or(when, |moves| terms.and2(when, moves));
                found.push(Next {
                    when,
                    address,
                    bytes: footprint.extent.bytes(),
                    targets: targets.clone(),
                    write: footprint.kind == What::Write,
                    atomic: in_section || footprint.order != Order::Plain,
                });
            }
        }
        Ok(found)
    }

    /// When the next action is not blocked, or more often; `None` if it cannot be.
    fn may_move(
        &mut self,
        terms: &mut Terms,
        control: &GlobalLocation,
        thread: ThreadId,
        action: &Action,
    ) -> Option<Term> {
        if !matches!(action, Action::Ops { ops, .. } if ops.iter().any(Op::can_block)) {
            return None;
        }
        let mut ways = Vec::new();
        for outcome in self.successors(terms, control, thread) {
            let conditions = SymbolicStore::default().run(terms, &outcome.block);
            let known: Vec<Term> = conditions.into_iter().filter(|c| !on_input(terms, *c)).collect();
            ways.push(terms.and(&known));
        }
        Some(terms.or(&ways))
    }

    /// The addresses that an access can have, each with its condition, in the variables before the action.
    fn addresses(
        &mut self,
        terms: &mut Terms,
        control: &GlobalLocation,
        thread: ThreadId,
        action: &'p Action,
        footprint: &Footprint<'_>,
    ) -> Result<Vec<(Term, Term)>, SuccessorKind> {
        let func = control.thread(thread).expect("a thread that moves should be in the control").top().func;
        let start = Successor { block: Vec::new(), control: control.clone(), kind: SuccessorKind::Continue };
        let mut encoding = Encoding { encoder: self, terms, thread, func, strays: Vec::new() };
        let before: &[Op] = if let Action::Ops { ops, .. } = action { &ops[..footprint.op] } else { &[] };
        let mut found = Vec::new();
        for mut partial in encoding.prefix(start, before) {
            if partial.kind != SuccessorKind::Continue {
                continue;
            }
            let address = encoding.value(&mut partial, &footprint.addr)?;
            let mut store = SymbolicStore::default();
            let conditions = store.run(encoding.terms, &partial.block);
            let address = store.apply(encoding.terms, address);
            let terms = &mut *encoding.terms;
            if on_input(terms, address) {
                return Err(SuccessorKind::Unsupported("access at an address that is an input".to_owned()));
            }
            let known: Vec<Term> = conditions.into_iter().filter(|c| !on_input(terms, *c)).collect();
            found.push((terms.and(&known), address));
        }
        Ok(found)
    }
}

/// Returns true if a term depends on an input of the action itself.
fn on_input(terms: &Terms, term: Term) -> bool {
    terms.free_vars(term).into_iter().any(|symbol| terms.is_version(symbol))
}
