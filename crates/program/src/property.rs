//! Properties: what can be asked of a program.
//!
//! Some are conjunctions of others: memory safety is that of accesses, of `free` and of what is lost. A verdict names the part that is violated.

use std::fmt;

/// The names of an enum's variants: `ALL` with the first doc comment, and `name` with the second.
macro_rules! names {
    (#[doc = $all:literal] #[doc = $one:literal] $of:ident: $n:literal $($variant:ident => $name:literal,)*) => {
        impl $of {
            #[doc = $all]
            pub const ALL: [($of, &'static str); $n] = [$(($of::$variant, $name)),*];
            #[doc = $one]
            pub fn name(self) -> &'static str {
                match self {
                    $($of::$variant => $name,)*
                }
            }
        }
    };
}

pub(crate) use names;

/// What can be asked of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Property {
    /// No assertion fails and `reach_error` is never called.
    UnreachCall,
    /// No reachable state has blocked threads of which none can ever move.
    NoDeadlock,
    /// Every run ends.
    Termination,
    /// No two conflicting accesses are enabled at once.
    NoDataRace,
    /// No signed arithmetic overflows.
    NoOverflow,
    /// Every access and `free` is valid, and no heap object is lost.
    ValidMemsafety,
    /// Every access is inside of a live object.
    ValidDeref,
    /// Every `free` is one of a live heap object.
    ValidFree,
    /// No heap object is lost.
    ValidMemtrack,
    /// Every heap object is freed before the program ends.
    ValidMemcleanup,
    /// Nothing happens that C gives no meaning.
    UndefinedBehaviour,
    /// Every execution that the memory model allows is one of a sequentially consistent machine.
    Robustness,
}

names! {
    /// All properties, with their names on the command line.
    /// The name used on the command line and in verdicts.
    Property: 12
    UnreachCall => "unreach-call",
    NoDeadlock => "no-deadlock",
    Termination => "termination",
    NoDataRace => "no-data-race",
    NoOverflow => "no-overflow",
    ValidMemsafety => "valid-memsafety",
    ValidDeref => "valid-deref",
    ValidFree => "valid-free",
    ValidMemtrack => "valid-memtrack",
    ValidMemcleanup => "valid-memcleanup",
    UndefinedBehaviour => "undefined-behaviour",
    Robustness => "robustness",
}

impl Property {
    /// Returns true if a violation of `part` is one of this property: the property is the conjunction of its parts.
    pub fn includes(self, part: Property) -> bool {
        use Property::{UndefinedBehaviour, ValidDeref, ValidFree, ValidMemsafety, ValidMemtrack};
        self == part
            || self == ValidMemsafety && matches!(part, ValidDeref | ValidFree | ValidMemtrack)
            || self == UndefinedBehaviour && matches!(part, ValidDeref | ValidFree)
    }

    /// Returns true if undefined behaviour or a leak violates it.
    pub fn is_about_validity(self) -> bool {
        match self {
            Property::ValidMemsafety
            | Property::ValidDeref
            | Property::ValidFree
            | Property::ValidMemtrack
            | Property::ValidMemcleanup
            | Property::UndefinedBehaviour => true,
            Property::UnreachCall
            | Property::NoDeadlock
            | Property::Termination
            | Property::NoDataRace
            | Property::NoOverflow
            | Property::Robustness => false,
        }
    }

    /// Returns true if a violation is an execution that C leaves undefined.
    pub fn is_undefined(self) -> bool {
        Property::UndefinedBehaviour.includes(self)
    }

    /// What a proof of it with formulas takes for granted, because formulas follow defined executions only; `None` if that is part of it.
    pub fn taken_for_granted(self) -> Option<Property> {
        match self {
            Property::ValidMemsafety | Property::UndefinedBehaviour => None,
            Property::ValidDeref => Some(Property::ValidFree),
            Property::ValidFree => Some(Property::ValidDeref),
            Property::ValidMemtrack | Property::ValidMemcleanup => Some(Property::ValidMemsafety),
            Property::UnreachCall
            | Property::NoDeadlock
            | Property::Termination
            | Property::NoDataRace
            | Property::NoOverflow
            | Property::Robustness => Some(Property::UndefinedBehaviour),
        }
    }

    /// Returns true if objects that are alive at the end of the program may violate it.
    pub fn is_about_leaks(self) -> bool {
        self.includes(Property::ValidMemtrack) || self == Property::ValidMemcleanup
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
