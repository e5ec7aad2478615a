"""pyproject.toml, environment.yml and the two locks name the same packages and bounds."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
DECLARED = tomllib.loads(PYPROJECT)
ENVIRONMENT = (ROOT / "environment.yml").read_text(encoding="utf-8")
REPORT_LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LOCK = REPORT_LOCK + (ROOT / "requirements-test.lock").read_text(encoding="utf-8")


# Packages that conda-forge splits: without Qt, which no picture of ours needs.
SPLIT = {"matplotlib-base": "matplotlib"}


def bounds(lines):
    """Map the canonical name of each package, as the index has it, to its SpecifierSet."""
    found = {}
    for line in lines:
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        name = SPLIT.get(name, name)
        if name in found:
            raise ValueError(f"{name} is declared twice")
        found[name] = requirement.specifier
    return found


def declared_in_pyproject(text):
    """Bounds of what `make` installs: the core, two extras, two groups; and of Python.

    Python stands as conda would write it.
    """
    document = tomllib.loads(text)
    project, groups = document["project"], document["dependency-groups"]
    python, extras = f"python{project['requires-python']}", project["optional-dependencies"]
    more = [line for line in extras["notebooks"] if not line.startswith(f"{project['name']}[")]
    core = [python, *project["dependencies"], *extras["report"]]
    return bounds([*core, *more, *groups["build"], *groups["dev"]])


def declared_in_environment(text):
    """Bounds of the packages, without pip: only conda has to be told to bring it."""
    *entries, last = yaml.safe_load(text)["dependencies"]
    own, *only_pip = last["pip"] if isinstance(last, dict) else [""]
    if own != "-e .":
        raise ValueError("the last entry has to install this package: pip: [-e ., ...]")
    found = bounds([*entries, *only_pip])
    del found["pip"]
    return found


def drift(pyproject, environment):
    """A line for each package whose bounds differ between the two files."""
    ours, theirs = declared_in_pyproject(pyproject), declared_in_environment(environment)
    return [
        f"{name}: pyproject.toml {ours.get(name, 'lacks it')}, "
        f"environment.yml {theirs.get(name, 'lacks it')}"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]


def locked(text):
    """(requirement, number of hashes) for each entry of a lock; options are refused."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for entry in "\n".join(lines).replace("\\\n", " ").splitlines():
        requirement, *hashes = entry.split(" --hash=sha256:")
        yield Requirement(requirement.strip()), len(hashes)


def lock_problems(pyproject, lock):
    """What is wrong with a lock, a line each: hosts, hashes, pins missing or outside bounds."""
    if "://" in lock or "\n--" in f"\n{lock}":
        return ["the lock names a host or carries an option"]
    problems, pins = [], {}
    for requirement, hashes in locked(lock):
        name = canonicalize_name(requirement.name)
        exact, version = str(requirement.specifier)[:2], str(requirement.specifier)[2:]
        if exact != "==" or "," in version or not hashes:
            problems.append(f"{name} is not pinned by one version and its hashes")
        pins.setdefault(name, []).append(version)
    for name, allowed in declared_in_pyproject(pyproject).items():
        if name == "python":
            continue
        if name not in pins:
            problems.append(f"{name} is not in the lock")
        problems += [
            f"{name} {version} is locked, {allowed} is allowed"
            for version in pins.get(name, [])
            if version not in allowed
        ]
    return problems


def test_pyproject_conda_and_the_lock_agree():
    assert drift(PYPROJECT, ENVIRONMENT) == []
    assert lock_problems(PYPROJECT, LOCK) == []


def test_the_first_lock_holds_what_reports_need_and_the_second_only_the_rest():
    project, groups = DECLARED["project"], DECLARED["dependency-groups"]
    extra = project["optional-dependencies"]["report"]
    needed = bounds([*project["dependencies"], *extra, *groups["build"]])
    first, every = (
        [canonicalize_name(one.name) for one, _ in locked(lock)] for lock in (REPORT_LOCK, LOCK)
    )
    assert needed.keys() <= set(first)
    assert not set(first) & set(every[len(first) :])
    assert "jupyterlab" not in first


@pytest.mark.parametrize("name", ["parquet", "fuzz"])
def test_what_one_target_needs_is_bounded_and_nobody_else_installs_it(name):
    optional = DECLARED["project"]["optional-dependencies"] | DECLARED["dependency-groups"]
    needed = bounds(optional[name])
    assert all({one.operator for one in bound} == {">=", "<"} for bound in needed.values())
    assert not needed.keys() & declared_in_pyproject(PYPROJECT).keys()
    assert not needed.keys() & {canonicalize_name(one.name) for one, _ in locked(LOCK)}
    assert not needed.keys() & declared_in_environment(ENVIRONMENT).keys()


def test_the_extra_all_is_every_other_extra():
    project = DECLARED["project"]
    (everything,) = map(Requirement, project["optional-dependencies"]["all"])
    assert everything.name == project["name"]
    assert {"all", *everything.extras} == project["optional-dependencies"].keys()


def test_drift_names_the_package_and_both_bounds():
    for old, new, found in (
        ("- numpy>=2.3", "- numpy>=2.4", "numpy: pyproject.toml >=2.3, environment.yml >=2.4"),
        ("- numpy>=2.3\n", "\n", "numpy: pyproject.toml >=2.3, environment.yml lacks it"),
        ("- pip\n", "- pip\n  - dask>=1\n", "dask: pyproject.toml lacks it, environment.yml >=1"),
    ):
        assert ENVIRONMENT.count(old) == 1
        assert drift(PYPROJECT, ENVIRONMENT.replace(old, new)) == [found]


def test_a_lock_that_would_not_do_is_refused():
    for old, new, found in (
        (r"^pyyaml==", "pyaml==", "pyyaml is not in the lock"),
        (r"^pillow==[0-9.]+", "pillow==11.9", "pillow 11.9 is locked, >=12.0 is allowed"),
        (r"^pillow==", "pillow>=", "pillow is not pinned by one version and its hashes"),
        (r"^pillow==", "--index-url a.b\npillow==", "the lock names a host or carries an option"),
    ):
        altered, count = re.subn(old, new, LOCK, flags=re.M)
        assert count >= 1
        assert lock_problems(PYPROJECT, altered)[0].startswith(found)
