"""Snippets run alone, in time, in parallel, and only when something that they use has changed."""

import os
import py_compile

import pytest

from tests.machinery.conftest import DRAW, SNIPPET
from weave.basics.errors import WeaveError
from weave.project import Project as Woven
from weave.run.runner import Runner

RUN_ID = "import os, time\nrun_id = f'{os.getpid()}-{time.time()}'"


def test_a_result_is_what_the_first_cell_left(project):
    project.snippet("import numpy as np\n\nstd = {4: 2.0}\narray = np.ones(3)\n_hidden = 1")
    result = project.run("chapter/line").results
    assert result.std[4] == 2.0
    assert result.array.tolist() == [1, 1, 1]
    assert not hasattr(result, "np")  # modules and private names are none
    assert not hasattr(result, "_hidden")


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


def test_going_to_another_branch_and_back_runs_nothing(reader):
    """Also where a module differs, and where a snippet is not there."""
    first = reader.run().results.run_id
    reader.file("snippets/chapter/constant.py", "PI = 4\n")
    reader.snippet(RUN_ID, name="chapter/new")
    second = reader.run().results.run_id
    new = reader.run("chapter/new").results.run_id
    for _ in range(2):
        reader.file("snippets/chapter/constant.py", "PI = 3\n")
        (reader.root / "snippets/chapter/new.py").unlink()
        assert reader.run().results.run_id == first
        reader.file("snippets/chapter/constant.py", "PI = 4\n")
        reader.snippet(RUN_ID, name="chapter/new")
        assert reader.run().results.run_id == second
        assert reader.run("chapter/new").results.run_id == new


@pytest.mark.parametrize("file", ["other.py", "other.csv"])
def test_a_change_in_what_it_did_not_read_does_not(reader, file):
    first = reader.run().results.run_id
    reader.file(f"snippets/chapter/{file}", "2\n")
    assert reader.run().results.run_id == first


def test_sets_come_in_one_order(project):
    project.snippet("import sys\nrandom = sys.flags.hash_randomization")
    assert project.run().results.random == 0


def test_sys_exit_is_a_mistake_too(project):
    project.snippet("raise SystemExit(0)")
    with pytest.raises(WeaveError, match="SystemExit"):
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


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core runs one snippet at a time")
def test_stale_snippets_run_at_the_same_time(project):
    names = [f"chapter/sleep{i}" for i in range(2)]
    for name in names:
        project.snippet(
            "import time\n\nstart = time.time()\ntime.sleep(1)\nend = time.time()", name=name
        )
    first, second = (project.run(name).results for name in names)
    assert max(first.start, second.start) < min(first.end, second.end)


def test_the_second_cell_cannot_change_a_result(project):
    draw = "import matplotlib.pyplot as plt\n\nx.append(2)\ny = 3\nplt.imshow([x])\nplt.show()"
    project.snippet("x, y = [1], 2", draw=draw, says='assert y == 2, "two of it, and no more"')
    run = project.run("chapter/line")
    assert run.results.x == [1]
    assert run.woven.run_of("chapter/line").read("says")[0][-1] == ""  # no flaw
    assert 'href="data:image/png' in run.svg


def test_what_was_compiled_of_an_older_module_is_not_run(project):
    law = project.root / "snippets/chapter/law.py"
    for number in (3, 4):  # as long as the other, and of the same second
        project.file("snippets/chapter/law.py", f"PI = {number}\n")
        os.utime(law, (0, 0))
        if number == 3:
            py_compile.compile(str(law))
    project.snippet("from law import PI")
    assert project.run().results.PI == 4


def test_a_snippet_lists_no_folder_in_which_a_new_file_would_go_unnoticed(project):
    project.snippet("from pathlib import Path\n\nfound = [*Path(__file__).parent.glob('*.csv')]")
    with pytest.raises(WeaveError, match=r"line.py:9: RuntimeError: a snippet lists no folder"):
        project.run()


def test_what_is_saved_while_snippets_run_counts_too(project, monkeypatch):
    project.snippet("slope = 1.0")

    def meanwhile(runner, *more):
        wait(runner, *more)
        project.snippet("slope = 2.0")

    wait = Runner.wait
    monkeypatch.setattr(Runner, "wait", meanwhile)
    assert project.run().results.slope == 2.0


def test_a_file_that_is_gone_while_they_are_listed_is_no_mistake(project):
    project.snippet()
    (project.root / "snippets/chapter/.#line.py").symlink_to("nowhere")
    assert project.run().results.slope == 1.0


def test_what_failed_is_run_again_for_new_code_and_not_for_new_words(project):
    project.snippet("slope = 1 / 0")
    woven, ran, counted = Woven(project.root), [], []
    woven.runner.heard = lambda: ran.append(woven.runner.state()["is over"])
    for file, text in (("docs/chapter.md", "words"), ("snippets/chapter/law.csv", "1")):
        for _ in range(2):
            woven.refresh()
            counted.append(ran.count(True))
            project.file(file, text)
    assert counted == [1, 1, 1, 2]


