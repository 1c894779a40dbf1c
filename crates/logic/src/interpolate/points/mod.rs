//! Labels from models: the strategy that does not give up.
//!
//! Chockler, Ivrii and Matsliah, *Computing interpolants without proofs* (HVC 2012): between `A`, what leads to a cut, and `B`,
//! what contradicts it afterwards, an interpolant can be found from models and cores only.
//!
//! | function | needs | adds |
//! |---|---|---|
//! | `keep` | whether what the last label said is enough | nothing |
//! | `facts` | whether values and equations that hold after the block are enough | the core of them |
//! | `cover_states` | a state that `A` allows and no cube has | a disjunct: the part of this state that contradicts `B` |
//! | `exclude_errors` | a state that `B` allows and no clause forbids | a conjunct: not the part of it that contradicts `A` |
//!
//! A cut's `A` is only the last label and one block; so every triple holds by construction. Its `B` is the rest of the slice,
//! with havocked values as variables of their own. From the cut on where weakest preconditions are exact they are
//! taken: they generalise, points do not. Along a path without inputs each cut costs one or two small queries.
//!
//! Where the path determines an index (`slice` inlined its constants) the rest of the slice must keep that index: then arrays
//! are read at constants, and the facts are `p == 4711 && a[84] == 0`.
//!
//! A cube says of a word `v <= x` and `x <= v` apart, so that the core can keep a mere bound; of an array it says the
//! elements that `B` reads.
//!
//! Direction of error: `None` after [`MAX_STATES`] plus [`MAX_ERRORS`] models at one cut.

mod cube;
mod facts;

use super::slice::{Slice, Sliced};
use super::wp;
use crate::path::{Cmd, SymbolicStore};
use crate::solver::{Limits, Solver};
use crate::term::{Op, Symbol, Term, Terms};
use base::Inconclusive;
use rustc_hash::FxHashMap;

/// Maximum number of disjuncts, before conjuncts are tried instead.
const MAX_STATES: usize = 8;
/// Maximum number of conjuncts.
const MAX_ERRORS: usize = 100;
/// Queries spent on making one cube small.
const MINIMISE_TRIES: usize = 20;

/// One cut: what leads to it and what follows.
struct Cut<'a, S: ?Sized> {
    solver: &'a mut S,
    terms: &'a mut Terms,
    limits: &'a Limits,
    /// The conjuncts of the label before the block.
    last: Vec<Term>,
    /// The conditions of the block, over the state before it.
    conditions: Vec<Term>,
    /// The state after the block in terms of the state before it.
    store: SymbolicStore,
    /// What must not happen, over the state after the block and later havocs.
    wrong: Vec<Term>,
}

/// The labels.
pub(super) fn labels<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    slice: &Slice,
    limits: &Limits,
) -> Result<Option<Vec<Term>>, Inconclusive> {
    let tail = if slice.is_explicit { vec![slice.post] } else { wp::tail(terms, slice) };
    let wrongs = wrongs(terms, slice);
    let pre: Vec<Term> = slice.rows.iter().filter(|row| row.stage == 0).map(|row| row.formula).collect();
    let mut labels = vec![terms.and(&pre)];
    while labels.len() + tail.len() < slice.blocks.len() + 1 {
        let at = labels.len();
        let mut store = SymbolicStore::default();
        let conditions = store.run(terms, &commands(&slice.blocks[at - 1]));
        let (last, wrong) = (terms.conjuncts(labels[at - 1]), terms.conjuncts(wrongs[at]));
        let mut cut = Cut { solver, terms, limits, last, conditions, store, wrong };
        let Some(label) = cut.label()? else { return Ok(None) };
        labels.push(label);
    }
    labels.truncate(slice.blocks.len() + 1 - tail.len());
    labels.extend(tail);
    Ok(Some(labels))
}

/// The commands as they were: a forgotten value only makes what is known stronger.
fn commands(block: &[Sliced]) -> Vec<Cmd> {
    let command = |cmd: &Sliced| match *cmd {
        Sliced::Assume(guard) => Cmd::Assume(guard),
        Sliced::Assign(x, value) | Sliced::Forget(x, value) => Cmd::Assign(x, value),
        Sliced::Havoc(x) => Cmd::Havoc(x),
    };
    block.iter().map(command).collect()
}

