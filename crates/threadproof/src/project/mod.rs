//! Projects: which files are the program, and how each of them is preprocessed.
//!
//! The files are named on the command line, in a list of units with flags, or in a compilation database (`compile_commands.json`, as CMake, Meson, Bazel and
//! `bear` write it). A database lists units, not programs, so the units of one program are selected as a linker would link them:
//!
//! 1. If only one unit defines the entry function, all units are the program.
//! 2. Otherwise `--main FILE` or `--target NAME` says which program is meant. It has all units of its target, where the database says which target a
//!    unit is compiled for (CMake and Meson do, in the names of object files), and of the others those that define a name which is
//!    needed, as from an archive. Other units with an entry function are not considered.
//!
//! | module | does |
//! |---|---|
//! | `database` | reads compilation databases and lists of units |
//! | `flags` | what of a compiler's command line matters to the preprocessor |
//!
//! # Direction of error
//! A unit that no selected unit needs by name is left out in the second case, though a linker that is given its object file runs its constructors: `--units` or the files'
//! names on the command line say exactly what is linked. Flags that change the meaning of C (`-funsigned-char`, `-fshort-enums`) are errors.
//! The compiler that a database names is not run: a database of a cross compiler is read as one for this machine.

mod database;
mod flags;

use crate::load;
use crate::options::{DataModelName, SourceOptions};
use clap::Args;
use database::Unit;
use frontend::outline::{Outline, outlines};
use report::{Diagnostic, Level};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which files are the program.
#[derive(Args, Clone, PartialEq, Default, Debug)]
#[group(id = "inputs")]
pub struct Inputs {
    /// C files, preprocessed or not; together they are one program. With --project: these of its units, with their flags
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Verify the program that a compilation database describes: a folder with a compile_commands.json, or the file
    #[arg(short = 'p', long, value_name = "BUILD_DIR|FILE", help_heading = "Projects")]
    pub project: Option<PathBuf>,
    /// Verify the units that are listed in FILE, one in a line, each followed by its flags
    #[arg(long, value_name = "FILE", conflicts_with = "project", help_heading = "Projects")]
    pub units: Option<PathBuf>,
    /// Where a project has several programs: the one whose entry function is in FILE
    #[arg(long = "main", value_name = "FILE", help_heading = "Projects")]
    pub main_file: Option<PathBuf>,
    /// Where a project has several programs: the one that the build system calls NAME
    #[arg(long, value_name = "NAME", requires = "project", help_heading = "Projects")]
    pub target: Option<String>,
}

/// Folders of a project in which build systems leave their compilation database.
pub const BUILD_FOLDERS: [&str; 5] = [".", "build", "builddir", "out", "cmake-build-debug"];

/// Returns true if there is a compilation database in a folder.
pub fn has_database(folder: &Path) -> bool {
    folder.join("compile_commands.json").is_file()
}

/// The folder with the compilation database of the project in `folder`, if it has one.
pub fn database_below(folder: &Path) -> Option<PathBuf> {
    BUILD_FOLDERS.iter().map(|name| folder.join(name)).find(|folder| has_database(folder))
}

/// The files of a program, and what is odd about the project.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Resolved {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Inputs {
    /// Returns true if no program is named.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.project.is_none() && self.units.is_none()
    }

    /// Finds the files of the program; the flags of single files are put into `source`.
    pub fn resolve(&self, source: &mut SourceOptions) -> Result<Resolved, Vec<Diagnostic>> {
        let read = match (&self.project, &self.units) {
            (Some(project), _) => database::read_database(project),
            (None, Some(list)) => database::read_list(list),
            (None, None) => return Ok(Resolved { files: self.files.clone(), diagnostics: Vec::new() }),
        };
        if source.client().is_some() {
            // Its client includes the files, and would include them without the flags of each.
            let mut errors = error("the units of a project are not verified as a library".to_owned());
            errors[0].help = Some("name the library's files, with their -I and -D".to_owned());
            return Err(errors);
        }
        let (units, diagnostics) = read.map_err(|error| vec![error])?;
        let chosen = if !self.files.is_empty() {
            self.named(&units)
        } else if self.units.is_some() && self.main_file.is_none() {
            units
        } else {
            self.link(&units, source)?
        };
        let chosen = once(chosen)?;
        if source.data_model.is_none() && chosen.iter().any(|unit| unit.flags.is_32_bit) {
            source.data_model = Some(one_data_model(&chosen)?);
        }
        let files = chosen.iter().map(|unit| unit.file.clone()).collect();
        source.flags = chosen.into_iter().map(|unit| (unit.file, unit.flags.flags)).collect();
        Ok(Resolved { files, diagnostics })
    }

    /// The units of the files that are named; a file that is no unit has no flags.
    fn named(&self, units: &[Unit]) -> Vec<Unit> {
        let of_target = |unit: &&Unit| self.target.is_none() || unit.target == self.target;
        let unit = |file: &PathBuf| {
            let known = units.iter().filter(of_target).find(|unit| same_file(&unit.file, file));
            known.cloned().unwrap_or_else(|| Unit::without_flags(file.clone()))
        };
        self.files.iter().map(unit).collect()
    }

    /// The units that a linker would link.
    fn link(&self, units: &[Unit], source: &SourceOptions) -> Result<Vec<Unit>, Vec<Diagnostic>> {
        let entry_in = |among: &[Unit]| with_entry(among, source);
        let (target, main) = match (&self.target, &self.main_file) {
            (target, Some(file)) => {
                let is_main = |unit: &&Unit| {
                    same_file(&unit.file, file) && (target.is_none() || unit.target == *target)
                };
                let main = units.iter().find(is_main).cloned();
                let main =
                    main.ok_or_else(|| error(format!("`{}` is no unit of the project", file.display())))?;
                (main.target.clone(), main)
            }
            (Some(name), None) => {
                let members: Vec<Unit> =
                    units.iter().filter(|unit| unit.target.as_ref() == Some(name)).cloned().collect();
                if members.is_empty() {
                    let known: BTreeSet<&str> =
                        units.iter().filter_map(|unit| unit.target.as_deref()).collect();
                    let known = known.into_iter().collect::<Vec<_>>().join(", ");
                    return Err(error(format!("the project has no target `{name}`; it has: {known}")));
                }
                (Some(name.clone()), one_program(entry_in(&members)?, source.first_function())?)
            }
            (None, None) => {
                let mains = entry_in(units)?;
                if mains.len() < 2 {
                    return Ok(units.to_vec());
                }
                let main = one_program(mains, source.first_function())?;
                (main.target.clone(), main)
            }
        };
        let in_program = |unit: &&Unit| **unit == main || target.is_some() && unit.target == target;
        let (mut program, others): (Vec<&Unit>, Vec<&Unit>) = units.iter().partition(in_program);
        program.sort_by_key(|unit| **unit != main);
        let program: Vec<Unit> = program.into_iter().cloned().collect();
        let mains: BTreeSet<PathBuf> = entry_in(units)?.into_iter().map(|unit| unit.file).collect();
        let mut known: BTreeSet<PathBuf> = program.iter().map(|unit| unit.file.clone()).collect();
        let others =
            others.into_iter().filter(|unit| !mains.contains(&unit.file) && known.insert(unit.file.clone()));
        from_archive(program, others.cloned().collect(), source)
    }
}

