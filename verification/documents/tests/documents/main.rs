//! The documents match the policy: examples are evaluated, commands and links exist, and the manifests of
//! deploy/ agree with the metadata and with one another.

mod architecture;
mod blocks;
mod dashboard;
mod deploy;
mod links;
mod manifests;
mod messages;
mod release;
mod report;
