//! Checks the transactions that trees and invariants use: complete, and with at most one visible action each.
//!
//! # What is claimed
//! For each global location and thread of a [`Product`] a list of transactions: sequences of actions of that thread, which the proof takes as one step. A
//! transaction is given by the successor that each of its actions takes; what its actions mean is encoded here, in a pool of terms of the checker's own.
//!
//! # What is checked
//! 1. **Completeness**: executing the thread from the location, every execution is a listed transaction, or a listed *terminal* one, in which the program ends (in an
//!    error, in something undefined, …), or that comes to an action without successors. The transactions of a location form a prefix tree, which is walked once: the cost is linear in it, and no execution is followed
//!    that the proof does not list.
//! 2. **Atomicity**: every transaction has [at most one visible action](crate::effect).
//! 3. **Properties of states**: if the property is about blocked threads (races), no action but the first of a transaction can block (access memory that
//!    another thread may access). So every state in which threads are blocked (about to race) is one between transactions.
//!
//! Then the proof's formulas are rebuilt over the variables that were met.

use crate::CheckedSolver;
use crate::demand;
use crate::effect::{GraphAction, Observer, TransactionGraph, at_most_one_visible_action};
use base::{Budget, Inconclusive};
use evidence::{FormulaId, LocationId, Locations, Product, Rebuilt, ThreadTransactions};
use logic::path::{Block, Cmd};
use logic::{Limits, Term, Terms};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation, SuccessorKind, is_total};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// What a thread can do at a location.
#[derive(Default)]
pub(crate) struct ThreadBlocks {
    /// By transaction: what happens to the data, and where it ends.
    pub(crate) taken: Vec<(Block, LocationId)>,
    /// Transactions in which the program ends.
    pub(crate) terminals: Vec<Terminal>,
}

/// A transaction in which the program ends.
pub(crate) struct Terminal {
    pub(crate) block: Block,
    pub(crate) kind: SuccessorKind,
}

/// A block that must not be executable, and what that means.
pub(crate) type Forbidden = (Block, &'static str);

/// A product whose transactions were checked, with what is needed to check labels.
pub(crate) struct CheckedProduct<'a, 'p> {
    pub(crate) observer: Observer<'p>,
    pub(crate) product: &'a Product,
    pub(crate) encoder: Encoder<'p>,
    pub(crate) terms: Terms,
    pub(crate) solver: CheckedSolver,
    pub(crate) limits: Limits,
    /// The initial location, and the commands that make the initial state.
    pub(crate) initial: (GlobalLocation, Block),
    formulas: Rebuilt,
    blocks: FxHashMap<(LocationId, ThreadId), Rc<ThreadBlocks>>,
    forbidden: FxHashMap<LocationId, Rc<[Forbidden]>>,
}

/// Checks the transactions of a proof.
pub(crate) fn check<'a, 'p>(
    program: &'p Program,
    property: Property,
    product: &'a Product,
    budget: &Budget,
) -> Result<CheckedProduct<'a, 'p>, Inconclusive> {
    locations_are_distinct(&product.locations)?;
    let analysis = semantics::Analysis::of(program);
    let mut encoder = Encoder::with_identities(&analysis, &product.identities)?.checking(property);
    if matches!(property, Property::NoDeadlock | Property::Termination) {
        encoder = encoder.following_waits();
    }
    let mut terms = Terms::new();
    let initial = encoder.initial(&mut terms)?;
    let observer = Observer::new(program, property);
    let mut walk = Walk { observer: &observer, product, encoder: &mut encoder, terms: &mut terms };
    let (mut blocks, mut graphs) = (FxHashMap::default(), Vec::new());
    for here in &product.transactions {
        budget.check()?;
        let (found, graph) = walk.walk(here, budget)?;
        graphs.push(graph);
        let twice = blocks.insert((here.from, here.thread), Rc::new(found)).is_some();
        demand(!twice, || format!("two lists of transactions of {} at {}", here.thread, here.from))?;
    }
    at_most_one_visible_action(&graphs, &terms)?;
    stops_between_transactions(&graphs, property)?;
    let formulas = product.formulas.rebuild(&mut terms).map_err(Inconclusive::CheckFailed)?;
    Ok(CheckedProduct {
        observer,
        product,
        encoder,
        terms,
        solver: CheckedSolver::new(),
        limits: Limits::of(budget),
        initial,
        formulas,
        blocks,
        forbidden: FxHashMap::default(),
    })
}

/// Checks that a proof names every location once, so that its ids can be compared.
pub(crate) fn locations_are_distinct(locations: &Locations) -> Result<(), Inconclusive> {
    let distinct: FxHashSet<&Arc<GlobalLocation>> = locations.iter().collect();
    demand(distinct.len() == locations.len(), || "a location has two names".to_owned())
}

/// The location of an id; an id that stands for none fails the check.
pub(crate) fn location(locations: &Locations, id: LocationId) -> Result<&Arc<GlobalLocation>, Inconclusive> {
    locations.get(id).ok_or_else(|| Inconclusive::CheckFailed(format!("there is no location {id}")))
}

/// 3. Threads that are blocked, or about to race, are so between transactions.
fn stops_between_transactions(graphs: &[TransactionGraph], property: Property) -> Result<(), Inconclusive> {
    let mut later = graphs.iter().flat_map(|graph| graph.actions.iter().filter(|action| action.from > 0));
    match property {
        Property::NoDeadlock | Property::Termination => demand(later.all(|a| !a.effect.may_block), || {
            "a thread can block in the middle of a transaction".to_owned()
        }),
        Property::NoDataRace => demand(later.all(|a| !a.effect.may_race), || {
            "a thread can race in the middle of a transaction".to_owned()
        }),
        Property::UnreachCall
        | Property::NoOverflow
        | Property::ValidMemsafety
        | Property::ValidDeref
        | Property::ValidFree
        | Property::ValidMemtrack
        | Property::ValidMemcleanup
        | Property::UndefinedBehaviour
        | Property::Robustness => Ok(()),
    }
}

/// The walk over the prefix tree of a location's transactions.
struct Walk<'w, 'p> {
    observer: &'w Observer<'p>,
    product: &'w Product,
    encoder: &'w mut Encoder<'p>,
    terms: &'w mut Terms,
}

/// The choices of a listed transaction, and its number; none if it is a terminal one.
type Listed<'a> = (&'a [u32], Option<usize>);

