//! All integration tests of the crate, one module per guarantee. One program compiles faster than
//! many.

mod asset_generator;
mod by_hand;
mod clashes;
mod common;
mod compressed;
mod fuzz_smoke;
mod gromacs_files;
mod hostile;
mod hostile_mesh_files;
mod load;
mod mesh_files;
mod mesh_round_trips;
mod molecules;
mod obj_parts;
mod reduced_positions;
mod round_trip;
mod rules;
mod samples;
mod scene_bodies;
mod sequences;
mod skinned_bodies;
mod strays;
mod structure_clashes;
mod validator;
mod written;
