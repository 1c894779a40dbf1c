//! Where the phases of a verification are shown: `-v`, `-vv` and `--trace-log FILE`.
//!
//! The library and the engines emit spans and events of `tracing`; they cost next to nothing when they are shown nowhere.

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts to show phases; fails if the file cannot be written.
pub fn start(verbose: u8, file: Option<&Path>) -> Result<(), String> {
    let mut layers: Vec<BoxedLayer> = Vec::new();
    if verbose > 0 {
        layers.push(on_stderr(if verbose == 1 { LevelFilter::INFO } else { LevelFilter::DEBUG }));
    }
    if let Some(path) = file {
        let file =
            File::create(path).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        layers.push(in_file(file));
    }
    if !layers.is_empty() {
        tracing_subscriber::registry().with(layers).init();
    }
    Ok(())
}

fn on_stderr(level: LevelFilter) -> BoxedLayer {
    let layer = tracing_subscriber::fmt::layer().with_target(false).with_ansi(false).with_timer(uptime());
    layer.with_writer(std::io::stderr).with_span_events(FmtSpan::CLOSE).with_filter(level).boxed()
}

fn in_file(file: File) -> BoxedLayer {
    let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    layer.with_span_events(FmtSpan::NEW | FmtSpan::CLOSE).with_filter(LevelFilter::TRACE).boxed()
}
