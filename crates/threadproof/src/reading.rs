//! A program that is read once and asked about more than once: what an editor does with it.
//!
//! To read is to preprocess. Two readings with the same [`digest`](Reading::digest) are the same program with the same source lines in
//! its reports, so that an answer about one is an answer about the other, under the same options.

use crate::load::Source;
use crate::property::Asked;
use crate::several::Answers;
use crate::verify::Verifier;
use crate::witness::known;
use frontend::Texts;
use frontend::outline::DefinedFunction;
use program::Property;
use report::Diagnostic;
use report::witness::sha256;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The preprocessed texts of a program.
#[derive(Clone, Debug)]
pub struct Reading {
    files: Vec<PathBuf>,
    texts: Arc<Texts>,
}

impl Reading {
    /// The files that were read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The functions that the program's own files define.
    pub fn functions(&self) -> Vec<DefinedFunction> {
        self.texts.functions()
    }

    /// The hash of everything of which reports about the program are made: its texts, and the files that the texts come from.
    pub fn digest(&self) -> String {
        digest(&self.texts)
    }
}

/// The hash of texts and of the files that they come from, whose lines reports show.
pub(crate) fn digest(texts: &Texts) -> String {
    let mut hashes = String::new();
    let mut origins = BTreeSet::new();
    for (name, text) in texts.as_slice() {
        hashes += &format!("{name}\n{}\n", sha256::hex(text.as_bytes()));
        origins.insert(name.clone());
        origins.extend(marked_files(text).map(str::to_owned));
    }
    for name in origins {
        // What cannot be read is shown in no report.
        let bytes = std::fs::read(&name).unwrap_or_default();
        hashes += &format!("{name}\n{}\n", sha256::hex(&bytes));
    }
    sha256::hex(hashes.as_bytes())
}

/// The files that line markers name, those of the system's headers aside (their third flag).
fn marked_files(text: &str) -> impl Iterator<Item = &str> {
    let markers = text.lines().filter_map(|line| line.strip_prefix("# "));
    markers.filter_map(|marker| {
        let (name, flags) = marker.split_once('"')?.1.rsplit_once('"')?;
        let is_file = !name.starts_with('<') && !name.ends_with("//");
        (is_file && !flags.contains('3')).then_some(name)
    })
}

impl Verifier {
    /// Reads the files that make a program together; or says what is wrong with them or with the options.
    pub fn read(&self, files: &[impl AsRef<Path>]) -> Result<Reading, Vec<Diagnostic>> {
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_owned()).collect();
        let texts = OnceLock::new();
        Source::read(&files, &self.options().source, None, &texts)?;
        let texts = texts.into_inner().expect("a source should have texts");
        Ok(Reading { files, texts })
    }

    /// What is wrong or odd about a program, without deciding anything; an empty list means that there is a program to ask about.
    pub fn diagnose(&self, reading: &Reading) -> Vec<Diagnostic> {
        match Source::read(&reading.files, &self.options().source, None, &known_texts(reading)) {
            Ok(source) => source.load(Some(Property::NoDataRace)).diagnostics,
            Err(diagnostics) => diagnostics,
        }
    }

    /// Decides several properties of a program that was read; see [`verify_each`](Self::verify_each).
    pub fn verify_reading(&self, reading: &Reading, asked: Vec<Asked>) -> Answers {
        self.verify_each_of(&reading.files, known_texts(reading), asked)
    }
}

fn known_texts(reading: &Reading) -> Arc<OnceLock<Arc<Texts>>> {
    known(Texts::clone(&reading.texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_files() {
        let text =
            "# 1 \"a.c\"\n# 1 \"<built-in>\"\n# 1 \"/usr/include/stdio.h\" 1 3 4\n# 2 \"b.h\" 1\nint x;\n";
        assert_eq!(marked_files(text).collect::<Vec<_>>(), ["a.c", "b.h"]);
    }
}
