"""`make` keeps an environment that works until a new one is whole; a false uv installs nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Of what this uv makes, `sdanalysis` says what it was called with. FAIL and KILL name the call, by
# a word of it, that fails or that kills the set-up.
FALSE_UV = f"""#!/bin/sh
echo "$*" >>calls
for place; do :; done
case "$1 $*" in
venv*)
  mkdir -p "$place/bin"
  ln -s '{sys.executable}' "$place/bin/python"
  printf '#!/bin/sh\\nprintf "%%s|" "$@"\\n' >"$place/bin/sdanalysis"
  chmod +x "$place/bin/sdanalysis"
esac
case "$*" in
*"${{KILL:-nothing}}"*) kill -9 $PPID ;;
*"${{FAIL:-nothing}}"*) echo "found no index"; exit 1 ;;
esac
"""


FALSE_PYTHON = f"""#!/bin/sh
case "$1 $2" in
"-m venv") echo "$*" >>calls; mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
"-m pip") echo "$*" >>calls ;;
*) exec '{sys.executable}' "$@" ;;
esac
case "$*" in
*"${{FAIL:-nothing}}"*) echo "found no index"; exit 1 ;;
esac
"""
PYPROJECT = """
[project.optional-dependencies]
parquet = ["b>=1,<2"]
[dependency-groups]
fuzz = ["c>=1"]
"""


class Project:
    """A folder with the Makefile and what a set-up reads."""

    def __init__(self, folder):
        self.folder, self.venv = folder, folder / ".venv"
        for name in ("Makefile", "scripts/setup"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        (folder / "requirements.lock").write_text("a==1\n")
        (folder / "requirements-test.lock").write_text("d==1\n")
        (folder / "pyproject.toml").write_text(PYPROJECT)
        (folder / "uv").write_text(FALSE_UV)
        (folder / "uv").chmod(0o755)

    def run(self, *command, **environment):
        named = {"UV": str(self.folder / "uv"), "PYTHON": "", "VENV": "", **environment}
        named |= {"MAKEFLAGS": "", "MAKELEVEL": ""}  # of the make that runs these tests
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False,
            env=os.environ | named,
        )  # fmt: skip

    def setup(self, *arguments, **environment):
        return self.run("scripts/setup", *arguments, **environment)

    def relock(self):
        """Change the lock; return the environment that is there."""
        (self.folder / "requirements.lock").write_text("a==2\n")
        return self.venv.readlink()

    def calls(self):
        """What uv was called with since the last time, without the number of an environment."""
        calls = self.folder / "calls"
        text = calls.read_text() if calls.exists() else ""
        calls.unlink(missing_ok=True)
        return re.sub(r"\.venv-\d+", "NEW", text).splitlines()

    def environments(self):
        """Names of the environments: the link, and all that lie beside it."""
        return {path.name for path in self.folder.glob(".venv*")}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "somebody's checkout"
    folder.mkdir()
    return Project(folder)


INSTALL = "pip install --python {}/bin/python "
LOCKED = INSTALL + "--compile-bytecode --require-hashes --no-deps -r requirements.lock"
THIS = INSTALL + "--no-deps --no-build-isolation -e ."


def test_a_set_up_is_one_line_a_step_and_what_the_installer_prints_is_in_its_log(project):
    done = project.setup()
    assert (done.returncode, done.stderr) == (0, "")
    assert [line[:4] for line in done.stdout.splitlines()] == ["==> "] * 3
    assert project.calls() == [
        "venv --no-python-downloads --python python3 NEW", LOCKED.format("NEW"), THIS.format("NEW")
    ]  # fmt: skip
    assert project.venv.is_symlink()
    assert project.environments() == {".venv", project.venv.readlink().name}
    assert (project.folder / "build" / "setup.log").exists()


def test_a_lock_that_says_the_same_changes_nothing_and_another_makes_a_new_environment(project):
    project.setup()
    project.calls()
    (project.folder / "requirements.lock").touch()
    done = project.setup()
    assert (done.returncode, done.stdout, project.calls()) == (0, "", [])
    before = project.relock()
    assert project.setup().returncode == 0
    assert project.venv.readlink() != before
    assert project.environments() == {".venv", project.venv.readlink().name}  # the old is removed


def test_a_set_up_that_fails_says_why_and_keeps_the_environment_that_works_if_any(project):
    first = project.setup(FAIL="-e .")
    assert (first.returncode, project.environments()) == (1, set())
    assert "stays as it was" not in first.stderr
    project.setup()
    before = project.relock()
    failed = project.setup(FAIL="--require-hashes")
    assert failed.returncode == 1
    assert "found no index\n.venv stays as it was, and can be used.\nerror: Ins" in failed.stderr
    assert failed.stderr.endswith("failed; all that was printed is in build/setup.log\n")
    assert (project.venv.readlink(), project.environments()) == (before, {".venv", before.name})


def test_after_a_set_up_that_was_killed_the_old_one_works_and_the_next_mends_all(project):
    project.setup()
    before = project.relock()
    assert project.setup(KILL="--require-hashes").returncode == -9
    assert project.venv.readlink() == before
    assert len(project.environments()) == 3
    assert project.setup().returncode == 0
    assert project.environments() == {".venv", project.venv.readlink().name}
    assert project.venv.readlink() != before


def test_another_pyproject_installs_this_package_alone_and_a_folder_that_was_moved_all(
    project, tmp_path
):
    project.setup()
    before = project.venv.readlink()
    project.calls()
    with (project.folder / "pyproject.toml").open("a") as file:
        file.write("# more\n")
    project.setup()
    assert (project.calls(), project.venv.readlink()) == ([THIS.format(".venv")], before)
    project.folder = project.folder.rename(tmp_path / "elsewhere")
    project.setup()
    assert len(project.calls()) == 3


def test_an_environment_that_is_a_folder_is_replaced_when_the_new_one_is_whole(project):
    (project.venv / "bin").mkdir(parents=True)
    (project.venv / ".ok").touch()
    assert project.setup(FAIL="-e .").returncode == 1
    assert (project.venv / "bin").is_dir()
    assert not project.venv.is_symlink()
    assert project.setup().returncode == 0
    assert project.environments() == {".venv", project.venv.readlink().name}


def test_without_uv_pip_does_the_same_and_keeps_what_works_as_well(project):
    python = project.folder / "python"
    python.write_text(FALSE_PYTHON)
    python.chmod(0o755)
    pip = {"UV": "", "PYTHON": str(python)}
    assert project.setup(**pip).returncode == 0
    before = project.venv.readlink()
    install = "-m pip install --disable-pip-version-check "
    assert project.calls() == [
        "-m venv NEW",
        f"{install}--require-hashes --no-deps -r requirements.lock",
        f"{install}--no-deps --no-build-isolation -e .",
    ]
    project.relock()
    failed = project.setup(**pip, FAIL="--require-hashes")
    assert (failed.returncode, project.environments()) == (1, {".venv", before.name})
    assert "found no index\n.venv stays as it was" in failed.stderr


def test_what_one_target_needs_is_installed_from_its_extra_or_group(project):
    project.setup()
    project.calls()
    assert project.setup("parquet", "--target", "x").stdout == "==> Installing b>=1,<2\n"
    assert project.setup("fuzz").stdout == "==> Installing c>=1\n"
    into = INSTALL.format(".venv")
    assert project.calls() == [f"{into}--target x b>=1,<2", f"{into}c>=1"]


def test_what_tests_add_is_installed_once_and_again_when_it_or_the_environment_is_new(project):
    into = INSTALL.format(".venv")
    tests = f"{into}--require-hashes --no-deps -r requirements-test.lock"
    project.setup()
    project.calls()
    assert project.setup("test").stdout.startswith("==> Installing what tests and JupyterLab add")
    assert (project.setup("test").stdout, project.calls()) == ("", [tests])
    (project.folder / "requirements-test.lock").write_text("d==2\n")
    failed = project.setup("test", FAIL="--require-hashes")
    assert "found no index" in failed.stderr
    assert project.setup("test").returncode == 0
    project.relock()
    project.setup()
    project.calls()
    project.setup("test")
    assert project.calls() == [tests]


def test_a_report_installs_no_more_than_it_needs_and_tests_do(project):
    uv = f"UV={project.folder / 'uv'}"
    for target, expected in (("report", False), ("lint", True)):
        project.run("make", uv, target)
        assert any("requirements-test" in call for call in project.calls()) == expected


def test_make_mine_hands_on_the_log_the_host_and_the_label_as_they_are(project):
    uv = f"UV={project.folder / 'uv'}"
    label = 'LABEL=Somebody\'s "Card" 32 GB'
    done = project.run("make", uv, "mine", "LOG=my card.log", "HOST=pi-4b", label)
    page = "-o|reports/my-card.html|"
    said = f"mine|my card.log|--host|pi-4b|--label|{label[6:]}|{page}"
    assert done.stdout.splitlines()[-1] == said
    inherited = project.run("make", uv, "mine", "LOG=a.log", HOST="x86_64-linux")
    assert inherited.stdout == f"mine|a.log|{page}"
    refused = project.run("make", uv, "mine")
    assert refused.returncode == 2
    assert "found no LOG, expected: make mine LOG=card.log" in refused.stderr


def test_make_help_names_each_target_that_says_what_it_does(project):
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^\.PHONY: (.*) FORCE$", text, re.M)[1].split()
    shown = project.run("make", "help").stdout.splitlines()
    assert [line.split()[1] for line in shown[:-1]] == [name for name in listed if name != "help"]
