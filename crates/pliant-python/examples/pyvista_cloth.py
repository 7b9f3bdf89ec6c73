"""A cloth of PyVista falls over a ball: where do they touch, frame by frame?

Needs `pip install pliant pyvista`. With an argument, a picture of the last frame is written to that file.
"""

import sys

import numpy as np
import pliant
import pyvista

cloth = pyvista.Plane(i_size=3, j_size=3, i_resolution=40, j_resolution=40).triangulate()
ball = pyvista.Sphere(radius=0.6, theta_resolution=40, phi_resolution=40)
body, obstacle = pliant.Body.free(cloth), pliant.Body.rigid(ball)
rest = np.asarray(cloth.points, dtype=np.float64)

for height in np.linspace(1.0, 0.4, 7):
    # The middle stays above the ball while the rim hangs down.
    radius = np.linalg.norm(rest[:, :2], axis=1)
    fallen = rest.copy()
    fallen[:, 2] = height - 0.25 * radius**2
    body.set_positions(fallen)
    hit, near = body.intersections(obstacle), body.within(obstacle, 0.02)
    print(f"height {height:.2f}: {len(hit):4} pairs touch, {len(near):4} within 2 cm")

cloth.points = fallen
cloth.cell_data["touching"] = np.isin(np.arange(cloth.n_cells), hit.pairs[:, 0])
assert cloth.cell_data["touching"].any()
if len(sys.argv) > 1:
    plot = pyvista.Plotter(off_screen=True)
    plot.add_mesh(cloth, scalars="touching", cmap=["lightgray", "crimson"])
    plot.add_mesh(ball, color="steelblue")
    plot.screenshot(sys.argv[1])