/// A position of the prefix tree.
struct Prefix {
    at: GlobalLocation,
    block: Block,
    depth: usize,
    /// Its number in the graph.
    position: usize,
    /// The transactions, in lexical order, that begin like this.
    listed: Range<usize>,
}

impl Walk<'_, '_> {
    /// 1. All executions of a thread from a location.
    fn walk(
        &mut self,
        here: &ThreadTransactions,
        budget: &Budget,
    ) -> Result<(ThreadBlocks, TransactionGraph), Inconclusive> {
        let (thread, transactions) = (here.thread, &here.transactions);
        let numbered = transactions.iter().enumerate().map(|(n, t)| (&t.choices[..], Some(n)));
        let mut listed: Vec<Listed<'_>> =
            numbered.chain(here.terminals.iter().map(|choices| (&choices[..], None))).collect();
        listed.sort_unstable();
        demand(listed.iter().all(|(choices, _)| !choices.is_empty()), || {
            "a transaction without an action".to_owned()
        })?;
        let start = location(&self.product.locations, here.from)?;
        let mut graph = TransactionGraph { thread, n_positions: 1, actions: Vec::new() };
        let (mut taken, mut terminals) = (vec![None; transactions.len()], Vec::new());
        let (at, listed_here) = ((**start).clone(), 0..listed.len());
        let mut open = vec![Prefix { at, block: Block::new(), depth: 0, position: 0, listed: listed_here }];
        while let Some(prefix) = open.pop() {
            budget.check()?;
            let first = listed[prefix.listed.clone()].first();
            if let Some((_, number)) = first.filter(|(choices, _)| choices.len() == prefix.depth) {
                demand(prefix.listed.len() == 1, || {
                    format!("a transaction of {thread} from {start} goes on")
                })?;
                let Some(n) = *number else {
                    self.dead_end(thread, &prefix.at)?;
                    continue;
                };
                let end = location(&self.product.locations, transactions[n].to)?;
                demand(**end == prefix.at, || {
                    format!("a transaction of {thread} from {start} does not end where it should")
                })?;
                taken[n] = Some((prefix.block, transactions[n].to));
                continue;
            }
            let alive = prefix.at.thread(thread).is_some_and(|t| !t.is_finished());
            demand(alive, || format!("an execution of {thread} from {start} ends in no transaction"))?;
            let complete = self.extend(thread, &prefix, &listed, &mut graph, &mut open, &mut terminals);
            demand(complete, || format!("the transactions of {thread} at {start} are not its executions"))?;
        }
        let taken: Option<Vec<_>> = taken.into_iter().collect();
        let missing = || Inconclusive::CheckFailed(format!("{thread} has no such transaction at {start}"));
        let taken = taken.ok_or_else(missing)?;
        Ok((ThreadBlocks { taken, terminals }, graph))
    }

    /// A terminal execution that did not end the program has to stand before an action without successors.
    fn dead_end(&mut self, thread: ThreadId, at: &GlobalLocation) -> Result<(), Inconclusive> {
        let is_alive = at.thread(thread).is_some_and(|t| !t.is_finished());
        let goes_on = !is_alive || !self.encoder.successors(self.terms, at, thread).is_empty();
        demand(!goes_on, || format!("an execution of {thread} does not end at {at}"))
    }

