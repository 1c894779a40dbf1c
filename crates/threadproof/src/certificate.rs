//! Proof files: the evidence of an answer, written down so that another process can check it again.
//!
//! A certificate is JSON: the trace that violates a property, or its proof and the proofs of what the answer takes for granted (that nothing is undefined; for
//! `undefined-behaviour`, that there is no data race). Checking one means to read the C program again, to make the same versions of it, and to hand
//! all of that to `certify`: no engine runs. A certificate says nothing by itself. What it proves, it proves of the program that it is
//! checked with. It has a fingerprint of the program that it was made for, so that another one is refused in plain words.

use crate::certified::certified;
use crate::verify::Query;
use base::{Budget, Inconclusive};
use engines::Task;
use evidence::{Outcome, Proof};
use program::{MemoryModel, Program, Property};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// The first version of the format.
const FORMAT: &str = "threadproof-certificate/1";

/// Which version of the program the evidence is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Version {
    /// The program itself.
    Program,
    /// The one in which an execution ends where signed arithmetic overflows.
    OverflowEnds,
    /// The one on a sequentially consistent machine.
    Sequential,
}

/// The evidence of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    format: String,
    /// The version of threadproof that wrote it.
    threadproof: String,
    property: Property,
    memory_model: MemoryModel,
    /// Of the program's text, without positions in files.
    fingerprint: String,
    /// Whether undefined behaviour was assumed away.
    assumes_defined: bool,
    version: Version,
    evidence: Outcome,
    /// Proofs of what the answer takes for granted.
    discharged: Vec<(Property, Proof)>,
}

impl Certificate {
    /// The certificate of an answer; `None` if there is no answer.
    pub(crate) fn of(
        (property, assumes_defined): (Property, bool),
        program: &Program,
        version: Version,
        evidence: &Outcome,
        discharged: Vec<(Property, Proof)>,
    ) -> Option<Self> {
        let is_answer = !matches!(evidence, Outcome::Unknown(_));
        is_answer.then(|| Self {
            format: FORMAT.to_owned(),
            threadproof: env!("CARGO_PKG_VERSION").to_owned(),
            property,
            memory_model: program.memory_model,
            fingerprint: fingerprint(program),
            assumes_defined,
            version,
            evidence: evidence.clone(),
            discharged,
        })
    }

    /// What was asked.
    pub fn property(&self) -> Property {
        self.property
    }

    /// The machine that the program runs on.
    pub fn memory_model(&self) -> MemoryModel {
        self.memory_model
    }

    /// Returns true if the answer takes for granted that nothing is undefined.
    pub fn assumes_defined(&self) -> bool {
        self.assumes_defined
    }

    /// Reads a file; an error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let read: Self = serde_json::from_reader(BufReader::new(file))
            .map_err(|error| format!("it is no certificate of this version of threadproof ({error})"))?;
        if read.format != FORMAT {
            return Err(format!("its format is `{}`, not `{FORMAT}`", read.format));
        }
        Ok(read)
    }

    /// Writes a file.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        serde_json::to_writer(&mut file, self)?;
        file.flush()
    }

    /// Checks the evidence again, and that nothing is missing: the same obligations as those of `Query::decide`.
    pub(crate) fn recheck<'p>(
        &self,
        query: &Query,
        task: &Task<'p>,
        sequential: Option<&'p Program>,
    ) -> (Outcome, &'p Program) {
        let checked = self.version_of(task, sequential).and_then(|program| {
            self.check(query, task.program(), program, &task.budget)?;
            Ok((self.evidence.clone(), program))
        });
        checked.unwrap_or_else(|why| (Outcome::Unknown(why), task.program()))
    }

    fn version_of<'p>(
        &self,
        task: &Task<'p>,
        sequential: Option<&'p Program>,
    ) -> Result<&'p Program, Inconclusive> {
        let missing = || refused("it is about a version of the program that there is not");
        match self.version {
            Version::Program => Ok(task.program()),
            Version::OverflowEnds => task.checked.as_ref().map(|version| version.program).ok_or_else(missing),
            // A proof under sequential consistency says nothing about a weak machine.
            Version::Sequential if matches!(self.evidence, Outcome::Safe(_)) => Err(missing()),
            Version::Sequential => sequential.ok_or_else(missing),
        }
    }

    fn check(
        &self,
        query: &Query,
        whole: &Program,
        program: &Program,
        budget: &Budget,
    ) -> Result<(), Inconclusive> {
        if self.property != query.property || self.memory_model != whole.memory_model {
            let what = format!("it is about {} under {}", self.property, self.memory_model);
            return Err(refused(&what));
        }
        if self.fingerprint != fingerprint(program) {
            return Err(refused(
                "it is about another program, or about one that was read with other options",
            ));
        }
        certified(program, self.property, &self.evidence, budget)?;
        let Outcome::Safe(proof) = &self.evidence else { return Ok(()) };
        let Some(needed) = query.left_to_prove(proof, whole) else { return Ok(()) };
        let found = self.discharged.iter().find(|(property, _)| *property == needed);
        let (_, proof) = found.ok_or_else(|| refused(&format!("a proof of {needed} is missing")))?;
        certify::check_proof(whole, needed, proof, budget)
    }
}

/// FNV-1a, which is the same everywhere.
fn fingerprint(program: &Program) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let text = program::text::print(program);
    for line in text.lines().filter(|line| !line.starts_with("file ")) {
        let without_position = line.rsplit_once(" @").map_or(line, |(before, _)| before.trim_end());
        for byte in without_position.bytes().chain([b'\n']) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn refused(why: &str) -> Inconclusive {
    Inconclusive::CheckFailed(format!("the certificate is refused: {why}"))
}
