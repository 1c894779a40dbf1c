//! The global locations of a program and the transactions between them.

use base::{Inconclusive, scc::cyclic_components};
use logic::path::Cmd;
use logic::{Embedded, Limits, Sort, Symbol, Term, Terms};
use program::Property;
use program::interp::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::Analysis;
use semantics::encoding::{Encoder, Name, SuccessorKind};
use semantics::transition::{Edge, Edges, GlobalLocationId, Monitor};
use std::rc::Rc;
use std::sync::Arc;

/// All controls that the transactions from the initial one lead to, whatever the data.
pub(crate) struct Graph<'p> {
    property: Property,
    monitor: Monitor,
    pub(crate) encoder: Encoder<'p>,
    pub(crate) terms: Terms,
    pub(crate) solver: Embedded,
    pub(crate) limits: Limits,
    pub(crate) edges: Edges<'p>,
    /// Commands that make the initial state.
    pub(crate) init: Vec<Cmd>,
    /// The controls; the first is the initial one.
    pub(crate) controls: Vec<GlobalLocationId>,
    pub(crate) number: FxHashMap<GlobalLocationId, usize>,
    /// The transactions that go on.
    pub(crate) transactions: Vec<Transaction>,
    /// Transactions, and error edges, that end in a violation, or in something that no verdict is possible with.
    pub(crate) ends: Vec<Transaction>,
    /// The transactions that begin at each control.
    pub(crate) starting: Vec<Vec<usize>>,
    /// The variables of which each control's transactions need the value.
    pub(crate) live: Vec<FxHashSet<Symbol>>,
}

/// A transaction of a thread.
#[derive(Clone)]
pub(crate) struct Transaction {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) thread: ThreadId,
    /// Its number among the transactions that go on, of this thread at this control.
    pub(crate) index: usize,
    pub(crate) edge: Rc<Edge>,
}

/// More controls are not followed.
const MAX_CONTROLS: usize = 1_500;
/// Beyond this number of variables of a loop only those in memory are of interest everywhere.
const MANY_VARIABLES: usize = 16;
/// More transactions are not followed.
const MAX_TRANSACTIONS: usize = 6_000;

impl<'p> Graph<'p> {
    pub(crate) fn new(
        analysis: &Arc<Analysis<'p>>,
        property: Property,
        limits: Limits,
    ) -> Result<Self, Inconclusive> {
        // A thread that waits for ever does not terminate: what is followed is the same as for deadlocks.
        let followed = if property == Property::Termination { Property::NoDeadlock } else { property };
        let monitor = Monitor::new(followed);
        let mut encoder = monitor.encoder(analysis)?;
        let mut terms = Terms::new();
        let mut edges = monitor.edges(Edges::new(analysis, true, property));
        let (control, init) = encoder.initial(&mut terms)?;
        let start = edges.intern(control);
        let mut graph = Graph {
            property,
            monitor,
            encoder,
            terms,
            solver: Embedded::new(),
            limits,
            edges,
            init,
            controls: vec![start],
            number: [(start, 0)].into_iter().collect(),
            transactions: Vec::new(),
            ends: Vec::new(),
            starting: Vec::new(),
            live: Vec::new(),
        };
        let mut at = 0;
        while at < graph.controls.len() {
            graph.limits.budget.check()?;
            graph.expand(at)?;
            at += 1;
        }
        graph.find_live();
        Ok(graph)
    }

    fn expand(&mut self, at: usize) -> Result<(), Inconclusive> {
        let control = self.controls[at];
        let threads: Vec<ThreadId> = self.edges.control(control).movable().collect();
        self.starting.push(Vec::new());
        for thread in threads {
            let edges = self.edges.of(&mut self.encoder, &mut self.terms, control, thread);
            let mut index = 0;
            for edge in edges.iter() {
                let mut transaction = Transaction { from: at, to: at, thread, index, edge: Rc::clone(edge) };
                match &edge.kind {
                    SuccessorKind::Continue => {
                        index += 1;
                        transaction.to = self.visit(edge.control);
                        self.starting[at].push(self.transactions.len());
                        self.transactions.push(transaction);
                    }
                    kind if self.is_bad(kind) => self.ends.push(transaction),
                    _ => {}
                }
            }
        }
        if self.property != Property::Termination {
            let Self { monitor, edges, encoder, terms, .. } = self;
            for edge in monitor.edges_at(edges, encoder, terms, control).iter() {
                let edge = Rc::clone(edge);
                self.ends.push(Transaction { from: at, to: at, thread: ThreadId::MAIN, index: 0, edge });
            }
        }
        if self.controls.len() > MAX_CONTROLS || self.transactions.len() > MAX_TRANSACTIONS {
            return Err(Inconclusive::Bound(format!(
                "more than {MAX_CONTROLS} controls or {MAX_TRANSACTIONS} transactions"
            )));
        }
        Ok(())
    }

