"""HTML of a Result for notebooks: a line of scores, and below it the report's page."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import Result


def render(result: Result) -> str:
    """HTML of a result. The page is in a frame of its own, isolated from the notebook; where a notebook shows no frames,
    the line remains."""
    count = len(result.videos)
    which = f"video {result._video + 1} of {count}: " if count > 1 else ""
    page = html.escape(result._core.report(True).decode("utf-8", "replace"))
    return (f"<p>{html.escape(which + repr(result).strip('<>'))}</p>"
            '<iframe title="Report of the scores" sandbox="allow-scripts" '
            'style="width:100%;height:36em;border:1px solid #8888;resize:vertical" '
            f'srcdoc="{page}"></iframe>')
