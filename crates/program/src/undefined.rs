//! Undefined behaviour by kind: what the sanitizers call it, and which property it violates.
//!
//! The interpreter is the definition: a step that C gives no meaning ends in [`StepResult::Undefined`](crate::interp::StepResult::Undefined)
//! with one of these kinds, and engines and checkers agree on what was found by its [property](UndefinedKind::property).
//!
//! | property | kinds |
//! |---|---|
//! | `valid-deref` | accesses outside of every live object: null, dangling, out of bounds, wild; indices outside of an array inside of an object; writes to constants; calls and jumps to where nothing is |
//! | `valid-free` | `free` and `realloc` of anything but the start of a live heap object, or a null pointer |
//! | `valid-memtrack`, `valid-memcleanup` | heap objects that are lost, or not freed, when the program ends |
//! | `undefined-behaviour` | all of these except for the leaks, misaligned pointers, arithmetic without a result, values that were never set, misuse of the thread library |
//!
//! # Direction of error
//! An address is a number: an access that leaves its object and lands in another one counts as an access to that one.

use crate::Property;
use crate::interp::Identity;
use std::fmt;

/// A kind of undefined behaviour, or of a leak.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum UndefinedKind {
    /// An access at a null pointer, or near it.
    NullDereference,
    /// An access to a heap object that was freed.
    UseAfterFree,
    /// An access to a variable of a function that has returned, or of a thread that has ended.
    UseAfterReturn,
    /// An access to a variable whose block was left, while its function is still running.
    UseAfterScope,
    /// An access that begins in an object, or close to it, and ends outside.
    OutOfBounds,
    /// An access where no object is.
    WildPointer,
    /// A pointer to a type that its address is not aligned for.
    Misaligned,
    /// A write to a string literal or another constant object.
    WriteToConstant,
    /// A `free` of a heap object that was freed before.
    DoubleFree,
    /// A `free` of something that is not the start of a heap object.
    InvalidFree,
    /// A heap object to which no pointer is left when the program ends.
    MemoryLeak,
    /// A heap object that is alive when the program ends.
    NotFreed,
    /// A division by zero, or of the least number by -1.
    DivisionByZero,
    /// A shift by a negative amount, or by the width or more.
    ShiftOutOfRange,
    /// Signed arithmetic whose result does not fit.
    SignedOverflow,
    /// An index outside of an array of known length, though perhaps inside of the object around it.
    IndexOutOfBounds,
    /// A decision that depends on a value that was never set.
    IndeterminateValue,
    /// A pointer that is computed from one into an object, and leads neither into that object nor just behind it.
    PointerArithmetic,
    /// An order or a difference of pointers that do not lead into one object.
    InvalidPointerPair,
    /// A variable that is changed and used, or changed twice, in one expression that does not say which comes first.
    UnsequencedModification,
    /// A call through an address where no function is.
    InvalidCall,
    /// A call of a function through a pointer to functions of another type.
    IncompatibleCall,
    /// A `_Bool` whose bits are neither those of 0 nor those of 1.
    InvalidBool,
    /// A floating-point number that is converted to an integer type which does not have its integral part.
    FloatConversion,
    /// An array of variable length that has no elements, or a negative number of them.
    ArrayLength,
    /// A copy between objects that overlap, by a function that does not allow that.
    OverlappingCopy,
    /// The value of a function that returned none.
    MissingReturn,
    /// An unlock of a lock that the thread does not hold.
    UnlockNotHeld,
    /// The end of a lock, condition variable or barrier that is in use.
    DestroyInUse,
    /// A use of a lock, condition variable or barrier that was destroyed, or never initialised.
    UseAfterDestroy,
    /// A lock, condition variable, barrier or semaphore that is initialised although it is already.
    InitialisedTwice,
    /// A join of a thread that was joined before, was detached, or is the one that joins; the same for detaching.
    InvalidJoin,
    /// A wait on a condition variable with a mutex that the thread does not hold.
    WaitWithoutMutex,
    /// A wait on a condition variable on which other threads wait with another mutex.
    WaitWithTwoMutexes,
    /// Another use of the thread library that POSIX calls undefined.
    ThreadMisuse,
    /// Something else that the text names.
    Other,
}

