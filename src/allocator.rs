//! The memory of one request.
//!
//! Kubewarden gives each request an instance of its own, and drops it with all its memory. So nothing has to be found again
//! once it is freed: memory is handed out front to back, and only the piece handed out last is taken back or extended.
//!
//! A guest whose memory ends can only trap. What is read is limited for that reason, see `LARGEST_REQUEST` in `admission`.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::Cell;
use std::ptr::null_mut;

/// Bytes of a page of WebAssembly.
const PAGE: usize = 65_536;

/// How many pages the memory grows by at least.
const LEAST_PAGES: usize = 8;

/// Hands out memory front to back.
pub(crate) struct Bump {
    /// The first byte that was not handed out; 0 before anything was.
    next: Cell<usize>,
    /// The end of the memory that exists.
    end: Cell<usize>,
}

// SAFETY: the module has one thread: it is built without atomics, and Kubewarden calls an instance once at a time.
unsafe impl Sync for Bump {}

#[global_allocator]
static BUMP: Bump = Bump { next: Cell::new(0), end: Cell::new(0) };

unsafe extern "C" {
    /// The linker puts it behind stack and data. Its address counts, not its value.
    static __heap_base: u8;
}

impl Bump {
    /// Makes everything below `next` belong to what was handed out; false where memory does not reach so far.
    fn reach(&self, next: usize) -> bool {
        if next > self.end.get() {
            let end = memory_size::<0>() * PAGE;
            self.end.set(end);
            if next > end {
                let pages = (next - end).div_ceil(PAGE).max(LEAST_PAGES);
                if memory_grow::<0>(pages) == usize::MAX {
                    return false;
                }
                self.end.set(end + pages * PAGE);
            }
        }
        self.next.set(next);
        true
    }

    fn is_last(&self, piece: *mut u8, size: usize) -> bool {
        piece.addr() + size == self.next.get()
    }
}

// SAFETY: a piece begins at or behind the end of every piece that is in use, at a multiple of its alignment, and memory
// exists to its end. Only the last piece is taken back or changes its size in place.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut next = self.next.get();
        if next == 0 {
            next = (&raw const __heap_base).addr();
        }
        let begin = next.next_multiple_of(layout.align());
        match begin.checked_add(layout.size()) {
            Some(end) if self.reach(end) => begin as *mut u8,
            _ => null_mut(),
        }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if self.is_last(piece, layout.size()) {
            self.next.set(piece.addr());
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.is_last(piece, layout.size()) {
            let end = piece.addr().checked_add(size);
            return if end.is_some_and(|end| self.reach(end)) { piece } else { null_mut() };
        }
        if size <= layout.size() {
            return piece;
        }
        // SAFETY: the alignment is that of a layout, and the caller promises that the size does not overflow with it.
        let larger = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !larger.is_null() {
            // SAFETY: the new piece is larger, and pieces do not overlap.
            unsafe { piece.copy_to_nonoverlapping(larger, layout.size()) };
        }
        larger
    }
}
