//! Python's buffers as slices, and bytes of ours as a Python buffer.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// Work on more bytes than this releases the GIL.
const LARGE_BYTES: usize = 64 * 1024;

/// Run `work`, without the GIL if it is about many bytes.
pub fn without_gil<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > LARGE_BYTES { py.detach(work) } else { work() }
}

/// Any contiguous buffer of bytes, held for as long as this lives.
pub enum Input<'py> {
    Bytes(Bound<'py, PyBytes>),
    Buffer(PyBuffer<u8>),
}

impl<'py> Input<'py> {
    #[inline]
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.clone()));
        }
        let buffer = PyBuffer::<u8>::get(object)?;
        if buffer.is_c_contiguous() {
            return Ok(Input::Buffer(buffer));
        }
        Err(PyBufferError::new_err("the buffer must be contiguous"))
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes.as_bytes(),
            Input::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: the buffer is contiguous, not empty, and exported to us until `self` is dropped, so the memory
            // stays. Python code that writes to it during the call would race with us, as it would with any reader
            // of a buffer (hashlib, zlib, sockets); whoever hands a buffer in leaves it alone until the call returns.
            Input::Buffer(buffer) => unsafe {
                std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes())
            },
        }
    }

    pub fn writable(&self) -> bool {
        matches!(self, Input::Buffer(buffer) if !buffer.readonly())
    }

    pub fn bytes_mut(&mut self) -> PyResult<&mut [u8]> {
        match self {
            Input::Buffer(buffer) if !buffer.readonly() => {
                if buffer.len_bytes() == 0 {
                    return Ok(&mut []);
                }
                // SAFETY: as in `bytes`, and the exporter says that it may be written to; `self` is borrowed mutably,
                // so no slice of it is alive.
                Ok(unsafe { std::slice::from_raw_parts_mut(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) })
            }
            _ => Err(PyTypeError::new_err("the buffer must be writable")),
        }
    }
}

/// Bytes of ours that Python reads in place.
#[pyclass(frozen)]
struct OwnedBytes(Vec<u8>);

#[pymethods]
impl OwnedBytes {
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let data = &slf.get().0;
        // SAFETY: the view is Python's to fill; it takes a reference to this object, which is frozen and owns the
        // bytes, so they neither move nor change while the view lives. A writable view is refused by the callee, and it
        // allocates nothing that would have to be released.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(
                view,
                slf.as_ptr(),
                data.as_ptr().cast::<c_void>().cast_mut(),
                data.len() as ffi::Py_ssize_t,
                1,
                flags,
            )
        };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// A read-only memoryview that owns `data`.
pub fn owned_view(py: Python<'_>, data: Vec<u8>) -> PyResult<Bound<'_, PyMemoryView>> {
    PyMemoryView::from(Bound::new(py, OwnedBytes(data))?.as_any())
}
