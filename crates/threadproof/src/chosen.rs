//! What a counterexample takes for granted about undefined functions: the values that they return and write in it.

use evidence::Trace;
use program::Property;
use program::interp::{Interp, span_name};
use program::trace::Execution;
use report::foreign::{Foreign, ForeignValues, undefined_function};

/// For each value of an undefined function in an execution, the place and a sentence that says so; equal ones once.
pub fn chosen_results(interp: &Interp<'_>, trace: &Trace) -> Vec<(String, String)> {
    let mut sentences: Vec<(String, String)> = Vec::new();
    let mut execution = Execution::new(interp);
    let mut values = ForeignValues::default();
    for step in &trace.steps {
        let Ok(taken) = execution.step(step) else { break };
        for foreign in values.step(interp, Some(taken.position), &taken.events) {
            let value = shown(interp, &execution, &foreign);
            let what = match foreign.place {
                None => format!("`{}` can return {value}", foreign.function),
                Some(place) => {
                    format!("`{}` can write {value} to `{}`", foreign.function, interp.place_name(place))
                }
            };
            let sentence = (span_name(interp.program(), taken.position.span), what);
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

/// A value, as an address if it is one.
fn shown(interp: &Interp<'_>, execution: &Execution<'_, '_>, foreign: &Foreign) -> String {
    let is_pointer = foreign.width == interp.program().data_model.pointer();
    let address = u64::try_from(foreign.value).ok().filter(|_| is_pointer);
    let place = address.and_then(|address| interp.place_at(execution.state(), address));
    match place {
        Some(place) => format!("&{}", interp.place_name(place)),
        None => foreign.width.signed(foreign.value).to_string(),
    }
}

/// The undefined function that one of two racing accesses belongs to. It may access what it is given, but an access that may be there is no race.
pub fn races_with_undefined(interp: &Interp<'_>, trace: &Trace, violated: Property) -> Option<String> {
    if violated != Property::NoDataRace {
        return None;
    }
    let mut execution = Execution::new(interp);
    let before = trace.steps.len().checked_sub(2)?;
    for step in &trace.steps[..before] {
        execution.step(step).ok()?;
    }
    trace.steps[before..].iter().find_map(|step| {
        let thread = execution.thread(step).ok()?;
        undefined_function(interp, interp.position(execution.state(), thread)?)
    })
}
