//! `threadproof show`: the program as threadproof understands it.

use crate::args::{Form, ShowArgs};
use crate::output::{self, Exit};

/// Prints the program.
pub fn show(args: &ShowArgs) -> Exit {
    let Some((program, _)) = output::load_or_explain(&args.inputs, &args.source) else {
        return Exit::BadInput;
    };
    if args.movers {
        return match engines::redcomp::show(&program) {
            Ok(text) => {
                output::out(&text);
                Exit::Fine
            }
            Err(stop) => {
                output::err(&format!("no movers: {stop}\n"));
                Exit::Unknown
            }
        };
    }
    let text = match args.form {
        Form::Text => program::text::print(&program),
        Form::Dot => program::dot::program(&program),
    };
    output::out(&text);
    Exit::Fine
}
