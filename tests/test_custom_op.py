"""The page about ops from outside runs, in a process of its own: it adds to the registry."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "custom-op.md"

MORE = """
# fused with its neighbours: one kernel, the same bits as NumPy's, on both devices
data = np.linspace(-3, 3, 1001).astype(np.float32)
wanted = np.copysign(np.maximum(np.abs(data) - np.float32(0.5), 0), data)
for device in ("cpu", "flex"):
    t = pr.asarray(data, device=device)
    assert (shrink(t, 0.5).numpy() == wanted).all()
t = pr.asarray(data)
text = str(pr.explain(shrink(t * 2, 0.5) + 1))
assert "soft_threshold" in text, text
second = pr.grad(lambda v: pr.grad(lambda w: (shrink(w, 0.5) ** 3).sum())(v).sum())(pr.asarray([2.0]))
assert second.to_list() == [9.0], second
try:
    shrink(pr.asarray([1]), 0.5)
    raise SystemExit("no error for ints")
except TypeError:
    pass
assert order_statistics(t.flip([0])).to_list() == data.tolist()
"""


def test_page() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 3
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([*blocks, MORE])], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
