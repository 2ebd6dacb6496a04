//! kwctl
