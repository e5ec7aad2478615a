"""The pages of the Python interface are made from the docstrings."""

import re
import subprocess
import sys
import types
from pathlib import Path

import api
import sentences as sentence_list

ROOT = Path(__file__).resolve().parent.parent
MODULES = {module.__name__: module for module in api.modules()}


def test_an_example_gets_the_imports_that_it_needs():
    module = types.ModuleType("some.module")

    def bare():
        """Do.

        Examples
        --------
        First:

        >>> bare(pd.NA)
        """

    module.bare = bare
    added = ">>> import pandas as pd\n>>> from some.module import bare\n"
    assert api.examples(module, "bare") == f"First:\n\n{added}>>> bare(pd.NA)"


def test_there_is_a_page_a_module_and_all_that_another_run_left_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(api, "PAGES", tmp_path / "api")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "gone.md").write_text("x", encoding="utf-8")
    api.main()
    names = {path.name for path in (tmp_path / "api").iterdir()}
    assert names == {"README.md", *(f"{name}.md" for name in api._NAMES)}
    assert {"stats.md", "comparing.md"} < names


def test_a_page_has_every_public_function_with_its_signature_and_names_no_place_on_this_machine():
    pages = api.pages()
    assert str(ROOT) not in "".join(pages.values())
    for module, page in zip(MODULES.values(), pages.values(), strict=True):
        assert re.findall(r"^## (\w+)$", page, re.M) == list(api.functions(module))
    assert "read(path: Path | str = CLAIMS) -> tuple[Claim, ...]" in pages["claims.md"]
    assert "- **what** (str): What the figures are" in pages["plots.md"]
    assert "(stats.md)" in pages["README.md"]


def test_every_function_of_stats_stands_below_the_question_that_it_answers():
    named = re.findall(r"`(\w+)`", MODULES["sdanalysis.stats"].__doc__)
    assert set(api.functions(MODULES["sdanalysis.stats"])) == set(named)


def test_functions_follow_in_the_order_in_which_the_docstring_of_the_module_names_them():
    def first():
        """Do first."""

    def second():
        """Do second."""

    module = types.ModuleType("some.module", "Begin with `second()`; see also `numpy`.")
    module.__all__, module.first, module.second = ["first", "second"], first, second
    assert list(api.functions(module)) == ["second", "first"]
    assert "Begin with [`second()`](#second); see also `numpy`." in api._page(module, [])


def test_pandas_and_the_modules_of_analyses_are_there_at_first_use_and_not_before():
    code = (
        "import sys, sdanalysis\n"
        "from sdanalysis.cli import main\n"
        "try: main(['new-source', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'pandas', 'numpy', 'sdanalysis.stats'} & sys.modules.keys()\n"
        "assert callable(sdanalysis.stats.compare) and callable(sdanalysis.plots.coverage)\n"
        "assert not hasattr(sdanalysis, 'statistics')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_sentence_has_at_most_25_words_and_a_page_150_lines():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    texts = {page: page.read_text("utf-8") for page in pages if page.name != "gallery.md"}
    read = [each for text in texts.values() for each in sentence_list.sentences(text) if each]
    long = [each for each in read if len(sentence_list.WORD.findall(each)) > 25]
    assert len(long) <= sentence_list.MOST_LONG * len(read), "\n".join(long)
    of_docs = {page for page in texts if page.parent.name == "docs"}
    assert {page.name for page in of_docs if len(texts[page].splitlines()) > 150} == set()
