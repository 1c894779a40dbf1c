//! The value of `--memory-model`: a model by name, or a user's own in a file in herd's language.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use program::MemoryModel;
use program::cat::{MACHINES, UserModel};
use std::ffi::OsStr;
use std::path::Path;

/// Reads the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryModels;

impl TypedValueParser for MemoryModels {
    type Value = MemoryModel;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<MemoryModel, Error> {
        TypedValueParser::parse_ref(&read, cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = MemoryModel::ALL.map(|(model, name)| PossibleValue::new(name).help(machine(model)));
        Some(Box::new(values.into_iter()))
    }
}

/// A model by its name, or by its file: `FILE.cat` for the events of C11, `MACHINE:FILE.cat` for those of a machine.
fn read(given: &str) -> Result<MemoryModel, String> {
    let known = MemoryModel::ALL.into_iter().find(|(_, name)| *name == given);
    if let Some((model, _)) = known {
        return Ok(model);
    }
    let prefix = given.split_once(':').filter(|(machine, _)| !machine.contains(['/', '.', '\\']));
    let (machine, file) = match prefix {
        None => (MemoryModel::C11, given),
        Some((machine, file)) => {
            let known = MACHINES.into_iter().find(|known| known.name() == machine);
            let names = || MACHINES.map(MemoryModel::name).join(", ");
            (known.ok_or_else(|| format!("a file can be for {}, not for `{machine}`", names()))?, file)
        }
    };
    if Path::new(file).extension().is_none_or(|extension| extension != "cat") {
        let names = MemoryModel::ALL.map(|(_, name)| name).join(", ");
        return Err(format!("models are {names}, and files whose names end in .cat"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let beside = |name: &str| {
        let folder = Path::new(file).parent().unwrap_or_else(|| Path::new(""));
        std::fs::read_to_string(folder.join(name)).ok()
    };
    let model = UserModel::read(given, machine, (file, text), &beside).map_err(|flaw| flaw.to_string())?;
    Ok(MemoryModel::User(model))
}

fn machine(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "Sequential consistency: one memory, one access at a time",
        MemoryModel::Tso => "Total store order: x86",
        MemoryModel::Pso => "Partial store order: SPARC",
        MemoryModel::Rmo => "Relaxed memory order: SPARC",
        MemoryModel::Power => "Power",
        MemoryModel::Arm => "AArch64",
        MemoryModel::Riscv => "RISC-V",
        MemoryModel::C11 => "C11, as repaired in RC11",
        MemoryModel::User(_) => "A file in herd's language",
    }
}
