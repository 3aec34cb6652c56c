"""How the help looks: groups without frames, flags and their values on the left."""

from __future__ import annotations

from rich_click import rich_click as style

style.THEME = "cyan1-slim"
style.OPTIONS_PANEL_TITLE = "Other"
style.STYLE_OPTIONS_PANEL_BOX = None
style.MAX_WIDTH = 100
