//! A program as separate threads: the view of proofs that treat one thread at a time.
//!
//! Where [`crate::encoding::GlobalLocation`] says where *every* thread is, here each thread has a graph of its own. A [`Template`] is a thread that is
//! created at most once, or a *template*: a thread that may be created any number of times, of which the template shows one. A [`TemplateNode`] is a
//! place where other threads can run; an [`Edge`] is an action, or a whole atomic section.
//!
//! # What a state is, seen from one thread
//! - **Globals**: variables that several templates mention, and the *positions* `pc@t` of threads that are created once: not started, ended,
//!   joined, or at a node.
//! - **Locals** of the template: its registers that are live, and memory that only its own actions mention.
//! - A template's instance has its handle in the variable `self@t`; two instances differ in it (in the low half, which is what locks
//!   keep), and it is no handle of a thread that is created once.
//!
//! # Owners of flags
//! A flag that is set where it was seen to be zero, in one step, is a lock that does not say who holds it. A variable beside it does
//! (`ghosts`): it changes nothing about what is reachable.
//!
//! # Simplification
//! Constants of a thread's own variables are put in, and edges that cannot be taken dropped ([`Statuses`] tell which threads can be
//! running meanwhile). Assignments that no condition can ever depend on are dropped ([`Model::of`]): they change nothing about what is reachable.
//!
//! # What is not followed exactly, always in the direction of more executions
//! - Joining an instance of a template may succeed at any time, and with any result; once any thread is detached, so may every join.
//! - The others go on after the program's end.
//! - Locals of other threads are unknown.
//!
//! # What has no model
//! Memory of a template's instance that other threads access, allocation on the heap by templates or in loops, recursion beyond a
//! bound, loops in atomic sections: [`Inconclusive::Unsupported`] or [`Inconclusive::Bound`].

mod assemble;
pub mod blocks;
mod build;
pub mod clauses;
mod finite;
mod flow;
mod ghosts;
mod threads;
mod waits;

use crate::encoding::control::Frame;
use crate::encoding::encode::SuccessorKind;
use base::{IdxVec, Inconclusive, id_type};
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use program::interp::ThreadId;

pub use blocks::{Blocks, Segment, SegmentEnd};
pub use clauses::{Interference, Move, MoveId, Rule, Values, rule};
pub use finite::{Finite, ends_alone, rests};
pub use flow::{RUNNING, Statuses};
pub use waits::{HeldLocks, Waiting, holds};

id_type!(
    /// A thread, or a template of threads.
    TemplateId,
    "T"
);

impl TemplateId {
    /// The main thread.
    pub const MAIN: TemplateId = TemplateId(0);
}

id_type!(
    /// A node of a template.
    TemplateNodeId,
    ""
);

impl TemplateNodeId {
    /// Where a thread starts.
    pub const START: TemplateNodeId = TemplateNodeId(0);

    /// The value of a thread's position while it is here.
    pub fn position(self) -> u128 {
        FIRST_NODE + u128::from(self.0)
    }
}

/// Something for each template.
pub type PerTemplate<T> = IdxVec<TemplateId, T>;
/// Something for each node of a template.
pub type PerNode<T> = IdxVec<TemplateNodeId, T>;
/// A template and one of its nodes.
pub type TemplateLocation = (TemplateId, TemplateNodeId);

/// The threads of a program.
pub struct Model {
    /// The templates; the first one is the main thread.
    pub templates: PerTemplate<Template>,
    /// The commands that make the initial state.
    pub init: Vec<Cmd>,
    /// Variables that are not some template's own, positions included, ordered.
    pub globals: Vec<Symbol>,
    /// What holds always: of each flag that is used as a lock, that it is set exactly if it has an owner.
    pub links: Vec<Term>,
    /// True if joins may succeed here where they wait in the program: there are templates, or detached threads.
    pub loose_joins: bool,
}

