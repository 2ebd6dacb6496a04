//! The memory of one request.
//!
//! Kubewarden creates a new instance for each request, and drops it with all its memory. So freed memory need not be
//! reused at first: it is allocated front to back, and only the last allocation is freed or extended. A host gives an
//! evaluation 256 MiB. After [`FRONT`] bytes, which few requests need, the allocator of the standard library takes over,
//! which reuses what is freed.
//!
//! A guest that runs out of memory can only trap. Input is limited for that reason, see `LARGEST_REQUEST` in
//! `admission`.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::Cell;

/// Bytes of a page of WebAssembly.
const PAGE: usize = 65_536;

/// The minimum number of pages by which the memory grows.
const LEAST_PAGES: usize = 8;

/// The bytes of memory that are allocated front to back.
const FRONT: usize = 64 << 20;

/// Allocates memory front to back.
pub(crate) struct Bump {
    /// The first byte that is not allocated; 0 before the first allocation.
    next: Cell<usize>,
    /// The end of the memory that is allocated front to back.
    end: Cell<usize>,
    /// Whether all further memory belongs to the allocator of the standard library.
    is_over: Cell<bool>,
}

// SAFETY: the module has one thread: it is built without atomics, and Kubewarden makes one call at a time to an
// instance.
unsafe impl Sync for Bump {}

#[global_allocator]
static BUMP: Bump = Bump { next: Cell::new(0), end: Cell::new(0), is_over: Cell::new(false) };

unsafe extern "C" {
    /// The linker places it after stack and data. Its address matters, not its value.
    static __heap_base: u8;
}

impl Bump {
    /// Marks everything below `next` as allocated; false if that is too much.
    fn reach(&self, next: usize) -> bool {
        let is_reached = next <= self.end.get() || self.grow(next);
        if is_reached {
            self.next.set(next);
        }
        is_reached
    }

    #[cold]
    #[inline(never)]
    fn grow(&self, next: usize) -> bool {
        if next > FRONT || self.is_over.get() {
            return false;
        }
        let end = memory_size::<0>() * PAGE;
        self.end.set(end);
        if next > end {
            let pages = (next - end).div_ceil(PAGE).max(LEAST_PAGES);
            if memory_grow::<0>(pages) == usize::MAX {
                return false;
            }
            self.end.set(end + pages * PAGE);
        }
        true
    }

    /// Allocates behind the front.
    #[cold]
    #[inline(never)]
    fn behind(&self, layout: Layout) -> *mut u8 {
        self.is_over.set(true);
        // SAFETY: only the allocator below asks, of whose caller the same is required.
        unsafe { System.alloc(layout) }
    }

    /// Frees what is behind the front.
    #[cold]
    #[inline(never)]
    fn free_behind(piece: *mut u8, layout: Layout) {
        // SAFETY: it is not from the front, so `System` allocated it.
        unsafe { System.dealloc(piece, layout) }
    }

    /// Resizes what is behind the front.
    #[cold]
    #[inline(never)]
    fn resized_behind(piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: it is not from the front, so `System` allocated it.
        unsafe { System.realloc(piece, layout, size) }
    }

    fn is_in_front(&self, piece: *mut u8) -> bool {
        piece.addr() < self.end.get()
    }

    fn is_last(&self, piece: *mut u8, size: usize) -> bool {
        piece.addr() + size == self.next.get()
    }
}

// SAFETY: an allocation in front begins at or after the end of every other one in use there, at a multiple of its
// alignment, and memory exists to its end. Only the last one is freed or resized in place. Once `System` was asked,
// which may grow the memory, the front grows no more, so that neither has memory of the other; what `System` allocated
// is behind the front, and goes back to it.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut next = self.next.get();
        if next == 0 {
            next = (&raw const __heap_base).addr();
        }
        let begin = next.next_multiple_of(layout.align());
        if begin.checked_add(layout.size()).is_some_and(|end| self.reach(end)) {
            return begin as *mut u8;
        }
        self.behind(layout)
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if self.is_last(piece, layout.size()) {
            self.next.set(piece.addr());
        } else if !self.is_in_front(piece) {
            Bump::free_behind(piece, layout);
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.is_in_front(piece) {
            return Bump::resized_behind(piece, layout, size);
        }
        let end = piece.addr().checked_add(size).filter(|_| self.is_last(piece, layout.size()));
        if end.is_some_and(|end| self.reach(end)) || size <= layout.size() {
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