    /// Returns true if there is no proof where this end can be reached.
    fn is_bad(&self, kind: &SuccessorKind) -> bool {
        match kind {
            SuccessorKind::Continue | SuccessorKind::Ended => false,
            SuccessorKind::Violation(violated, _) => self.property.includes(*violated),
            SuccessorKind::Undefined(_) | SuccessorKind::Unsupported(_) | SuccessorKind::Bound(_) => true,
        }
    }

    fn visit(&mut self, control: GlobalLocationId) -> usize {
        let next = self.controls.len();
        let number = *self.number.entry(control).or_insert(next);
        if number == next {
            self.controls.push(control);
        }
        number
    }

    /// Backward data flow: a variable is live where a transaction reads it before it sets it.
    fn find_live(&mut self) {
        self.live = vec![FxHashSet::default(); self.controls.len()];
        let all: Vec<&Transaction> = self.transactions.iter().chain(&self.ends).collect();
        let flows: Vec<_> =
            all.iter().map(|transaction| used_and_set(&self.terms, &transaction.edge.block)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (transaction, (used, set)) in all.iter().zip(&flows).rev() {
                let goes_on = transaction.edge.kind == SuccessorKind::Continue;
                let after: Vec<Symbol> = self.live[transaction.to]
                    .iter()
                    .copied()
                    .filter(|s| goes_on && !set.contains(s))
                    .collect();
                let here = &mut self.live[transaction.from];
                let before = here.len();
                here.extend(used.iter().copied().chain(after));
                changed |= here.len() > before;
            }
        }
        self.stay_alive_in_loops();
        for (n, control) in self.controls.iter().enumerate() {
            let control = Arc::clone(self.edges.control(*control));
            for thread in control.movable() {
                if let Some(moves) = self.encoder.moves(&mut self.terms, &control, thread) {
                    self.live[n].extend(self.terms.free_vars(moves));
                }
            }
        }
    }

    /// A variable that is live somewhere in a loop counts as live everywhere in it, although a step may be about to overwrite it: what was read
    /// from it, to be written back changed, is to be compared with it. (Where they are many, only words of memory.)
    fn stay_alive_in_loops(&mut self) {
        let next = |n: usize| self.starting[n].iter().map(|n| self.transactions[*n].to).collect();
        for component in cyclic_components(self.controls.len(), next) {
            let mut alive: FxHashSet<Symbol> =
                component.iter().flat_map(|n| self.live[*n].iter().copied()).collect();
            if alive.len() > MANY_VARIABLES {
                alive.retain(|s| matches!(self.encoder.names().name(*s), Some(Name::Cell { .. })));
            }
            for n in component {
                self.live[n].extend(&alive);
            }
        }
    }

    /// The live variables of a control that are numbers or truth values, sorted.
    pub(crate) fn scalars(&self, control: usize) -> Vec<Symbol> {
        scalars(&self.terms, &self.live[control])
    }

    /// When a transaction of a thread is no spurious wake-up; `None` if it cannot be one.
    pub(crate) fn woken(&mut self, control: usize, thread: ThreadId) -> Option<Term> {
        let control = Arc::clone(self.edges.control(self.controls[control]));
        self.encoder.woken(&mut self.terms, &control, thread)
    }

    /// When a thread can move, spurious wake-ups aside; `None` if it always can.
    pub(crate) fn moves(&mut self, control: usize, thread: ThreadId) -> Option<Term> {
        let control = Arc::clone(self.edges.control(self.controls[control]));
        self.encoder.moves(&mut self.terms, &control, thread)
    }
}

/// The variables whose values before a block matter to it, and those that it sets.
fn used_and_set(terms: &Terms, block: &[Cmd]) -> (FxHashSet<Symbol>, FxHashSet<Symbol>) {
    let (mut used, mut set) = (FxHashSet::default(), FxHashSet::default());
    for cmd in block {
        let (read, written) = match *cmd {
            Cmd::Assume(guard) => (terms.free_vars(guard), None),
            Cmd::Assign(x, value) => (terms.free_vars(value), Some(x)),
            Cmd::Havoc(x) => (Vec::new(), Some(x)),
        };
        used.extend(read.into_iter().filter(|s| !set.contains(s)));
        set.extend(written);
    }
    (used, set)
}

/// The variables that are numbers or truth values, sorted.
pub(crate) fn scalars(terms: &Terms, live: &FxHashSet<Symbol>) -> Vec<Symbol> {
    let is_scalar = |s: &&Symbol| !matches!(terms.sort(terms.var_of(**s)), Sort::Array { .. });
    let mut scalars: Vec<Symbol> = live.iter().filter(is_scalar).copied().collect();
    scalars.sort();
    scalars
}
