//! Python bindings of pliant: the extension module `pliant._pliant`.
//!
//! Arrays go in and come out as NumPy arrays. Queries run without the interpreter's lock on a
//! snapshot of the bodies, so that other Python threads go on and may even move the bodies. The
//! package around it, in Python, is in `python/pliant/`.

mod arrays;
mod body;
mod error;
mod interrupt;
mod kinds;
mod mesh;
mod modes;
mod molecule;
mod necklace;
mod pickle;
mod points;
mod power;
mod queries;
mod restore;
mod results;
mod scene;
mod scene_frames;
mod simulation;
mod sweep;
mod world;
mod world_results;

use pyo3::prelude::*;

#[pymodule]
fn _pliant(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::PliantError>())?;
    module.add_class::<body::Body>()?;
    module.add_class::<world::World>()?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<scene_frames::Frame>()?;
    module.add_class::<scene_frames::FrameContact>()?;
    module.add_class::<scene_frames::Frames>()?;
    module.add_class::<necklace::Necklace>()?;
    module.add_class::<power::PowerDiagram>()?;
    module.add_class::<molecule::ClashSearch>()?;
    module.add_class::<sweep::Impacts>()?;
    module.add_class::<sweep::Swept>()?;
    module.add_class::<simulation::Simulation>()?;
    results::add_to(module)?;
    world_results::add_to(module)?;
    module.add_function(wrap_pyfunction!(queries::distance, module)?)?;
    module.add_function(wrap_pyfunction!(queries::first_contact, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::self_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(scene::load, module)?)?;
    module.add_function(wrap_pyfunction!(restore::restore_result, module)?)?;
    module.add_function(wrap_pyfunction!(interrupt::after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(modes::vibration, module)?)?;
    module.add_function(wrap_pyfunction!(modes::principal_components, module)?)?;
    Ok(())
}

/// Runs the program `pliant` with its arguments, of which the first is its name. Returns the exit
/// code. It prints where the process prints, and ends the process where the program would: for
/// `python -m pliant`.
#[pyfunction]
fn run_program(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    interrupt::detached(py, || pliant_cli::run(arguments))
}
