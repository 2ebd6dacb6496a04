//! Files that are generated from code and from one another: pages of docs/, the schema of the settings, the entry of
//! the catalog, fixtures for kwctl. `BLESS=1` writes them; without it a file that differs fails.

mod answers;
mod catalog;
mod chart;
mod delivery;
mod fixtures;
mod messages;
mod requests;
mod settings;
