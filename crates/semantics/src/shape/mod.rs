//! Lists of any length: abstract heaps, and what actions do to them.
//!
//! A list that a loop builds and another loop frees has no bound on its length, so no finite set of objects describes it. Of the known abstractions this is the one of
//! *list segments* on graphs, as in symbolic memory graphs (Dudka, Peringer, Vojnar: *Byte-precise verification of low-level list manipulation*, SAS 2013), not three-valued
//! logic (Sagiv, Reps, Wilhelm 2002): programs without lists cost nothing, offsets and sizes are exact, which memory safety is about, and no predicates have to be chosen
//! for each program. In one respect it is simpler than its model: a segment has *at least one* object, and the empty list is another heap. So an address always is that of a live
//! object, and different nodes are always different objects.
//!
//! | | in |
//! |---|---|
//! | graphs, their invariants, taking segments apart | [`heap`] |
//! | ranges of numbers | `range` |
//! | values of expressions | `eval` |
//! | what conditions tell | `assume` |
//! | actions | [`transfer`] |
//! | threads, and who has what | [`share`], by a [`plan`] |
//! | locks | `lock` |
//!
//! When segments are made, how heaps are joined, and when to stop is for the engine to say (`engines::shape`). Its annotation is checked with this transfer and a
//! notion of entailment of the checker's own (`certify::shape`), which has to recognise the segments.
//!
//! # Direction of error
//! Heaps describe too many states, never too few. What is not followed is a doubt: threads that share without a lock, `realloc`, accesses at unknown addresses, deep recursion. Trees of any size are not described:
//! a segment has one link to the next object, so a tree of more than a few nodes is more heaps than the engine keeps.

mod assume;
mod eval;
pub mod heap;
mod lock;
pub mod plan;
mod range;
pub mod share;
pub mod transfer;

pub use heap::{
    Address, Anchor, Background, Cell, End, Frame, Heap, Life, LockId, Node, NodeId, Others, Parted, Range,
    Shape, Sharing, SymbolId, Value,
};
pub use plan::{Lock, Made, Plan, Role};
pub use transfer::{Doubt, SharedAccess, Step, Transfer};
