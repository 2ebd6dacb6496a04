//! The documents match the policy: examples are evaluated, commands and links exist, and the manifests of
//! deploy/ agree with the metadata and with one another.

#[path = "../shared/messages.rs"]
mod all_messages;
mod architecture;
mod blocks;
mod dashboard;
mod deploy;
#[path = "../shared/documents.rs"]
mod documents;
mod links;
mod manifests;
mod messages;
#[path = "../shared/policies.rs"]
mod policies;
mod release;
mod report;
