//! Ctrl-C.

use std::thread;

use tokio::runtime::Builder;

use crate::failure::LiveFailure;

/// The exit code of a program that Ctrl-C ends, by the convention of shells: 128 and the number of SIGINT.
const INTERRUPTED: i32 = 130;

/// Ends the process with exit code 130 on Ctrl-C, after `tidy` has run.
///
/// # Errors
/// When the operating system cannot start another thread.
pub fn on_interrupt(tidy: impl FnOnce() + Send + 'static) -> Result<(), LiveFailure> {
    let failed = |error: std::io::Error| LiveFailure(format!("cannot wait for Ctrl-C: {error}"));
    let runtime = Builder::new_current_thread().enable_io().build().map_err(failed)?;
    // The signal is caught from here on, and not only once the thread runs.
    let signal = {
        let _guard = runtime.enter();
        listen().map_err(failed)?
    };
    thread::Builder::new()
        .spawn(move || {
            runtime.block_on(signal);
            tidy();
            std::process::exit(INTERRUPTED);
        })
        .map_err(failed)?;
    Ok(())
}

#[cfg(unix)]
fn listen() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    Ok(async move {
        signal.recv().await;
    })
}

#[cfg(windows)]
fn listen() -> std::io::Result<impl Future<Output = ()> + Send> {
    let mut signal = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        signal.recv().await;
    })
}