/// For each cut, what the rest of the slice needs to end outside of the postcondition: weakest preconditions, negated, with
/// a variable of its own for every havocked value instead of a quantifier.
fn wrongs(terms: &mut Terms, slice: &Slice) -> Vec<Term> {
    let mut n_havocs: FxHashMap<Symbol, u32> = FxHashMap::default();
    let mut wrong = terms.not(slice.post);
    let mut wrongs = vec![wrong];
    for block in slice.blocks.iter().rev() {
        for &cmd in block.iter().rev() {
            wrong = match cmd {
                Sliced::Assume(guard) => terms.and2(guard, wrong),
                Sliced::Assign(x, value) => terms.substitute(wrong, &FxHashMap::from_iter([(x, value)])),
                Sliced::Havoc(x) | Sliced::Forget(x, _) => {
                    let n = n_havocs.entry(x).or_insert(0);
                    *n += 1;
                    let value = terms.version(x, *n);
                    terms.substitute(wrong, &FxHashMap::from_iter([(x, value)]))
                }
            };
        }
        let versions = &slice.versions[slice.blocks.len() - wrongs.len()];
        wrong = with_known_indices(terms, wrong, versions);
        wrongs.push(wrong);
    }
    wrongs.reverse();
    wrongs
}

/// Where the path determines an index, any other index is wrong as well: that is a little more to avoid, and arrays
/// are read at constants.
fn with_known_indices(terms: &mut Terms, wrong: Term, versions: &FxHashMap<Symbol, Term>) -> Term {
    let mut indices: Vec<Symbol> = Vec::new();
    for t in terms.subterms(&[wrong]) {
        match terms.op(t) {
            Op::Select | Op::Store => indices.extend(terms.free_vars(terms.kid(t, 1))),
            Op::Ite => indices.extend(terms.free_vars(terms.kid(t, 0))),
            _ => {}
        }
    }
    indices.sort_unstable();
    indices.dedup();
    let mut known = FxHashMap::default();
    for x in indices {
        if let Some(&value) = versions.get(&x).filter(|&&value| terms.as_const(value).is_some()) {
            known.insert(x, value);
        }
    }
    if known.is_empty() {
        return wrong;
    }
    let mut all = vec![terms.substitute(wrong, &known)];
    let mut known: Vec<(Symbol, Term)> = known.into_iter().collect();
    known.sort_unstable();
    for (x, value) in known {
        let variable = terms.var_of(x);
        all.push(terms.ne(variable, value));
    }
    terms.or(&all)
}

impl<S: Solver + ?Sized> Cut<'_, S> {
    fn label(&mut self) -> Result<Option<Term>, Inconclusive> {
        let kept = self.keep();
        if let Some(label) = self.suffices(kept)? {
            return Ok(Some(label));
        }
        let facts = self.facts();
        if let Some(label) = self.suffices(facts.clone())? {
            return Ok(Some(label));
        }
        match self.cover_states(&facts)? {
            Some(label) => Ok(Some(label)),
            None => self.exclude_errors(facts),
        }
    }

    /// The conjunction of those `facts` that contradict what follows, if they do.
    fn suffices(&mut self, facts: Vec<Term>) -> Result<Option<Term>, Inconclusive> {
        let assumptions: Vec<Term> = facts.iter().chain(&self.wrong).copied().collect();
        let Some(core) = self.solver.core(self.terms, &assumptions, self.limits)? else { return Ok(None) };
        let core = self.minimise(&core, &facts)?;
        Ok(Some(self.terms.and(&core)))
    }

    /// The part of a core that is among `facts`, as small as a few queries make it.
    fn minimise(&mut self, core: &[Term], facts: &[Term]) -> Result<Vec<Term>, Inconclusive> {
        let mut kept: Vec<Term> = core.iter().copied().filter(|t| facts.contains(t)).collect();
        let mut at = 0;
        for _ in 0..MINIMISE_TRIES {
            if at >= kept.len() {
                break;
            }
            let mut without = kept.clone();
            without.remove(at);
            let assumptions: Vec<Term> = without.iter().chain(&self.wrong).copied().collect();
            match self.solver.core(self.terms, &assumptions, &self.limits.cheap())? {
                Some(smaller) => kept = without.into_iter().filter(|t| smaller.contains(t)).collect(),
                None => at += 1,
            }
        }
        Ok(kept)
    }
}
