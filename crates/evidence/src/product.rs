//! Proofs over the product of all threads: labelled trees, cut points, inductive invariants.
//!
//! What they have in common is a [`Product`]: the global locations that the proof speaks of, the formulas of its labels, and the transactions of
//! each thread at each location.

use crate::{FormulaId, FormulaWriter, Formulas};
use base::IdxVec;
use logic::{Term, Terms};
use program::interp::{Identities, ThreadId};
use rustc_hash::FxHashMap;
use semantics::GlobalLocation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

base::id_type!(
    /// A global location of a proof.
    LocationId,
    "c"
);

/// Global locations, each once.
pub type Locations = IdxVec<LocationId, Arc<GlobalLocation>>;

/// Where threads can be, what is said about it, and how threads move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Product {
    /// What the numbers in locations stand for.
    pub identities: Identities,
    /// The formulas of labels and ranking functions.
    pub formulas: Formulas,
    /// The locations.
    pub locations: Locations,
    /// The transactions, by location and thread.
    pub transactions: Vec<ThreadTransactions>,
}

/// What a thread can do at a location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreadTransactions {
    /// The location.
    pub from: LocationId,
    /// The thread.
    pub thread: ThreadId,
    /// Its transactions, as far as the program does not end in them.
    pub transactions: Vec<Transaction>,
    /// The choices of those in which it does, and of executions that come to an action without successors.
    pub terminals: Vec<Vec<u32>>,
}

/// Some actions of one thread, taken as one step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Transaction {
    /// The actions: of each, the number of its successor that is taken, as the encoding lists them.
    pub choices: Vec<u32>,
    /// Where all threads are afterwards.
    pub to: LocationId,
}

/// A labelled tree.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeProof {
    /// Locations, formulas and transactions.
    pub product: Product,
    /// The nodes; parents come before their children.
    pub nodes: Vec<TreeNode>,
}

impl fmt::Debug for TreeProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tree of {} nodes", self.nodes.len())
    }
}

/// A node of a tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeNode {
    /// Where every thread is.
    pub location: LocationId,
    /// What holds.
    pub label: FormulaId,
    /// The parent, the thread that moved, and the number of its transaction.
    pub parent: Option<(usize, ThreadId, usize)>,
    /// The threads that were expanded.
    pub expanded: Vec<ThreadId>,
    /// The node that covers this one.
    pub covered_by: Option<usize>,
}

/// Labels of cut points.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutProof {
    /// What the numbers in locations stand for.
    pub identities: Identities,
    /// The formulas of labels.
    pub formulas: Formulas,
    /// The locations.
    pub locations: Locations,
    /// The cut points.
    pub points: Vec<CutPoint>,
}

/// What holds at a location, and where its threads stop next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CutPoint {
    /// Where every thread is.
    pub location: LocationId,
    /// The sleep set: threads that need not move from here, because another order of the same transactions is followed elsewhere.
    pub sleep_set: Vec<ThreadId>,
    /// What holds: one of these.
    pub labels: Vec<FormulaId>,
    /// For each thread that can move, also those of the sleep set, where its transactions end.
    pub stops: Vec<(ThreadId, Vec<LocationId>)>,
}

impl CutProof {
    /// Cut points among the locations of a product, whose transactions do not matter: `stops` say where they end.
    pub fn new(product: Product, points: Vec<CutPoint>) -> Self {
        let Product { identities, formulas, locations, transactions: _ } = product;
        Self { identities, formulas, locations, points }
    }
}

impl fmt::Debug for CutProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "labels of {} cut points", self.points.len())
    }
}

/// An inductive invariant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvariantProof {
    /// Locations, formulas and transactions.
    pub product: Product,
    /// The labels of each location.
    pub labels: Vec<(LocationId, Vec<FormulaId>)>,
}

impl fmt::Debug for InvariantProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an invariant of {} locations", self.labels.len())
    }
}

/// Writes down what an engine knows about the product of all threads.
pub struct ProductWriter<'t> {
    formulas: FormulaWriter<'t>,
    ids: FxHashMap<Arc<GlobalLocation>, LocationId>,
    locations: Locations,
    transactions: Vec<ThreadTransactions>,
}

impl<'t> ProductWriter<'t> {
    /// Nothing is written yet; formulas are terms of this pool.
    pub fn new(terms: &'t Terms) -> Self {
        Self {
            formulas: FormulaWriter::new(terms),
            ids: FxHashMap::default(),
            locations: Locations::new(),
            transactions: Vec::new(),
        }
    }

    /// Writes a formula, unless it was written before.
    pub fn formula(&mut self, term: Term) -> FormulaId {
        self.formulas.write(term)
    }

    /// Writes a location, unless it was written before.
    pub fn location(&mut self, location: &Arc<GlobalLocation>) -> LocationId {
        *self.ids.entry(Arc::clone(location)).or_insert_with(|| self.locations.push(Arc::clone(location)))
    }

    /// Writes the transactions of a thread at a location: of each, its choices and where it ends; and the choices of those that have no end.
    pub fn transactions<'a>(
        &mut self,
        from: &Arc<GlobalLocation>,
        thread: ThreadId,
        transactions: impl Iterator<Item = (&'a [u32], &'a Arc<GlobalLocation>)>,
        terminals: impl Iterator<Item = &'a [u32]>,
    ) {
        let from = self.location(from);
        let transactions = transactions
            .map(|(choices, to)| Transaction { choices: choices.to_vec(), to: self.location(to) })
            .collect();
        let terminals = terminals.map(<[u32]>::to_vec).collect();
        self.transactions.push(ThreadTransactions { from, thread, transactions, terminals });
    }

    /// What was written; the numbers in locations stand for `identities`.
    pub fn finish(mut self, identities: Identities) -> Product {
        self.transactions.sort_by_key(|t| (t.from, t.thread));
        let (formulas, locations) = (self.formulas.finish(), self.locations);
        Product { identities, formulas, locations, transactions: self.transactions }
    }
}
