"""The native core is built where cargo is installed, and left out where it is not: then its twins in Python serve.

A build that fails stops the installation, with cargo's own words. Everything else is said in pyproject.toml.
`python setup.py build_rust --inplace --release` puts the module beside the sources.
"""

import shutil
import sys

from setuptools import setup
from setuptools_rust import Binding, RustExtension

CORE = RustExtension(
    "moldau._core",
    path="rust/moldau-core/Cargo.toml",
    binding=Binding.PyO3,
    py_limited_api=True,
    args=["--locked"],
    debug=False,
    quiet=True,
)

cargo = shutil.which("cargo")
if cargo is None:
    print("cargo is not on PATH: installing moldau without its native core", file=sys.stderr)

setup(rust_extensions=[CORE] if cargo else [])
