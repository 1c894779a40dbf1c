//! `threadproof harness`: the most general client of a library, as C.

use crate::args::HarnessArgs;
use crate::output::{self, Exit};
use threadproof::load;

/// Writes the client.
pub fn harness(args: &HarnessArgs) -> Exit {
    let harness = match load::harness(&args.files, &args.source) {
        Ok(harness) => harness,
        Err(diagnostics) => {
            output::diagnostics(&diagnostics);
            return Exit::BadInput;
        }
    };
    let Some(path) = &args.output else {
        output::out(&harness.text);
        return Exit::Fine;
    };
    match std::fs::write(path, harness.text) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            output::err(&format!("error: cannot write `{}`: {error}\n", path.display()));
            Exit::BadInput
        }
    }
}
