//! Progress on standard error, if the program takes longer than a second and standard error is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing is printed before.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval between two lines.
const TICK: Duration = Duration::from_millis(250);

static PROGRESS: Mutex<Progress> = Mutex::new(Progress { words: String::new(), is_shown: false, is_over: false });

/// One line, which is overwritten again and again.
#[derive(Debug)]
struct Progress {
    words: String,
    is_shown: bool,
    is_over: bool,
}

/// Starts the clock.
pub(crate) fn watch() {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let begin = Instant::now();
    // The thread ends with the process.
    let _ = thread::Builder::new().spawn(move || {
        loop {
            thread::sleep(TICK);
            let mut progress = progress();
            if progress.is_over {
                return;
            }
            // A failure to print progress is not reported.
            let _ = progress.show(begin.elapsed(), &mut std::io::stderr());
        }
    });
}

/// Sets the current activity, such as `reading files`.
pub(crate) fn step(words: impl Into<String>) {
    progress().words = words.into();
}

/// Clears the line before other output.
pub(crate) fn end() {
    let _ = progress().end(&mut std::io::stderr());
}

fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    fn show(&mut self, elapsed: Duration, out: &mut impl Write) -> std::io::Result<()> {
        if self.words.is_empty() || elapsed < PATIENCE {
            return Ok(());
        }
        self.is_shown = true;
        write!(out, "\r\x1b[K{} … {} s", self.words, elapsed.as_secs())?;
        out.flush()
    }

    fn end(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        self.is_over = true;
        if !std::mem::take(&mut self.is_shown) {
            return Ok(());
        }
        write!(out, "\r\x1b[K")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(elapsed: &[u64], words: &str) -> String {
        let mut progress = Progress { words: words.to_owned(), is_shown: false, is_over: false };
        let mut out = Vec::new();
        for millis in elapsed {
            progress.show(Duration::from_millis(*millis), &mut out).unwrap();
        }
        progress.end(&mut out).unwrap();
        assert!(progress.is_over && !progress.is_shown);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_takes_less_than_a_second_says_nothing() {
        assert_eq!(written(&[250, 999], "reading files"), "");
        assert_eq!(written(&[2000], ""), "");
    }

    #[test]
    fn what_takes_longer_is_one_line_that_goes_away() {
        let expected = "\r\u{1b}[Kreading files … 1 s\r\u{1b}[Kreading files … 2 s\r\u{1b}[K";
        assert_eq!(written(&[999, 1250, 2000], "reading files"), expected);
    }
}
