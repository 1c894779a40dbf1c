//! What a counterexample takes for granted about undefined functions: the values that they return in it.

use evidence::Trace;
use program::UNDEFINED_RESULT;
use program::interp::{Choice, Event, Interp, span_name};
use program::trace::Execution;

/// For each value of an undefined function in an execution, the place and a sentence that says so; equal ones once.
pub fn chosen_results(interp: &Interp<'_>, trace: &Trace) -> Vec<(String, String)> {
    let mut sentences: Vec<(String, String)> = Vec::new();
    let mut execution = Execution::new(interp);
    for step in &trace.steps {
        let Ok(taken) = execution.step(step) else { break };
        for event in &taken.events {
            let Event::Chosen { what: Choice::Input(place), value, width } = event else { continue };
            let name = interp.place_name(*place);
            let Some(function) = undefined_function(&name) else { continue };
            let place = span_name(interp.program(), taken.position.span);
            let sentence = (place, format!("`{function}` can return {}", width.signed(*value)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_of_undefined_functions() {
        assert_eq!(undefined_function("main::frob.undefined"), Some("frob"));
        assert_eq!(undefined_function("main::frob.undefined.12"), Some("frob"));
        assert_eq!(undefined_function("main::t.3"), None);
    }
}
