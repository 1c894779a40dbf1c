//! Options of engines: each belongs to an engine, and is an error with another one.
//!
//! The engines declare their options as groups that have the engines' names; so nothing is listed here. Only `--por`, which several
//! engines have, each with values of its own, is declared here and given to the engine that is chosen.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum};
use std::ffi::OsString;
use threadproof::engines::{cpa, impact, ufo};
use threadproof::{EngineName, SearchOptions};

/// What belongs to no single engine.
#[derive(Args, Clone, Debug)]
#[group(id = "engines")]
pub struct EngineArgs {
    /// Partial-order reduction [impact: none, spor, dpor (default); ufo: spor, dpor (default); cpa: none, local (default)]
    #[arg(long, value_name = "WHICH", value_parser = PossibleValuesParser::new(reductions()), help_heading = "Options of --engine impact, ufo and cpa")]
    por: Option<String>,
    /// The options of the chosen engine as they were given.
    #[arg(skip)]
    pub given: Vec<OsString>,
}

impl EngineArgs {
    /// Checks that all engine options belong to the chosen engine, and completes its options.
    pub fn resolve(
        &mut self,
        search: &mut SearchOptions,
        command: &Command,
        matches: &ArgMatches,
    ) -> Result<(), String> {
        let chosen = search.engine.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        for owner in EngineName::value_variants().iter().filter_map(ValueEnum::to_possible_value) {
            for option in given_options(owner.get_name(), command, matches) {
                if owner.get_name() != chosen {
                    return Err(foreign(&option, owner.get_name(), search.engine, &chosen));
                }
                self.given.extend(raw(&option, matches));
            }
        }
        if let Some(por) = &self.por {
            set_por(por, search, &chosen)?;
            self.given.extend(["--por".into(), por.into()]);
        }
        Ok(())
    }
}

fn reductions() -> [PossibleValue; 4] {
    [
        PossibleValue::new("none").help("Every interleaving of all actions"),
        PossibleValue::new("spor").help("Threads are switched at visible actions only"),
        PossibleValue::new("dpor").help("And independent steps are taken in one order only"),
        PossibleValue::new("local").help("Local steps are taken together with the next visible action"),
    ]
}

/// An option on the command line.
struct Given {
    id: String,
    long: String,
}

/// The options of a group that the command line has.
fn given_options(group: &str, command: &Command, matches: &ArgMatches) -> Vec<Given> {
    let Some(group) = command.get_groups().find(|g| g.get_id() == group) else { return Vec::new() };
    let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let long = |id: &clap::Id| command.get_arguments().find(|a| a.get_id() == id)?.get_long();
    let given = |id: &clap::Id| Some(Given { id: id.to_string(), long: long(id)?.to_owned() });
    group.get_args().filter(is_given).filter_map(given).collect()
}

fn raw(option: &Given, matches: &ArgMatches) -> Vec<OsString> {
    let values = matches.get_raw(&option.id).into_iter().flatten();
    values.flat_map(|value| [format!("--{}", option.long).into(), value.to_owned()]).collect()
}

fn foreign(option: &Given, owner: &str, engine: EngineName, chosen: &str) -> String {
    let long = &option.long;
    match engine {
        EngineName::Auto => format!(
            "`--{long}` is an option of the engine {owner}, and `auto` runs several engines with their defaults: add `--engine {owner}`"
        ),
        _ => {
            format!("`--{long}` is an option of the engine {owner}, but the engine is {chosen} (`--engine`)")
        }
    }
}

/// Gives the value of `--por` to the engine.
fn set_por(por: &str, search: &mut SearchOptions, chosen: &str) -> Result<(), String> {
    let known = match search.engine {
        EngineName::Impact => choose(&mut search.impact.por, &impact::Options::POR, por),
        EngineName::Ufo => choose(&mut search.ufo.sleep, &ufo::Options::POR, por),
        EngineName::Cpa => choose(&mut search.cpa.local, &cpa::Options::POR, por),
        EngineName::Auto
        | EngineName::Explore
        | EngineName::Redcomp
        | EngineName::Simulate
        | EngineName::Directed
        | EngineName::Houdini
        | EngineName::Shape
        | EngineName::Graphs => {
            return Err(format!(
                "`--por` is an option of the engines impact, ufo and cpa, but the engine is {chosen} (`--engine`)"
            ));
        }
    };
    known.map_err(|known| {
        format!("`--por {por}` is not for the engine {chosen}, which has {}", known.join(", "))
    })
}

/// Sets a field to the value that has this name; fails with all names if none has it.
fn choose<T: Copy>(field: &mut T, known: &[(&'static str, T)], name: &str) -> Result<(), Vec<&'static str>> {
    let (_, value) = known
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| known.iter().map(|(n, _)| *n).collect::<Vec<_>>())?;
    *field = *value;
    Ok(())
}
