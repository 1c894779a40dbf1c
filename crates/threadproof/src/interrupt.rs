//! Ctrl-C: the first one asks the work to end and say what it knows, the second one leaves at once.
//!
//! Who interrupts a whole process group, as `timeout -s INT` does, reaches us twice within moments: that is one interrupt.

use crate::output::{self, Exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Interrupts that are closer than this are one.
const ONE: Duration = Duration::from_millis(300);

/// Sets `flag` at the first interrupt.
pub fn on_interrupt(flag: Arc<AtomicBool>) {
    let mut first: Option<Instant> = None;
    let installed = ctrlc::set_handler(move || match first {
        None => {
            first = Some(Instant::now());
            flag.store(true, Ordering::Relaxed);
        }
        Some(first) if first.elapsed() < ONE => {}
        Some(_) => output::leave(Exit::Interrupted),
    });
    if let Err(error) = installed {
        output::err(&format!("warning: Ctrl-C will not be handled: {error}\n"));
    }
}