def test_a_file_that_is_looked_for_in_vain_runs_it_again_once_it_is_there(project):
    project.snippet(
        "from pathlib import Path\n\nfile = Path(__file__).with_name('late.csv')\n"
        "try:\n    late = file.read_text()\nexcept FileNotFoundError:\n    late = 'not yet'"
    )
    assert project.run().results.late == "not yet"
    project.file("snippets/chapter/late.csv", "1")
    assert project.run().results.late == "1"


@pytest.mark.parametrize("mode", ["w", "a", "r+"])
def test_a_snippet_writes_nothing_into_the_project(project, mode):
    project.file("snippets/chapter/log.txt", "1")
    project.snippet(f"open(__file__.replace('line.py', 'log.txt'), '{mode}').write('2')")
    with pytest.raises(WeaveError, match=r"line.py:7: PermissionError.*snippets/chapter/log.txt"):
        project.run()
    assert (project.root / "snippets/chapter/log.txt").read_text() == "1"


@pytest.mark.parametrize("name", [".#line.py", ".hidden.py"])
def test_what_an_editor_leaves_behind_is_no_snippet(project, name):
    project.snippet()
    (project.root / f"snippets/chapter/{name}").symlink_to("nowhere")
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


UNSEEDED = [
    "np.random.default_rng()",
    "np.random.rand()",
    "np.random.seed()",
    "np.random.RandomState().normal()",
    "np.random.Generator(np.random.MT19937()).normal()",
    "norm.rvs(size=3)",
    "qmc.Sobol(2)",
    "random.gauss()",
    "random.random()",
    "random.Random().shuffle([1, 2])",
    "uuid.uuid4()",
    "secrets.token_hex()",
    "os.urandom(1)",
]
ELSEWHERE = [
    "os.environ['FAKE_D']",
    "os.environ.get('FAKE_D', 8)",
    "os.getenv('FAKE_D')",
    "'FAKE_D' in os.environ",
    "os.path.expandvars('$HOME')",
    "Path.home()",
    "dict(os.environ)",
    "os.listdir('/')",
    "np.loadtxt(HERE.with_name('link.csv').resolve())",
    "Path('~/.a').expanduser().read_text()",
    "(HERE.parents[2] / '.env').read_text()",
    "HERE.with_name('link.csv').read_text()",
    "sys.path.append(str(HERE.parents[2] / '.hidden')) or __import__('law')",
]
TRIES = """import os, random, secrets, sys, uuid
from pathlib import Path

import numpy as np
from scipy.stats import norm, qmc

HERE = Path(__file__)
refused = {{}}
for code in {}:
    try:
        eval(compile(code, __file__, "eval"))
    except Exception as error:
        refused[code] = str(error)
"""


def test_no_run_depends_on_what_its_trace_does_not_hold(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "table.csv"
    outside.write_text("1")
    project.file(".env", "D=7")
    project.file(".hidden/law.py", "PI = 3")
    project.snippet(TRIES.format(UNSEEDED + ELSEWHERE))
    (project.root / "snippets/chapter/link.csv").symlink_to(outside)
    refused = project.run().results.refused
    assert [*refused] == UNSEEDED + ELSEWHERE
    for code, words in refused.items():
        assert ("without a seed" if code in UNSEEDED else "a snippet ") in words


SEEDED = """import copy, random
import numpy as np
from scipy.stats import norm, qmc

np.random.seed(1)
random.seed(1)
older, newer = np.random.RandomState(1), np.random.default_rng(1)
drawn = [np.random.rand(), norm.rvs(), norm.rvs(random_state=1), random.random(), random.gauss()]
drawn += [random.Random(1).random(), older.normal(), copy.deepcopy(older).normal()]
drawn += [copy.deepcopy(newer).normal(), *qmc.Sobol(2, rng=1).random(1)[0]]
drawn += [np.random.Generator(np.random.MT19937(1)).normal()]
drawn += [copy.deepcopy(random.Random(1)).random()]
"""


def test_what_has_a_seed_is_drawn_and_the_same_at_each_run(project):
    project.snippet(SEEDED)
    project.snippet(SEEDED, name="chapter/other")
    one, other = (project.run(name).results for name in ("chapter/line", "chapter/other"))
    assert one.drawn == other.drawn


OF_LIBRARIES = """import os
import scipy.signal, sqlite3, xml.dom
import matplotlib.pyplot as plt

os.environ["A"] = "1"
version = sqlite3.sqlite_version
plt.title("words", family="DejaVu Sans")
plt.savefig("a.svg")
plt.close()
"""


def test_what_libraries_ask_for_is_theirs(project):
    project.snippet(OF_LIBRARIES)
    assert project.run().results.version


def test_a_large_array_is_a_step_and_no_result(project):
    project.snippet("import numpy as np\n\nlarge, small = np.zeros(2**16), np.zeros(9)")
    results = project.run("chapter/line").results
    assert results.small.shape == (9,)
    with pytest.raises(AttributeError, match="'large' of 'chapter/line' is too large"):
        _ = results.large
