//! Running the binary under test.

use std::process::{Command, Output};

/// The binary, with surroundings that do not depend on who runs the test.
pub fn threadproof() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadproof"));
    command.env_remove("COLUMNS").env_remove("RUST_BACKTRACE").env("NO_COLOR", "1");
    command
}

/// The last line on stdout.
#[allow(dead_code, reason = "not every test file looks at it")]
pub fn last_line(output: &Output) -> String {
    stdout(output).lines().next_back().unwrap_or_default().to_owned()
}

/// All of stdout.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// All of stderr.
#[allow(dead_code, reason = "not every test file looks at it")]
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
