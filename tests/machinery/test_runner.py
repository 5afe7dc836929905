"""Snippets run alone, in time, in parallel, and only when something that they use has changed."""

import os
import py_compile
import sys

import pytest

from tests.machinery.conftest import DRAW, SNIPPET
from weave.basics.errors import WeaveError
from weave.project import Project as Woven
from weave.run.results import LARGEST, Results

RUN_ID = "import os, time\nrun_id = f'{os.getpid()}-{time.time()}'"


def test_a_result_is_what_the_first_cell_left(project):
    project.snippet("import numpy as np\n\nstd = {4: 2.0}\narray = np.ones(3)\n_hidden = 1")
    result = project.run("chapter/line").results
    assert result.std[4] == 2.0
    assert result.array.tolist() == [1, 1, 1]
    assert set(dir(result)) == {"std", "array"}  # neither modules nor private names


def test_names_of_the_drawing_cell_are_no_results(project):
    project.snippet(draw="import matplotlib.pyplot as plt\n\nwidth = 3\nplt.plot([0, width])")
    assert set(dir(project.run("chapter/line").results)) == {"slope"}


def test_an_unchanged_snippet_is_not_run_again(project):
    project.snippet(RUN_ID)
    first = project.run("chapter/line").results.run_id
    assert project.run("chapter/line").results.run_id == first


READS = """import sys
from pathlib import Path

import numpy as np
import parts.law

heights = np.loadtxt(Path(__file__).with_name("heights.csv"), delimiter=",")
pi = parts.law.PI
"""


@pytest.fixture
def reader(project):
    """A snippet that reads a module, one that this imports, and a table; and files beside it."""
    project.file("snippets/chapter/parts/law.py", "from constant import PI\n")
    project.file("snippets/chapter/constant.py", "PI = 3\n")
    project.file("snippets/chapter/heights.csv", "1,2\n")
    project.file("snippets/chapter/other.py", "unused = 1\n")
    project.file("snippets/chapter/other.csv", "1\n")
    project.snippet(READS + RUN_ID)
    return project


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("line.py", SNIPPET.format(compute=READS + RUN_ID + "  # changed", draw=DRAW)),
        ("parts/law.py", "PI = 4\n"),
        ("constant.py", "PI = 4\n"),
        ("heights.csv", "1,3\n"),
    ],
)
def test_a_change_in_what_it_read_runs_it_again(reader, file, text):
    first = reader.run().results.run_id
    reader.file(f"snippets/chapter/{file}", text)
    second = reader.run().results
    assert second.run_id != first
    assert second.pi == (4 if text.startswith("PI") else 3)
    assert second.heights[1] == (3 if file == "heights.csv" else 2)


@pytest.mark.parametrize("file", ["other.py", "other.csv"])
def test_a_change_in_what_it_did_not_read_does_not(reader, file):
    first = reader.run().results.run_id
    reader.file(f"snippets/chapter/{file}", "2\n")
    assert reader.run().results.run_id == first


def test_a_module_that_python_has_compiled_is_read_too(reader):
    """Run by hand, Python leaves its own copy, and reads no more than that."""
    folder = reader.root / "snippets/chapter"
    py_compile.compile(str(folder / "constant.py"))
    assert list(folder.glob("__pycache__/*.pyc"))
    reader.run()
    reader.file("snippets/chapter/constant.py", "PI = 2 + 2\n")  # of another size: Python looks
    assert reader.run().results.pi == 4


def test_a_failure_is_not_kept(project):
    project.snippet("from law import PI")
    project.file("snippets/chapter/law.py", "PI = 1 / 0\n")
    with pytest.raises(WeaveError, match="ZeroDivisionError"):
        project.run("chapter/line")
    assert Woven(project.root).store.entries() == set()
    project.file("snippets/chapter/law.py", "PI = 3\n")
    assert project.run("chapter/line").results.PI == 3


