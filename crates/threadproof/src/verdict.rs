//! The one line that counts.

use crate::exit::Exit;
use base::Inconclusive;
use program::Property;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

/// What is said about a program and a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The property holds, and the proof was checked.
    Holds,
    /// The property is violated, and the counterexample was replayed.
    Violated(Property),
    /// There is no answer.
    NoAnswer(Inconclusive),
    /// The command line is wrong.
    UsageError,
    /// There is no program to ask about.
    InputError,
    /// A bug of ours.
    InternalError,
}

impl Verdict {
    /// The exit code that says the same.
    pub fn exit(&self) -> Exit {
        match self {
            Verdict::Holds => Exit::Fine,
            Verdict::Violated(_) => Exit::Violated,
            Verdict::NoAnswer(Inconclusive::Cancelled) => Exit::Interrupted,
            Verdict::NoAnswer(_) => Exit::Unknown,
            Verdict::UsageError | Verdict::InputError => Exit::BadInput,
            Verdict::InternalError => Exit::Internal,
        }
    }

    /// What the user could try if there is no answer.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Verdict::NoAnswer(why) => why.hint(),
            Verdict::Holds
            | Verdict::Violated(_)
            | Verdict::UsageError
            | Verdict::InputError
            | Verdict::InternalError => None,
        }
    }

    /// Why there is no answer, if there is none.
    pub fn reason(&self) -> Option<String> {
        match self {
            Verdict::Holds | Verdict::Violated(_) => None,
            // The verdict is one line, whatever the reason says.
            Verdict::NoAnswer(stop) => {
                Some(stop.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Verdict::UsageError => Some("usage error".into()),
            Verdict::InputError => Some("input error".into()),
            Verdict::InternalError => Some("internal error".into()),
        }
    }
}

impl Serialize for Verdict {
    /// The verdict, why there is no answer and what to try (`null` if there is one), and the exit code.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Verdict", 4)?;
        fields.serialize_field("verdict", &self.to_string())?;
        fields.serialize_field("reason", &self.reason())?;
        fields.serialize_field("hint", &self.hint())?;
        fields.serialize_field("exit_code", &(self.exit() as i32))?;
        fields.end()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Holds => write!(f, "true"),
            Verdict::Violated(property) => write!(f, "false({property})"),
            other => write!(f, "unknown({})", other.reason().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_one_line() {
        let check = |verdict: Verdict, text: &str, code: i32| {
            assert_eq!((verdict.to_string().as_str(), verdict.exit() as i32), (text, code));
        };
        check(Verdict::Holds, "true", 0);
        check(Verdict::Violated(Property::NoDeadlock), "false(no-deadlock)", 1);
        check(Verdict::NoAnswer(Inconclusive::OutOfTime), "unknown(timeout)", 3);
        check(Verdict::NoAnswer(Inconclusive::Cancelled), "unknown(interrupted)", 130);
        check(Verdict::NoAnswer(Inconclusive::Unsupported("a\n  b".into())), "unknown(unsupported: a b)", 3);
        check(Verdict::InputError, "unknown(input error)", 2);
        check(Verdict::InternalError, "unknown(internal error)", 101);
    }
}
