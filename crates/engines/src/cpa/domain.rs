//! What the search asks of an abstract domain.
//!
//! An element stands for a set of data states: values of all state variables. The search pairs it with a control (the
//! threading analysis) and knows nothing else of it; a domain knows nothing of threads. What an action means is not the
//! domain's business either: it is handed guarded commands.
//!
//! With `γ(e)` for the states that `e` stands for, a domain promises:
//!
//! | operator | contract |
//! |---|---|
//! | [`top`](Domain::top) | `γ` is everything |
//! | [`transfer`](Domain::transfer) | every execution of the block from `γ(e)` ends in `γ` of one of the results |
//! | [`forget`](Domain::forget) | `γ` grows: nothing is known of the dead variables any more |
//! | [`minus`](Domain::minus) (stop) | `γ(new) ⊆ γ(result) ∪ γ(old)`; no result means `γ(new) ⊆ γ(old)` |
//! | [`merge`](Domain::merge) | `γ(new) ∪ γ(old) ⊆ γ(result)` |
//! | [`formula`](Domain::formula) | its models are exactly `γ(e)` |
//!
//! Direction of error: `γ` may always be larger. What that loses is found out by [refinement](super::refine).

use base::Inconclusive;
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use rustc_hash::FxHashSet;
use semantics::encoding::{Name, Names};

/// A question about a symbol.
pub type Ask<'a> = &'a mut dyn FnMut(Symbol) -> bool;

/// The elements after a block, or why they are not known.
pub type After<Element> = Result<Vec<Element>, Inconclusive>;

/// An abstract domain.
pub trait Domain {
    /// A set of data states.
    type Element: Clone;

    /// All states.
    fn top(&mut self) -> Self::Element;

    /// The states after `block`; `None` if it cannot be executed. Variables that are not tracked need not be followed.
    fn transfer(
        &mut self,
        terms: &Terms,
        from: &Self::Element,
        block: &[Cmd],
        tracks: Ask<'_>,
    ) -> After<Self::Element>;

    /// Drops what is known of variables that are not alive.
    fn forget(
        &mut self,
        terms: &Terms,
        element: &mut Self::Element,
        alive: Ask<'_>,
    ) -> Result<(), Inconclusive>;

    /// What `new` has and `old` has not.
    fn minus(
        &mut self,
        new: &Self::Element,
        old: &Self::Element,
    ) -> Result<Option<Self::Element>, Inconclusive>;

    /// One element for both, where the domain wants that.
    fn merge(
        &mut self,
        new: &Self::Element,
        old: &Self::Element,
        meeting: Meeting,
    ) -> Result<Option<Self::Element>, Inconclusive>;

    /// The least element for both, as [narrowing](super::narrow) needs it; `None` if the domain never widens.
    fn join(&mut self, _left: &Self::Element, _right: &Self::Element) -> Option<Self::Element> {
        None
    }

    /// A number that equal elements share, if elements that are equal are worth looking for.
    fn fingerprint(&self, _element: &Self::Element) -> Option<u64> {
        None
    }

    /// The element as a formula over state variables.
    fn formula(&mut self, terms: &mut Terms, element: &Self::Element) -> Term;

    /// Becomes more precise in some way other than tracking more variables; false if there is none.
    fn sharpen(&mut self) -> bool {
        false
    }
}

/// Where two elements meet.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// True if the older one has not been expanded yet.
    pub waiting: bool,
    /// How many elements there are at this control.
    pub n_elements: usize,
}

/// Which variables are tracked: what the search learns by refinement.
///
/// A variable is tracked in all threads, frames and objects made at the same place: what is needed of one worker is
/// needed of all.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    all: bool,
    names: FxHashSet<Name>,
    /// Answers so far, by symbol.
    known: Vec<Option<bool>>,
}

impl Precision {
    /// Everything is tracked.
    pub fn everything() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// Returns true if a variable is tracked.
    pub fn tracks(&mut self, names: &Names, symbol: Symbol) -> bool {
        if self.all {
            return true;
        }
        let at = symbol.0 as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, None);
        }
        if let Some(known) = self.known[at] {
            return known;
        }
        let tracked = match names.name(symbol) {
            // It carries a value within one step only.
            Some(Name::Scratch { .. }) | None => true,
            Some(name) => self.names.contains(&general(name)),
        };
        self.known[at] = Some(tracked);
        tracked
    }

    /// Tracks these variables, too; whether any of them is new.
    pub fn add(&mut self, names: &Names, symbols: impl IntoIterator<Item = Symbol>) -> bool {
        let mut grown = false;
        for symbol in symbols {
            if !self.tracks(names, symbol) {
                let name = names.name(symbol).expect("a variable without a name should be tracked");
                grown |= self.names.insert(general(name));
            }
        }
        if grown {
            self.known.clear();
        }
        grown
    }

    /// How many variables are tracked, not counting copies in other threads; `None` if all are.
    pub fn n_tracked(&self) -> Option<usize> {
        (!self.all).then_some(self.names.len())
    }
}

/// A name without whose it is: the same for all threads, depths and objects made at one site.
fn general(name: Name) -> Name {
    use program::interp::{Identity, ThreadId};
    let whose = ThreadId::MAIN;
    let place = |object: Identity| match object {
        Identity::Static(_) => object,
        Identity::ThreadLocal(id, _) => Identity::ThreadLocal(id, whose),
        Identity::Local { func, var, .. } => Identity::Local { thread: whose, depth: 0, func, var },
        Identity::Heap { site, .. } => Identity::Heap { thread: whose, site, count: 0, room: 0 },
        Identity::Alloca { site, .. } => {
            Identity::Alloca { thread: whose, depth: 0, site, count: 0, room: 0 }
        }
    };
    match name {
        Name::Register { func, var, .. } => Name::Register { thread: whose, depth: 0, func, var },
        Name::Cell { object, offset, width } => Name::Cell { object: place(object), offset, width },
        Name::Elements { object, start, width } => Name::Elements { object: place(object), start, width },
        Name::Size(object) => Name::Size(place(object)),
        Name::Alive(object) => Name::Alive(place(object)),
        Name::IsSet { object, offset, width } => Name::IsSet { object: place(object), offset, width },
        Name::AreSet { object, start, width } => Name::AreSet { object: place(object), start, width },
        Name::ScratchIsSet { n, .. } => Name::ScratchIsSet { thread: whose, n },
        Name::Result(_) => Name::Result(whose),
        Name::Waiting(_) => Name::Waiting(whose),
        Name::Scratch { n, width, .. } => Name::Scratch { thread: whose, n, width },
    }
}
