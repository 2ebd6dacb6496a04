//! The memory of one request.
//!
//! Kubewarden creates a new instance for each request, and drops it with all its memory. So freed memory need not be
//! reused: memory is allocated front to back, and only the last allocation is freed or extended.
//!
//! A guest that runs out of memory can only trap. Input is limited for that reason, see `LARGEST_REQUEST` in
//! `admission`.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::Cell;
use std::ptr::null_mut;

/// Bytes of a page of WebAssembly.
const PAGE: usize = 65_536;

/// The minimum number of pages by which the memory grows.
const LEAST_PAGES: usize = 8;

/// Allocates memory front to back.
pub(crate) struct Bump {
    /// The first byte that is not allocated; 0 before the first allocation.
    next: Cell<usize>,
    /// The end of the existing memory.
    end: Cell<usize>,
}

// SAFETY: the module has one thread: it is built without atomics, and Kubewarden makes one call at a time to an
// instance.
unsafe impl Sync for Bump {}

#[global_allocator]
static BUMP: Bump = Bump { next: Cell::new(0), end: Cell::new(0) };

unsafe extern "C" {
    /// The linker places it after stack and data. Its address matters, not its value.
    static __heap_base: u8;
}

impl Bump {
    /// Marks everything below `next` as allocated; false if memory cannot grow that far.
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

// SAFETY: an allocation begins at or after the end of every allocation in use, at a multiple of its alignment, and
// memory exists to its end. Only the last allocation is freed or resized in place.
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
        // SAFETY: the alignment comes from a layout, and the caller guarantees that the size, rounded up to it, does
        // not overflow.
        let larger = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !larger.is_null() {
            // SAFETY: the new allocation is larger, and allocations do not overlap.
            unsafe { piece.copy_to_nonoverlapping(larger, layout.size()) };
        }
        larger
    }
}