def test_a_process_that_dies_is_reported(project):
    project.snippet("import os, signal\n\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(WeaveError, match="died with exit code -9"):
        project.run("chapter/line")


def test_sys_exit_is_a_mistake_too(project):
    project.snippet("raise SystemExit(0)")
    with pytest.raises(WeaveError, match="SystemExit"):
        project.run("chapter/line")


def test_an_error_names_the_line_and_shows_it(project):
    project.snippet("a = 1\nb = missing")
    with pytest.raises(WeaveError, match=r"line.py:8: NameError: .*'missing'.*\n    b = missing"):
        project.run("chapter/line")


def test_an_error_in_the_drawing_cell_has_its_own_line(project):
    project.snippet(draw="x = 1\ny = missing")
    with pytest.raises(WeaveError, match=r"line.py:11: NameError"):
        project.run("chapter/line")


def test_an_error_in_a_local_module_names_both_places(project):
    project.file("snippets/chapter/law.py", "def law():\n    raise ValueError('no')\n")
    project.snippet("from law import law\n\nlaw()")
    with pytest.raises(WeaveError, match=r"law.py:2, in snippets/chapter/line.py:9: ValueError"):
        project.run("chapter/line")


def test_a_warning_is_an_error(project):
    project.snippet("import numpy as np\n\nx = np.log(np.zeros(1))")
    with pytest.raises(WeaveError, match="RuntimeWarning: divide by zero"):
        project.run("chapter/line")


def test_nothing_leaks_from_one_snippet_to_the_next(project):
    project.snippet(
        "import builtins, sys\n\nbuiltins.leak = 1\nsys.leak = 1",
        draw="import matplotlib.pyplot as plt\n\nplt.rc('lines', linewidth=99)\nplt.plot([1])",
    )
    project.snippet(
        "import builtins, sys\nimport matplotlib as mpl\n\n"
        "leaked = hasattr(builtins, 'leak') or hasattr(sys, 'leak')\n"
        "width = mpl.rcParams['lines.linewidth']",
        name="chapter/second",
    )
    project.run("chapter/line")
    second = project.run("chapter/second").results
    assert not second.leaked
    assert second.width != 99


def test_two_chapters_may_have_modules_of_the_same_name(project):
    for chapter, number in (("one", 1), ("two", 2)):
        project.file(f"snippets/{chapter}/law.py", f"number = {number}\n")
        project.snippet("from law import number", name=f"{chapter}/line")
    assert project.run("one/line").results.number == 1
    assert project.run("two/line").results.number == 2


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core runs one snippet at a time")
def test_stale_snippets_run_at_the_same_time(project):
    names = [f"chapter/sleep{i}" for i in range(2)]
    project.snippet(
        "import time\n\nstart = time.time()\ntime.sleep(1)\nend = time.time()", name=names[0]
    )
    project.snippet(
        "import time\n\nstart = time.time()\ntime.sleep(1)\nend = time.time()", name=names[1]
    )
    first, second = (project.run(name).results for name in names)
    assert max(first.start, second.start) < min(first.end, second.end)


WAITS = """import time
from pathlib import Path

while not Path(__file__).with_name("go").exists():
    time.sleep(0.02)
slope = 2.0
"""


def test_while_snippets_run_something_else_is_done(project):
    project.snippet(WAITS)  # as long as it takes until that is done
    woven = Woven(project.root, 20)
    woven.refresh(meanwhile=(project.root / "snippets/chapter/go").touch)
    assert Results("chapter/line", woven.store).slope == 2


def test_all_run_however_few_are_scheduled_at_once(project, monkeypatch):
    monkeypatch.setattr("weave.run.runner.SCHEDULED", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    names = [f"chapter/line{number}" for number in range(7)]
    for number, name in enumerate(names):
        project.snippet(f"slope = {number}" if number % 3 else "slope = missing", name=name)
    woven = Woven(project.root, 20)
    woven.refresh()
    assert sorted(woven.failed) == [names[0], names[3], names[6]]
    ran = [number for number in range(7) if number % 3]
    assert [Results(names[number], woven.store).slope for number in ran] == ran


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has no limit")
def test_an_array_that_is_let_go_counts_no_more(project):
    """The second fits below the limit, though not beside the first; something lies above that."""
    project.snippet(
        "import numpy as np\n\nfirst = np.empty(1500 << 20, 'int8')\n"
        "above = np.ones(2**17)\ndel first\nsecond = np.empty(2700 << 20, 'int8').size"
    )
    assert project.run().results.second == 2700 << 20


def test_a_file_may_have_any_name(project):
    project.snippet()
    project.file("proofs/caf\udce9.txt", "")  # no UTF-8
    assert project.run().results.slope == 1


def test_one_failure_does_not_stop_the_others(project):
    project.snippet()
    project.snippet("slope = missing", name="chapter/broken")
    assert project.run("chapter/line").results.slope == 1
    with pytest.raises(WeaveError, match="NameError"):
        project.run("chapter/broken")
    with pytest.raises(WeaveError, match="did you mean 'chapter/line'"):
        project.run("chapter/lin")


def test_a_large_array_is_a_step_and_no_result(project):
    size = LARGEST * 3 // 4 // 8  # without what an array's file has in front of the numbers
    project.snippet(
        f"import numpy as np\n\nlarge = np.zeros({size})\nsmall = np.zeros({size - 20})"
    )
    results = project.run("chapter/line").results
    assert dir(results) == ["small"]
    with pytest.raises(AttributeError, match=r"'large' of 'chapter/line' is too large"):
        _ = results.large


def test_the_second_cell_cannot_change_a_result(project):
    project.snippet(
        "x = [1]", draw="import matplotlib.pyplot as plt\n\nx.append(2)\nplt.plot(x)\nplt.show()"
    )
    assert project.run("chapter/line").results.x == [1]


def test_what_is_no_result_says_so(project):
    project.snippet(
        "from collections import namedtuple\n\nPoint = namedtuple('Point', 'x')\npoint = Point(1)"
    )
    with pytest.raises(AttributeError, match="'point' of 'chapter/line' is no result"):
        _ = project.run("chapter/line").results.point


def test_a_result_may_have_any_name(project):
    names = ["name", "values", "others", "svg", "results", "snippet", "keys"]
    project.snippet("\n".join(f"{name} = '{name}'" for name in names))
    results = project.run("chapter/line").results
    assert [getattr(results, name) for name in names] == names


def test_a_file_that_is_looked_for_in_vain_runs_it_again_once_it_is_there(project):
    project.snippet(
        "from pathlib import Path\n\nfile = Path(__file__).with_name('late.csv')\n"
        "try:\n    late = file.read_text()\nexcept FileNotFoundError:\n    late = 'not yet'"
    )
    assert project.run().results.late == "not yet"
    project.file("snippets/chapter/late.csv", "1")
    assert project.run().results.late == "1"


def test_a_new_file_in_a_folder_that_it_lists_runs_it_again(project):
    project.snippet("from pathlib import Path\n\nn = len([*Path(__file__).parent.glob('*.csv')])")
    assert project.run().results.n == 0
    project.file("snippets/chapter/one.csv", "1")
    assert project.run().results.n == 1


@pytest.mark.parametrize("mode", ["w", "a", "r+"])
def test_a_snippet_writes_nothing_into_the_project(project, mode):
    project.file("snippets/chapter/log.txt", "1")
    project.snippet(f"open(__file__.replace('line.py', 'log.txt'), '{mode}').write('2')")
    with pytest.raises(WeaveError, match=r"line.py:7: PermissionError.*snippets/chapter/log.txt"):
        project.run()
    assert (project.root / "snippets/chapter/log.txt").read_text() == "1"


def test_a_thread_that_goes_on_does_no_harm(project):
    wait = "import threading, time\n\nthreading.Thread(target=time.sleep, args=(2,)).start()\nx = 1"
    project.snippet(wait)
    assert project.run(time_limit=1).results.x == 1


@pytest.mark.parametrize("name", [".#line.py", ".hidden.py"])
def test_what_an_editor_leaves_behind_is_no_snippet(project, name):
    project.snippet()
    (project.root / f"snippets/chapter/{name}").symlink_to("nowhere")
    assert project.run().results.slope == 1


def test_a_byte_order_mark_is_not_minded(project):
    path = project.root / project.snippet()
    path.write_text(path.read_text(), "utf-8-sig")
    assert project.run().results.slope == 1


FREE = """import os
import tempfile
from pathlib import Path

Path("table.csv").write_text("1")
os.rename("table.csv", "other.csv")
with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
    Path(folder, "a").mkdir()
    Path(folder, "a/b").write_text("1")
    print("x", file=nowhere)
place, files = os.getcwd(), os.listdir()
"""


def test_a_snippet_may_write_into_a_folder_of_its_own_which_goes(project):
    project.snippet(FREE)
    project.snippet(FREE, name="chapter/other")
    one, other = (project.run(name).results for name in ("chapter/line", "chapter/other"))
    assert one.files == other.files == ["other.csv"]
    assert one.place != other.place
    assert not os.path.exists(one.place)
