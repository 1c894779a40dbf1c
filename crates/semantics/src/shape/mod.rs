//! Lists of any length and trees of any size: abstract heaps, and what actions do to them.
//!
//! A list that a loop builds and another loop frees has no bound on its length, so no finite set of objects describes it. Of the known abstractions this is the one of
//! *list segments* on graphs, as in symbolic memory graphs (Dudka, Peringer, Vojnar: *Byte-precise verification of low-level list manipulation*, SAS 2013), not three-valued
//! logic (Sagiv, Reps, Wilhelm 2002): programs without lists cost nothing, offsets and sizes are exact, which memory safety is about, and no predicates have to be chosen
//! for each program. In one respect it is simpler than its model: a segment has *at least one* object, and the empty list is another heap. So an address always is that of a live
//! object, and different nodes are always different objects.
//!
//! Trees are of the same kind: a node for all of a tree, and segments that have trees beside them, for the way from a root to a cursor. That is what forest automata describe (Habermehl, Holík, Rogalewicz, Šimáček, Vojnar, *Forest automata
//! for verification of heap manipulation*, CAV 2011) with one automaton for each tree between cut-points; here the automaton is always the same: objects of one size, with links at fixed offsets. So there is nothing to be determinised or abstracted, and entailment
//! is a walk down the tree. Functions that call themselves are described by what they do to the part of the heap that they get.
//!
//! | | in |
//! |---|---|
//! | graphs, their invariants | [`heap`] |
//! | taking segments and trees apart | `links` |
//! | calls; recursive functions, and the part of the heap that they get | [`calls`] |
//! | ranges of numbers | `range` |
//! | values of expressions | `eval` |
//! | what conditions tell | `assume`; of two numbers: `facts` |
//! | actions | [`transfer`] |
//! | threads, and who has what | [`share`], by a [`plan`] |
//! | locks | `lock` |
//!
//! When segments are made, how heaps are joined, and when to stop is for the engine to say (`engines::shape`). Its annotation is checked with this transfer and a
//! notion of entailment of the checker's own (`certify::shape`), which has to recognise the segments.
//!
//! # Direction of error
//! Heaps describe too many states, never too few. What is not followed is a doubt: threads that share without a lock, `realloc`, accesses at unknown addresses. Objects that each have a list or a tree of other objects (a list of lists, a stack of
//! pointers to trees) are not described: links lead to objects of the same size. Nor is anything known of the order of keys, or of balance.

mod assume;
pub mod calls;
mod eval;
mod facts;
pub mod heap;
mod links;
mod lock;
pub mod plan;
mod range;
pub mod share;
pub mod transfer;

pub use calls::{Call, Recursion, Rest};
pub use facts::{Fact, Relation};
pub use heap::{
    Address, Anchor, Background, Cell, End, Frame, Heap, Life, Links, LockId, Node, NodeId, Others, Parted,
    Range, Shape, Sharing, SymbolId, Value,
};
pub use plan::{Lock, Made, Plan, Role};
pub use transfer::{Doubt, SharedAccess, Step, Transfer};