/// A thread, or a template of threads.
pub struct Template {
    /// For people.
    pub name: String,
    /// The thread; of a template, the one that shows what all do.
    pub thread: ThreadId,
    /// True if there can be several.
    pub replicated: bool,
    /// Its handle: a constant, or the variable `self@t` of a template.
    pub handle: Term,
    /// Its position, unless it is a template.
    pub position: Option<Symbol>,
    /// The nodes; it starts at the first one.
    pub nodes: PerNode<TemplateNode>,
    /// Its own variables, ordered, `self@t` included.
    pub locals: Vec<Symbol>,
}

/// A place in a thread where others can run.
pub struct TemplateNode {
    /// Its call stack.
    pub frames: Vec<Frame>,
    /// What can happen next.
    pub edges: Vec<Edge>,
    /// The variables of the template that matter from here on, ordered.
    pub live: Vec<Symbol>,
    /// What the threads of each template can be doing meanwhile; empty if the node cannot be reached.
    pub statuses: PerTemplate<Statuses>,
    /// Whether the thread can be blocked here.
    pub waits: Waits,
}

/// Whether a thread can be blocked at a node. What fails an assumption is over, not blocked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Waits {
    /// It cannot.
    Never,
    /// Its next action is a lock, a join, or anything else that waits.
    Here,
    /// It waits for a signal; here it may always be woken, in the program perhaps never.
    Signal,
    /// It may be blocked in the middle of an atomic section, and with it all others.
    Inside,
}

/// An action, or an atomic section.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What happens to the data and to the positions of *other* threads.
    pub block: Vec<Cmd>,
    /// Where the thread is afterwards.
    pub target: Target,
    /// The templates of the threads that it starts.
    pub creates: Vec<TemplateId>,
    /// True if it waits for another thread's end.
    pub joins: bool,
}

/// Where a thread is after an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// At a node.
    TemplateNode(TemplateNodeId),
    /// It has ended.
    Finished,
    /// The program ends, violates a property, or does what has no meaning.
    Stops(SuccessorKind),
}

/// What a position is before the thread was created.
pub const UNSTARTED: u128 = 0;
/// What it is once it has ended,
pub const FINISHED: u128 = 1;
/// and once it has been joined.
pub const JOINED: u128 = 2;
/// The position of the first node; the others follow.
pub const FIRST_NODE: u128 = 3;
/// The width of positions.
pub const POSITION_WIDTH: u8 = 16;

impl Model {
    /// The threads that are created at most once.
    pub fn singles(&self) -> impl Iterator<Item = (TemplateId, &Template)> {
        self.templates.iter_enumerated().filter(|(_, c)| !c.replicated)
    }

    /// What is always true: a template's handle is none of the known ones, and flags have owners.
    pub fn handle_facts(&self, terms: &mut Terms) -> Term {
        let mut facts = self.links.clone();
        for template in self.templates.iter().filter(|c| c.replicated) {
            let mine = half(terms, template.handle);
            let zero = terms.constant(0, terms.width(mine));
            facts.push(terms.ne(mine, zero));
            for (_, other) in self.singles() {
                let theirs = half(terms, other.handle);
                facts.push(terms.ne(mine, theirs));
            }
        }
        terms.and(&facts)
    }

    /// That two handles are those of different threads.
    pub fn different(&self, terms: &mut Terms, one: Term, other: Term) -> Term {
        let (one, other) = (half(terms, one), half(terms, other));
        terms.ne(one, other)
    }

    /// Returns true if a thread of template `c` can be at node `n` while another one of template `k` is at node `m`.
    pub fn may_meet(&self, (c, n): TemplateLocation, (k, m): TemplateLocation) -> bool {
        let runs =
            |at: &TemplateNode, who: TemplateId| at.statuses.get(who).is_some_and(|s| s & RUNNING != 0);
        (c != k || self.templates[c].replicated)
            && runs(&self.templates[c].nodes[n], k)
            && runs(&self.templates[k].nodes[m], c)
    }
}

/// The part of a handle that locks keep.
fn half(terms: &mut Terms, handle: Term) -> Term {
    if terms.width(handle) > 32 { terms.extract(31, 0, handle) } else { handle }
}

fn unsupported<T>(what: &str) -> Result<T, Inconclusive> {
    Err(Inconclusive::Unsupported(what.to_owned()))
}
