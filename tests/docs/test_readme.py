"""What the README shows runs."""

import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_python_of_the_readme_runs() -> None:
    """Its own assertions hold."""
    snippets = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(snippets) == 1
    exec(compile(snippets[0], "README.md", "exec"), {})
