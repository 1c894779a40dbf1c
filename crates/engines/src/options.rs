//! What the declarations of the engines' options share.
//!
//! An engine's `Options` are a value with defaults, and a group of options of the command line whose name is the engine's. The option
//! `--por` is one for several engines, each with values of its own: a constant `POR` of the engine lists them.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads `on` and `off`.
pub(crate) fn on_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|text| text == "on")
}