impl UndefinedKind {
    /// All kinds, with their names.
    pub const ALL: [(UndefinedKind, &'static str); 36] = [
        (UndefinedKind::NullDereference, "null-dereference"),
        (UndefinedKind::UseAfterFree, "use-after-free"),
        (UndefinedKind::UseAfterReturn, "use-after-return"),
        (UndefinedKind::UseAfterScope, "use-after-scope"),
        (UndefinedKind::OutOfBounds, "out-of-bounds"),
        (UndefinedKind::WildPointer, "wild-pointer"),
        (UndefinedKind::Misaligned, "misaligned"),
        (UndefinedKind::WriteToConstant, "write-to-constant"),
        (UndefinedKind::DoubleFree, "double-free"),
        (UndefinedKind::InvalidFree, "invalid-free"),
        (UndefinedKind::MemoryLeak, "memory-leak"),
        (UndefinedKind::NotFreed, "not-freed"),
        (UndefinedKind::DivisionByZero, "division-by-zero"),
        (UndefinedKind::ShiftOutOfRange, "shift-out-of-range"),
        (UndefinedKind::SignedOverflow, "signed-overflow"),
        (UndefinedKind::IndexOutOfBounds, "index-out-of-bounds"),
        (UndefinedKind::IndeterminateValue, "indeterminate-value"),
        (UndefinedKind::PointerArithmetic, "pointer-arithmetic"),
        (UndefinedKind::InvalidPointerPair, "invalid-pointer-pair"),
        (UndefinedKind::UnsequencedModification, "unsequenced-modification"),
        (UndefinedKind::InvalidCall, "invalid-call"),
        (UndefinedKind::IncompatibleCall, "function-type-mismatch"),
        (UndefinedKind::InvalidBool, "invalid-bool-load"),
        (UndefinedKind::FloatConversion, "float-conversion"),
        (UndefinedKind::ArrayLength, "array-length"),
        (UndefinedKind::OverlappingCopy, "overlapping-copy"),
        (UndefinedKind::MissingReturn, "missing-return"),
        (UndefinedKind::UnlockNotHeld, "unlock-not-held"),
        (UndefinedKind::DestroyInUse, "destroy-in-use"),
        (UndefinedKind::UseAfterDestroy, "use-after-destroy"),
        (UndefinedKind::InitialisedTwice, "initialised-twice"),
        (UndefinedKind::InvalidJoin, "invalid-join"),
        (UndefinedKind::WaitWithoutMutex, "wait-without-mutex"),
        (UndefinedKind::WaitWithTwoMutexes, "wait-with-two-mutexes"),
        (UndefinedKind::ThreadMisuse, "thread-misuse"),
        (UndefinedKind::Other, "undefined"),
    ];

    /// The name in reports and in the textual form of programs.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).expect("every kind should have a name").1
    }

    /// The kind of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// The property that it violates.
    pub fn property(self) -> Property {
        match self {
            UndefinedKind::NullDereference
            | UndefinedKind::UseAfterFree
            | UndefinedKind::UseAfterReturn
            | UndefinedKind::UseAfterScope
            | UndefinedKind::OutOfBounds
            | UndefinedKind::IndexOutOfBounds
            | UndefinedKind::WildPointer
            | UndefinedKind::InvalidCall
            | UndefinedKind::WriteToConstant => Property::ValidDeref,
            UndefinedKind::DoubleFree | UndefinedKind::InvalidFree => Property::ValidFree,
            UndefinedKind::MemoryLeak => Property::ValidMemtrack,
            UndefinedKind::NotFreed => Property::ValidMemcleanup,
            UndefinedKind::Misaligned
            | UndefinedKind::DivisionByZero
            | UndefinedKind::ShiftOutOfRange
            | UndefinedKind::SignedOverflow
            | UndefinedKind::IndeterminateValue
            | UndefinedKind::PointerArithmetic
            | UndefinedKind::InvalidPointerPair
            | UndefinedKind::UnsequencedModification
            | UndefinedKind::IncompatibleCall
            | UndefinedKind::InvalidBool
            | UndefinedKind::FloatConversion
            | UndefinedKind::ArrayLength
            | UndefinedKind::OverlappingCopy
            | UndefinedKind::MissingReturn
            | UndefinedKind::UnlockNotHeld
            | UndefinedKind::DestroyInUse
            | UndefinedKind::UseAfterDestroy
            | UndefinedKind::InitialisedTwice
            | UndefinedKind::InvalidJoin
            | UndefinedKind::WaitWithoutMutex
            | UndefinedKind::WaitWithTwoMutexes
            | UndefinedKind::ThreadMisuse
            | UndefinedKind::Other => Property::UndefinedBehaviour,
        }
    }
}

/// Something that C gives no meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Undefined {
    /// What kind of thing.
    pub kind: UndefinedKind,
    /// What exactly, for the user.
    pub what: String,
    /// The object that it happens to, if there is one, so that its life can be told.
    pub object: Option<Identity>,
}

impl Undefined {
    /// Undefined behaviour of a kind, described by a text.
    pub fn new(kind: UndefinedKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), object: None }
    }

    /// The same, with the object that it happens to.
    pub fn about(self, object: Identity) -> Self {
        Self { object: Some(object), ..self }
    }

    /// What a text says that begins with the name of a kind and a colon, as those of the library's models do.
    pub fn of_text(text: &str) -> Self {
        let parts = text.split_once(": ").and_then(|(name, what)| Some((UndefinedKind::named(name)?, what)));
        let (kind, what) = parts.unwrap_or((UndefinedKind::Other, text));
        Self::new(kind, what)
    }

    /// The property that it violates.
    pub fn property(&self) -> Property {
        self.kind.property()
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            UndefinedKind::Other => f.write_str(&self.what),
            kind => write!(f, "{}: {}", kind.name(), self.what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_violates_undefined_behaviour_or_is_a_leak() {
        for (kind, name) in UndefinedKind::ALL {
            assert_eq!(UndefinedKind::named(name), Some(kind));
            let leak = matches!(kind, UndefinedKind::MemoryLeak | UndefinedKind::NotFreed);
            assert_ne!(Property::UndefinedBehaviour.includes(kind.property()), leak, "{name}");
        }
    }
}
