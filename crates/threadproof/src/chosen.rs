//! What a counterexample takes for granted about undefined functions: the values that they return in it.

use certify::{Replay, SourceEvent};
use program::interp::span_name;
use program::{Program, UNDEFINED_RESULT, Width};

/// For each value of an undefined function in a run, the place and a sentence that says so; equal ones once.
pub fn chosen_results(program: &Program, replay: &Replay) -> Vec<(String, String)> {
    let mut sentences: Vec<(String, String)> = Vec::new();
    for step in &replay.steps {
        for event in &step.events {
            let SourceEvent::Input { name, value, width } = event else { continue };
            let Some(function) = undefined_function(name) else { continue };
            let place = span_name(program, step.span);
            let sentence = (place, format!("`{function}` can return {}", signed(*value, *width)));
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

/// `frob` of a register called `main::frob.undefined.1`.
fn undefined_function(register: &str) -> Option<&str> {
    let name = register.rsplit("::").next()?;
    let (function, number) = name.split_once(UNDEFINED_RESULT)?;
    (number.is_empty() || number.starts_with('.')).then_some(function)
}

/// A value as a number with a sign.
fn signed(value: u128, width: Width) -> i128 {
    let unused = 128 - width.bits();
    (value << unused) as i128 >> unused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_undefined_functions() {
        assert_eq!(undefined_function("main::frob.undefined"), Some("frob"));
        assert_eq!(undefined_function("main::frob.undefined.12"), Some("frob"));
        assert_eq!(undefined_function("main::t.3"), None);
        assert_eq!(signed(0xffff_ffff, Width::INT), -1);
    }
}
