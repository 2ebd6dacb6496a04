//! Pages of the documentation's site that nobody edits: long tables, made from the engine's tables and the corpus.

mod carriers;
mod effects;
mod sources;
mod statements;

pub use carriers::carriers;
pub use effects::effects;
pub use sources::sources;
