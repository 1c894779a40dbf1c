//! Scopes: what a name or a tag means where we are.
//!
//! One hash table per name space holds the innermost meaning of every name; entering a scope sets a mark, and leaving it
//! undoes what was inserted since. So a lookup is one probe however deep blocks nest.

use super::linkage::{FunctionRef, ObjectRef};
use crate::ast::At;
use crate::hir::LocalId;
use crate::types::{RecordId, Ty};
use rustc_hash::FxHashMap;

/// What an ordinary identifier means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// A type, with the alignment its attributes ask for.
    Typedef { ty: Ty, align: u64 },
    /// An enumerator.
    Enumerator { ty: Ty, value: i128 },
    /// An object with static storage, of the type declared in this unit.
    Object { object: ObjectRef, ty: Ty },
    /// A function, of the type declared in this unit, first declared at `at`.
    Function { function: FunctionRef, ty: Ty, at: At },
    /// A parameter or automatic variable.
    Local { local: LocalId, ty: Ty },
    /// A variable-length array of type `ty`, and the local that points to it.
    Vla { local: LocalId, ty: Ty },
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    /// An enumeration is its integer type; not `complete` if only mentioned yet.
    Enum {
        ty: Ty,
        complete: bool,
    },
}

/// One name space.
#[derive(Debug)]
pub(super) struct ScopeMap<'a, V> {
    entries: FxHashMap<&'a str, (usize, V)>,
    undo: Vec<(&'a str, Option<(usize, V)>)>,
    marks: Vec<usize>,
}

impl<V> Default for ScopeMap<'_, V> {
    fn default() -> Self {
        Self { entries: FxHashMap::default(), undo: Vec::new(), marks: Vec::new() }
    }
}

impl<'a, V: Copy> ScopeMap<'a, V> {
    /// The innermost meaning of a name.
    pub(super) fn get(&self, name: &str) -> Option<V> {
        self.entries.get(name).map(|&(_, value)| value)
    }

    /// The meaning of a name, if it was given in the innermost scope.
    pub(super) fn get_here(&self, name: &str) -> Option<V> {
        self.entries.get(name).filter(|(depth, _)| *depth == self.marks.len()).map(|&(_, value)| value)
    }

    /// All names that have a meaning, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, V)> {
        self.entries.iter().map(|(&name, &(_, value))| (name, value))
    }

    /// How many scopes are around.
    pub(super) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// How many scopes were around where a name was given its meaning.
    pub(super) fn depth_of(&self, name: &str) -> Option<usize> {
        self.entries.get(name).map(|&(depth, _)| depth)
    }

    /// Gives a name its meaning in the innermost scope.
    pub(super) fn insert(&mut self, name: &'a str, value: V) {
        let old = self.entries.insert(name, (self.marks.len(), value));
        if !self.marks.is_empty() {
            self.undo.push((name, old));
        }
    }

    /// Gives a name that has no meaning yet one in the outermost scope.
    pub(super) fn insert_outermost(&mut self, name: &'a str, value: V) {
        self.entries.entry(name).or_insert((0, value));
    }

    /// Enters a scope.
    pub(super) fn push(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// Leaves a scope.
    pub(super) fn pop(&mut self) {
        let mark = self.marks.pop().expect("a scope should be left only after it was entered");
        for (name, old) in self.undo.drain(mark..).rev() {
            match old {
                Some(entry) => self.entries.insert(name, entry),
                None => self.entries.remove(name),
            };
        }
    }
}

/// The name spaces of a unit.
#[derive(Debug, Default)]
pub(super) struct UnitScope<'a> {
    pub(super) names: ScopeMap<'a, Symbol>,
    pub(super) tags: ScopeMap<'a, Tag>,
}

impl UnitScope<'_> {
    /// Enters a block.
    pub(super) fn push(&mut self) {
        self.names.push();
        self.tags.push();
    }

    /// Leaves a block.
    pub(super) fn pop(&mut self) {
        self.names.pop();
        self.tags.pop();
    }
}
