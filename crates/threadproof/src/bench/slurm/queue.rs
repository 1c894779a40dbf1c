//! The commands of Slurm: what they are asked, and what they answer. Accounting (`sacct`) is not needed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// The number of elements that an array may have if the cluster does not say.
const USUAL_MAX: usize = 1001;

/// How Slurm names the states in which an element ends.
const ENDED: [&str; 10] = [
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REVOKED",
    "TIMEOUT",
];

/// What Slurm knows about an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// As `squeue` names it.
    pub state: String,
    /// As `wait` encodes it.
    status: u32,
}

impl Element {
    /// Returns true if the element has not ended.
    pub fn is_live(&self) -> bool {
        !ENDED.contains(&self.state.as_str())
    }

    /// Returns true if the element was ended by something that another try may be spared. What was cancelled stays so, and what ended by
    /// itself would end in the same way again.
    pub fn was_killed(&self) -> bool {
        match self.state.as_str() {
            "BOOT_FAIL" | "NODE_FAIL" | "OUT_OF_MEMORY" | "PREEMPTED" | "TIMEOUT" => true,
            // Shells, and this program when it is asked to end, say so with a code above 128.
            "FAILED" => self.status & 0x7f != 0 || self.status >> 8 > 128,
            _ => false,
        }
    }

    /// Its end, for people.
    pub fn described(&self) -> String {
        let (state, signal, code) = (&self.state, self.status & 0x7f, self.status >> 8);
        match (signal, code) {
            (0, 0) => state.clone(),
            (0, code) => format!("{state}, exit code {code}"),
            (signal, _) => format!("{state}, signal {signal}"),
        }
    }
}

/// Hands a script to `sbatch`; the number of the array.
pub fn submit(options: &[OsString]) -> Result<String, String> {
    let text = run("sbatch", options)?;
    // With several clusters: `123;name`.
    let job = text.lines().next_back().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match job.bytes().all(|byte| byte.is_ascii_digit()) && !job.is_empty() {
        true => Ok(job.to_owned()),
        false => Err(format!("`sbatch` did not say the number of the job: {}", text.trim())),
    }
}

/// The number of elements that an array may have here.
pub fn max_elements() -> Result<usize, String> {
    let text = run("scontrol", &["show", "config"])?;
    let value = text.lines().find_map(|line| line.strip_prefix("MaxArraySize")?.split('=').nth(1));
    Ok(value.and_then(|value| value.trim().parse().ok()).filter(|n| *n > 0).unwrap_or(USUAL_MAX))
}

/// The elements of an array that Slurm still remembers: all that have not ended, and for some minutes the others.
pub fn elements(job: &str) -> Result<BTreeMap<usize, Element>, String> {
    if job.is_empty() {
        return Ok(BTreeMap::new());
    }
    let format = "ArrayTaskID:.20,State:.24,exit_code:.20";
    match run("squeue", &["--noheader", "--array", "--states=all", "--jobs", job, "--Format", format]) {
        Ok(text) => Ok(parse(&text)),
        Err(message) if message.contains("Invalid job id") => Ok(BTreeMap::new()),
        Err(message) => Err(message),
    }
}

fn parse(text: &str) -> BTreeMap<usize, Element> {
    let element = |line: &str| {
        let mut words = line.split_whitespace();
        let place = words.next()?.parse().ok()?;
        let state = words.next()?.to_owned();
        let status = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        Some((place, Element { state, status }))
    };
    text.lines().filter_map(element).collect()
}

/// Lets an element that has ended begin again.
pub fn requeue(job: &str, element: usize) -> Result<(), String> {
    run("scontrol", &["requeue".to_owned(), format!("{job}_{element}")]).map(drop)
}

fn run(program: &str, args: &[impl AsRef<OsStr>]) -> Result<String, String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| {
        format!(
            "cannot run `{program}`: {error}; --slurm needs the commands of Slurm (Debian's `slurm-client`)"
        )
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program}` failed: {}", said.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_understood() {
        let text = "  15   COMPLETED    0\n   9      FAILED  768\n  11      FAILED    9\n 7  PENDING  9\nN/A x y\n 3 NODE_FAIL 0\n 5 FAILED 33280\n 4 CANCELLED 15\n";
        let elements = parse(text);
        let of = |place: usize| &elements[&place];
        assert_eq!(elements.len(), 7);
        let told = |place| (of(place).is_live(), of(place).was_killed(), of(place).described());
        assert_eq!(told(15), (false, false, "COMPLETED".into()));
        assert_eq!(told(9), (false, false, "FAILED, exit code 3".into()));
        assert_eq!(told(11), (false, true, "FAILED, signal 9".into()));
        assert!(of(7).is_live());
        assert_eq!(told(5), (false, true, "FAILED, exit code 130".into()));
        assert_eq!(told(3), (false, true, "NODE_FAIL".into()));
        assert_eq!(told(4), (false, false, "CANCELLED, signal 15".into()));
    }
}
