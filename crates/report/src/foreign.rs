//! What undefined functions return and write in an execution, as far as the execution looks at it.
//!
//! Such a function writes bytes that are chosen when they are read first, and pointers. It would say little to list everything that it writes:
//! what counts is what the program reads of it.

use program::interp::{Choice, Event, Identity, Interp, Place, Position};
use program::{UNDEFINED_FUNCTION, UNDEFINED_RESULT, Width};

/// A value that an execution has of an undefined function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// The function's name in C.
    pub function: String,
    /// Where it wrote the value; `None` if it returned it.
    pub place: Option<Place>,
    /// The value.
    pub value: u128,
    /// How wide it is.
    pub width: Width,
}

/// Bytes that an undefined function has written, and that were not read yet.
struct Written {
    function: String,
    object: Identity,
    from: u64,
    to: u64,
}

impl Written {
    fn meets(&self, place: Place, bytes: u64) -> bool {
        let Place::Memory { object, offset } = place else { return false };
        self.object == object && self.from < offset + bytes && offset < self.to
    }
}

/// Follows an execution.
#[derive(Default)]
pub struct ForeignValues {
    written: Vec<Written>,
}

impl ForeignValues {
    /// A step was taken at a position: what it has of undefined functions.
    pub fn step(
        &mut self,
        interp: &Interp<'_>,
        position: Option<Position>,
        events: &[Event],
    ) -> Vec<Foreign> {
        let inside = position.and_then(|position| undefined_function(interp, position));
        let mut found = Vec::new();
        for event in events {
            match (event, &inside) {
                (Event::Chosen { what: Choice::Input(place), value, width }, _) => {
                    let function = returned_by(&interp.place_name(*place)).map(str::to_owned);
                    let returned = |function| Foreign { function, place: None, value: *value, width: *width };
                    found.extend(function.map(returned));
                }
                (Event::Write { place, width, .. }, Some(function)) => {
                    self.note(function, *place, width.bytes());
                }
                (Event::Copied { dst, len, .. }, Some(function)) => self.note(function, *dst, *len),
                (Event::Write { place, width, .. }, None) => self.forget(*place, width.bytes()),
                (Event::Copied { dst, src, len }, None) => self.copied(*dst, *src, *len),
                (Event::Read { place, value, width, .. }, None) => {
                    let known = self.written.iter().find(|written| written.meets(*place, width.bytes()));
                    if let Some(function) = known.map(|written| written.function.clone()) {
                        self.forget(*place, width.bytes());
                        found.push(Foreign { function, place: Some(*place), value: *value, width: *width });
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn note(&mut self, function: &str, place: Place, bytes: u64) {
        let Place::Memory { object, offset } = place else { return };
        self.forget(place, bytes);
        self.written.push(Written {
            function: function.to_owned(),
            object,
            from: offset,
            to: offset + bytes,
        });
    }

    /// Bytes that were written again, or read, are of no interest any more.
    fn forget(&mut self, place: Place, bytes: u64) {
        let Place::Memory { object, offset } = place else { return };
        let end = offset + bytes;
        let (hit, mut kept): (Vec<Written>, Vec<Written>) =
            self.written.drain(..).partition(|written| written.meets(place, bytes));
        for written in hit {
            let rest = |from, to| Written { function: written.function.clone(), object, from, to };
            kept.extend((written.from < offset).then(|| rest(written.from, offset)));
            kept.extend((end < written.to).then(|| rest(end, written.to)));
        }
        self.written = kept;
    }

    /// A copy of bytes that an undefined function has written is written by it, too.
    fn copied(&mut self, dst: Place, src: Place, len: u64) {
        self.forget(dst, len);
        let (Place::Memory { offset: from, .. }, Place::Memory { object, offset: to }) = (src, dst) else {
            return;
        };
        let copied: Vec<Written> = self
            .written
            .iter()
            .filter(|written| written.meets(src, len))
            .map(|written| Written {
                function: written.function.clone(),
                object,
                from: to + written.from.max(from) - from,
                to: to + written.to.min(from + len) - from,
            })
            .collect();
        self.written.extend(copied);
    }
}

/// `frob` if a position is in the body that was written for the undefined function `frob`.
pub fn undefined_function(interp: &Interp<'_>, position: Position) -> Option<String> {
    let name = interp.program().functions[position.func].name.strip_prefix(UNDEFINED_FUNCTION)?;
    name.split('.').next().map(str::to_owned)
}

/// `frob` of a register called `main::frob.undefined.1`.
fn returned_by(register: &str) -> Option<&str> {
    let name = register.rsplit("::").next()?;
    let (function, number) = name.split_once(UNDEFINED_RESULT)?;
    (number.is_empty() || number.starts_with('.')).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_undefined_functions() {
        assert_eq!(returned_by("main::frob.undefined"), Some("frob"));
        assert_eq!(returned_by("main::frob.undefined.12"), Some("frob"));
        assert_eq!(returned_by("main::t.3"), None);
    }
}
