//! Headers, refusals and columns as the Python classes that `records` declares.

use moldau_records::columns::{Binary, Columns};
use moldau_records::fault::Fault;
use moldau_records::header::Header;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyTuple, PyType};

use crate::buffers::owned_view;

/// How far one batch may unfold when a reader does not say otherwise.
pub const MAX_DECOMPRESSED_BYTES: usize = 256 * 1024 * 1024;

static BATCH_HEADER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INVALID_BATCH: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static COLUMNS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static BINARY_COLUMN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static HEADER_COLUMN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static TUPLE_NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A `BatchHeader`.
pub fn header<'py>(py: Python<'py>, header: &Header) -> PyResult<Bound<'py, PyAny>> {
    let class = BATCH_HEADER.import(py, "moldau.records.headers", "BatchHeader")?;
    let number = |value: i64| PyInt::new(py, value);
    let fields = [
        number(header.base_offset),
        number(i64::from(header.batch_length)),
        number(i64::from(header.leader_epoch)),
        number(i64::from(header.magic)),
        number(i64::from(header.crc)),
        number(i64::from(header.attributes)),
        number(i64::from(header.last_offset_delta)),
        number(header.base_timestamp),
        number(header.max_timestamp),
        number(header.producer_id),
        number(i64::from(header.producer_epoch)),
        number(i64::from(header.base_sequence)),
        number(i64::from(header.record_count)),
    ];
    named(py, class, &PyTuple::new(py, fields)?)
}

/// An `InvalidBatch`, to be raised.
pub fn refusal(py: Python<'_>, fault: &Fault) -> PyErr {
    let made = INVALID_BATCH
        .import(py, "moldau.records.errors", "InvalidBatch")
        .and_then(|class| class.call1((fault.code as i16, fault.message.as_str(), fault.records.clone())));
    match made {
        Ok(refusal) => PyErr::from_value(refusal),
        Err(error) => error,
    }
}

/// A `Columns`.
pub fn columns(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyAny>> {
    let class = COLUMNS.import(py, "moldau.records.columns", "Columns")?;
    let header_class = HEADER_COLUMN.import(py, "moldau.records.columns", "HeaderColumn")?;
    let headers = header_class.call1((
        owned_view(py, columns.header_offsets)?,
        binary(py, columns.header_keys)?,
        binary(py, columns.header_values)?,
    ))?;
    class.call1((
        columns.rows,
        owned_view(py, columns.offsets)?,
        owned_view(py, columns.timestamps)?,
        binary(py, columns.keys)?,
        binary(py, columns.values)?,
        headers,
    ))
}

fn binary(py: Python<'_>, binary: Binary) -> PyResult<Bound<'_, PyAny>> {
    let class = BINARY_COLUMN.import(py, "moldau.records.columns", "BinaryColumn")?;
    let validity = binary.validity.map(|bits| owned_view(py, bits)).transpose()?;
    class.call1((binary.null_count, validity, owned_view(py, binary.offsets)?, owned_view(py, binary.data)?))
}

/// A named tuple from a plain one, past its `__new__`, which is Python and takes longer than all the rest.
fn named<'py>(
    py: Python<'py>,
    class: &Bound<'py, PyType>,
    fields: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let new = TUPLE_NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
    new.bind(py).call1((class, fields))
}
