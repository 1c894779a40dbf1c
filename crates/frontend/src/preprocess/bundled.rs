//! threadproof's own headers, for as long as the compiler needs them as files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const STDATOMIC: &str = include_str!("../../include/stdatomic.h");

/// A private temporary directory with the bundled headers, removed when dropped. In `compat` below it is what 64-bit
/// glibc headers want to include in 32-bit mode.
pub(super) struct BundledHeaders {
    directory: PathBuf,
}

impl BundledHeaders {
    pub(super) fn create() -> io::Result<Self> {
        let headers = Self { directory: create_private_directory()? };
        fs::write(headers.directory.join("stdatomic.h"), STDATOMIC)?;
        let gnu = headers.directory.join("compat/gnu");
        fs::create_dir_all(&gnu)?;
        fs::write(gnu.join("stubs-32.h"), "")?;
        Ok(headers)
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Gives the headers a name in line markers that is the same in every run.
    pub(super) fn rename_in(&self, text: String) -> String {
        let quoted = format!("\"{}/", self.directory.display());
        if text.contains(&quoted) { text.replace(&quoted, "\"<threadproof>/") } else { text }
    }
}

impl Drop for BundledHeaders {
    fn drop(&mut self) {
        // Nothing depends on it: a left-over directory is only untidy.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Makes a new directory that only this user can read; the name of an existing one is never taken.
fn create_private_directory() -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("threadproof-{}-{count}", std::process::id()));
        match builder.create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && count < 10_000 => {}
            Err(error) => return Err(error),
        }
    }
}
