"""The style of the help: groups without frames, each flag beside its value."""

from __future__ import annotations

from rich_click import rich_click as settings


def apply() -> None:
    """Set this look for all commands."""
    settings.THEME = "cyan1-slim"
    settings.OPTIONS_PANEL_TITLE = "Help"
    settings.STYLE_OPTIONS_PANEL_BOX = None
    settings.STYLE_COMMANDS_PANEL_BOX = None
    settings.MAX_WIDTH = 100
    settings.APPEND_METAVARS_HELP_STRING = "{}"
    settings.OPTIONS_TABLE_COLUMN_TYPES = ["opt_short", "opt_long_metavar", "help"]
