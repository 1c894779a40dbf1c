//! Times (`500ms`, `60s`, `2m`) and sizes (`512MB`, `4GiB`).

use std::fmt;
use std::time::Duration;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.0)
    }
}

const TIME_UNITS: [(&str, f64); 5] = [("ms", 1e-3), ("s", 1.0), ("", 1.0), ("m", 60.0), ("h", 3600.0)];

const SIZE_UNITS: [(&str, f64); 9] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1024.0 * 1024.0),
    ("GiB", 1024.0 * 1024.0 * 1024.0),
    ("TiB", 1024.0 * 1024.0 * 1024.0 * 1024.0),
];

/// A time of at least one millisecond; a number without a unit means seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let seconds = quantity(text, &TIME_UNITS).ok_or("a time is a number and ms, s, m or h, such as 60s")?;
    if seconds < 1e-3 {
        return Err("the time should be at least 1ms".into());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "the time is too long".into())
}

/// A size of at least one byte; the unit is required, because `--memory-limit 4` is surely no wish for four bytes.
pub fn bytes(text: &str) -> Result<Bytes, String> {
    let size = quantity(text, &SIZE_UNITS)
        .ok_or("a size is a number and B, kB, MB, GB, KiB, MiB or GiB, such as 4GiB")?;
    if size < 1.0 || size >= u64::MAX as f64 {
        return Err("the size is out of range".into());
    }
    Ok(Bytes(whole(size)))
}

/// A number that is positive and fits 64 bits, without its fraction.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the fraction is what `as` drops
fn whole(number: f64) -> u64 {
    number as u64
}

/// A time in the form that [`duration`] reads.
pub fn show_duration(time: Duration) -> String {
    format!("{}ms", time.as_millis())
}

fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = text[end..].trim();
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, milliseconds) in [
            ("60s", 60_000),
            ("500ms", 500),
            ("2m", 120_000),
            ("1.5h", 5_400_000),
            ("7", 7000),
            (" 1 s ", 1000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "0s", "1.2.3s", "1 fortnight", "99999999999999999999999h", "1e3s", "inf"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(duration(&show_duration(Duration::from_secs(30))), Ok(Duration::from_secs(30)));
    }

    #[test]
    fn sizes() {
        for (text, size) in [("4GiB", 4 << 30), ("512MB", 512_000_000), ("1.5kib", 1536), ("100B", 100)] {
            assert_eq!(bytes(text), Ok(Bytes(size)), "{text}");
        }
        for text in ["", "4", "GiB", "0MB", "-1MB", "1XB", "99999999999999TiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!(bytes(&Bytes(4 << 30).to_string()), Ok(Bytes(4 << 30)));
    }
}
