"""Says on which ground the runner is tested."""

from ground import grounds


def pytest_report_header():
    return f"media of known speed: {', '.join(grounds())}"
