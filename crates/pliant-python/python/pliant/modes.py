"""Reduced models: few displacement fields that reproduce a motion.

>>> import numpy as np, pliant
>>> x = np.linspace(0, 1, 20)
>>> frames = [np.stack([x, np.sin(t) * x * x, 0 * x], axis=1) for t in range(12)]
>>> model = pliant.modes.principal_components(np.array(frames), rank=4)
>>> model["modes"].shape
(1, 20, 3)
"""

from ._pliant import principal_components, vibration

__all__ = ["principal_components", "vibration"]