    /// Takes one more action; returns false if an execution is not listed, or something that is no execution is.
    fn extend(
        &mut self,
        thread: ThreadId,
        prefix: &Prefix,
        listed: &[Listed<'_>],
        graph: &mut TransactionGraph,
        open: &mut Vec<Prefix>,
        terminals: &mut Vec<Terminal>,
    ) -> bool {
        let successors = self.encoder.successors(self.terms, &prefix.at, thread);
        let total = is_total(self.terms, &successors);
        let (mut next, depth) = (prefix.listed.start, prefix.depth + 1);
        let mut complete = true;
        for (n, successor) in (0..).zip(successors) {
            let context = (&*self.encoder, &*self.terms);
            let effect = self.observer.effect(context, &prefix.at, thread, &successor, total);
            let block: Block = prefix.block.iter().copied().chain(successor.block).collect();
            let start = next;
            while next < prefix.listed.end && listed[next].0[prefix.depth] == n {
                next += 1;
            }
            let mut to = None;
            if successor.kind == SuccessorKind::Continue {
                let position = graph.n_positions;
                graph.n_positions += 1;
                to = Some(position);
                complete &= start < next;
                open.push(Prefix { at: successor.control, block, depth, position, listed: start..next });
            } else {
                let is_terminal = |(choices, number): &Listed<'_>| choices.len() == depth && number.is_none();
                complete &= next == start + 1 && is_terminal(&listed[start]);
                terminals.push(Terminal { block, kind: successor.kind });
            }
            graph.actions.push(GraphAction { from: prefix.position, to, effect });
        }
        complete && next == prefix.listed.end
    }
}

impl CheckedProduct<'_, '_> {
    /// The term of a formula of the proof.
    pub(crate) fn formula(&self, id: FormulaId) -> Result<Term, Inconclusive> {
        self.formulas.get(id).map_err(Inconclusive::CheckFailed)
    }

    /// A location of the proof.
    pub(crate) fn location(&self, id: LocationId) -> Result<Arc<GlobalLocation>, Inconclusive> {
        location(&self.product.locations, id).cloned()
    }

    /// The transactions of a thread at a location, if the proof lists them.
    pub(crate) fn blocks(&self, at: LocationId, thread: ThreadId) -> Option<Rc<ThreadBlocks>> {
        self.blocks.get(&(at, thread)).cloned()
    }

    /// Blocks that must not be executable at a location, for properties of states, each with what that means.
    pub(crate) fn forbidden(&mut self, at: LocationId) -> Result<Rc<[Forbidden]>, Inconclusive> {
        if let Some(known) = self.forbidden.get(&at) {
            return Ok(Rc::clone(known));
        }
        let location = self.location(at)?;
        let found: Rc<[Forbidden]> = self.forbid(&location)?.into();
        self.forbidden.insert(at, Rc::clone(&found));
        Ok(found)
    }

    fn forbid(&mut self, location: &GlobalLocation) -> Result<Vec<Forbidden>, Inconclusive> {
        match self.observer.property {
            Property::NoDeadlock | Property::Termination => {
                let stuck = self.stuck(location);
                Ok(stuck.map(|block| (block, "that some thread can move")).into_iter().collect())
            }
            Property::NoDataRace => {
                let races = self.encoder.races(&mut self.terms, location);
                let races = races
                    .map_err(|kind| Inconclusive::CheckFailed(format!("{kind:?} next at {location}")))?;
                let blocks =
                    races.into_iter().map(|race| (vec![Cmd::Assume(race.when)], "that there is no race"));
                Ok(blocks.collect())
            }
            Property::UnreachCall
            | Property::NoOverflow
            | Property::ValidMemsafety
            | Property::ValidDeref
            | Property::ValidFree
            | Property::ValidMemtrack
            | Property::ValidMemcleanup
            | Property::UndefinedBehaviour
            | Property::Robustness => Ok(Vec::new()),
        }
    }

    /// That the next actions of all threads block; `None` if that is no deadlock, or impossible. A thread that blocks in an atomic section ends an
    /// execution that does not count.
    fn stuck(&mut self, location: &GlobalLocation) -> Option<Block> {
        let threads: Vec<ThreadId> = location.movable().collect();
        if threads.is_empty() || location.atomic.is_some() {
            return None;
        }
        let mut stuck = Block::new();
        for thread in threads {
            let moves = self.encoder.moves(&mut self.terms, location, thread)?;
            stuck.push(Cmd::Assume(self.terms.not(moves)));
        }
        Some(stuck)
    }
}