/// Adds the units that define what is needed, and what these need.
fn from_archive(
    mut program: Vec<Unit>,
    mut others: Vec<Unit>,
    source: &SourceOptions,
) -> Result<Vec<Unit>, Vec<Diagnostic>> {
    let mut defined = BTreeSet::new();
    let mut needed: Vec<String> = Vec::new();
    for outline in outlines_of(&program, source)? {
        defined.extend(outline.defines);
        needed.extend(outline.needs);
    }
    let mut known = outlines_of(&others, source)?;
    while let Some(name) = needed.pop() {
        if defined.contains(&name) {
            continue;
        }
        if let Some(at) = known.iter().position(|outline| outline.defines.contains(&name)) {
            let outline = known.remove(at);
            program.push(others.remove(at));
            defined.extend(outline.defines);
            needed.extend(outline.needs);
        }
    }
    Ok(program)
}

fn outlines_of(units: &[Unit], source: &SourceOptions) -> Result<Vec<Outline>, Vec<Diagnostic>> {
    let mut source = source.clone();
    source.flags = units.iter().map(|unit| (unit.file.clone(), unit.flags.flags.clone())).collect();
    let files: Vec<PathBuf> = units.iter().map(|unit| unit.file.clone()).collect();
    outlines(&files, &load::options(&source, None)?)
}

/// The units that define the entry function. Those that do not mention its name are not preprocessed.
fn with_entry(units: &[Unit], source: &SourceOptions) -> Result<Vec<Unit>, Vec<Diagnostic>> {
    let mentions = |unit: &&Unit| {
        std::fs::read(&unit.file)
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(source.first_function()))
    };
    let candidates: Vec<Unit> = units.iter().filter(mentions).cloned().collect();
    let outlines = outlines_of(&candidates, source)?;
    let defines = |(_, outline): &(Unit, Outline)| outline.defines.contains(source.first_function());
    Ok(candidates.into_iter().zip(outlines).filter(defines).map(|(unit, _)| unit).collect())
}

fn one_program(mut mains: Vec<Unit>, entry: &str) -> Result<Unit, Vec<Diagnostic>> {
    match mains.len() {
        0 => Err(error(format!("no unit of the project defines `{entry}`"))),
        1 => Ok(mains.remove(0)),
        _ => {
            let name = |unit: &Unit| match &unit.target {
                Some(target) => format!("{} (target {target})", unit.file.display()),
                None => unit.file.display().to_string(),
            };
            let names: Vec<String> = mains.iter().map(name).collect();
            let mut errors = error(format!("several units define `{entry}`: {}", names.join(", ")));
            errors[0].help = Some("choose a program with --main FILE or --target NAME".to_owned());
            Err(errors)
        }
    }
}

/// Each unit once; a file that is compiled in two ways for one program has two meanings.
fn once(units: Vec<Unit>) -> Result<Vec<Unit>, Vec<Diagnostic>> {
    let mut known: BTreeMap<PathBuf, Unit> = BTreeMap::new();
    let mut chosen = Vec::new();
    for unit in units {
        match known.get(&unit.file) {
            None => {
                known.insert(unit.file.clone(), unit.clone());
                chosen.push(unit);
            }
            Some(other) if other.flags == unit.flags => {}
            Some(other) => {
                let file = unit.file.display();
                let mut errors = error(format!(
                    "`{file}` is compiled in two ways: {} and {}",
                    other.flags.in_words(),
                    unit.flags.in_words()
                ));
                errors[0].help = Some("name the files, or choose a program with --target NAME".to_owned());
                return Err(errors);
            }
        }
    }
    Ok(chosen)
}

fn one_data_model(units: &[Unit]) -> Result<DataModelName, Vec<Diagnostic>> {
    match units.iter().find(|unit| !unit.flags.is_32_bit) {
        None => Ok(DataModelName::Ilp32),
        Some(other) => {
            Err(error(format!("`{}` is compiled without -m32, other units with it", other.file.display())))
        }
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

fn error(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::about_file(Level::Error, "", message)]
}
