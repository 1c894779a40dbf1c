//! Checks the transactions that trees and invariants use: complete, and with at most one visible action each.
//!
//! # What is claimed
//! For each global location and thread of a [`Product`] a list of transactions: sequences of actions of that thread, which the proof takes as one step. A
//! transaction is given by the successor that each of its actions takes; what its actions mean is encoded here, in a pool of terms of the checker's own.
//!
//! # What is checked
//! 1. **Completeness**: executing the thread from the location, every execution ends in a listed transaction, or ends the program (in an error, in something
//!    undefined, …), which is kept as a *terminal* transaction. The transactions of a location form a prefix tree, which is walked once: the cost is linear in it, and
//!    its depth is limited by what the proof lists.
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
        | Property::UndefinedBehaviour => Ok(()),
    }
}

/// The walk over the prefix tree of a location's transactions.
struct Walk<'w, 'p> {
    observer: &'w Observer<'p>,
    product: &'w Product,
    encoder: &'w mut Encoder<'p>,
    terms: &'w mut Terms,
}

/// Maximum number of actions of an execution that is in no listed transaction. Engines' transactions are far shorter.
const MAX_UNLISTED: usize = 4_096;

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
        let (thread, listed) = (here.thread, &here.transactions);
        demand(listed.iter().all(|t| !t.choices.is_empty()), || {
            "a transaction without an action".to_owned()
        })?;
        let mut order: Vec<usize> = (0..listed.len()).collect();
        order.sort_by(|a, b| listed[*a].choices.cmp(&listed[*b].choices));
        let start = location(&self.product.locations, here.from)?;
        let mut graph = TransactionGraph { thread, n_positions: 1, actions: Vec::new() };
        let (mut taken, mut terminals) = (vec![None; listed.len()], Vec::new());
        let mut open = vec![Prefix {
            at: (**start).clone(),
            block: Block::new(),
            depth: 0,
            position: 0,
            listed: 0..order.len(),
        }];
        while let Some(prefix) = open.pop() {
            budget.check()?;
            let first = order[prefix.listed.clone()].first().copied();
            if let Some(n) = first.filter(|n| listed[*n].choices.len() == prefix.depth) {
                let end = location(&self.product.locations, listed[n].to)?;
                demand(prefix.listed.len() == 1 && **end == prefix.at, || {
                    format!("a transaction of {thread} from {start} does not end where it should")
                })?;
                taken[n] = Some((prefix.block, listed[n].to));
                continue;
            }
            let alive = prefix.at.thread(thread).is_some_and(|t| !t.is_finished());
            // What the proof does not list has to come to an end of its own: an error, or the end of the program.
            demand(alive && (first.is_some() || prefix.depth < MAX_UNLISTED), || {
                format!("an execution of {thread} from {start} ends in no transaction")
            })?;
            let choice = |n: usize| listed[order[n]].choices[prefix.depth];
            self.extend(thread, &prefix, &choice, &mut graph, &mut open, &mut terminals);
        }
        let taken: Option<Vec<_>> = taken.into_iter().collect();
        let taken = taken.ok_or_else(|| {
            Inconclusive::CheckFailed(format!("{thread} has no such transaction at {start}"))
        })?;
        Ok((ThreadBlocks { taken, terminals }, graph))
    }

    /// Takes one more action.
    fn extend(
        &mut self,
        thread: ThreadId,
        prefix: &Prefix,
        choice: &dyn Fn(usize) -> u32,
        graph: &mut TransactionGraph,
        open: &mut Vec<Prefix>,
        terminals: &mut Vec<Terminal>,
    ) {
        let successors = self.encoder.successors(self.terms, &prefix.at, thread);
        let total = is_total(self.terms, &successors);
        let mut next = prefix.listed.start;
        for (n, successor) in (0..).zip(successors) {
            let context = (&*self.encoder, &*self.terms);
            let effect = self.observer.effect(context, &prefix.at, thread, &successor, total);
            let block: Block = prefix.block.iter().copied().chain(successor.block).collect();
            let start = next;
            while next < prefix.listed.end && choice(next) == n {
                next += 1;
            }
            let mut to = None;
            if successor.kind == SuccessorKind::Continue {
                let position = graph.n_positions;
                graph.n_positions += 1;
                to = Some(position);
                let (at, depth) = (successor.control, prefix.depth + 1);
                open.push(Prefix { at, block, depth, position, listed: start..next });
            } else {
                terminals.push(Terminal { block, kind: successor.kind });
            }
            graph.actions.push(GraphAction { from: prefix.position, to, effect });
        }
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
            | Property::UndefinedBehaviour => Ok(Vec::new()),
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
