"""A site that is served is there at once, waits for no run, and never shows two states of one."""

import re
import signal
import sys
import time

import pytest

from tests.machinery.conftest import Project
from tests.machinery.serving import CONFIG, Server
from weave.basics.errors import PendingError
from weave.embeds.embed import Context
from weave.project import Project as Woven
from weave.run.runner import Job, Runner

if sys.platform != "linux":
    pytest.skip("which processes are left is read from /proc", allow_module_level=True)

PAGE = "# T\n\n::: chapter/line\n\nIt is {= line.slope :.2f }, and $s = {= line.slope :.2f }$.\n"
SLOW = "import time\n\ntime.sleep({})\nslope = {}"
SAYS = "The drawn slope is {= slope :.2f }.\n\nA line of slope {= slope :.2f }."
NUMBER = re.compile(r"\d+\.\d\d")


@pytest.fixture
def project(tmp_path) -> Project:
    """A project of two pages; one shows and quotes a snippet that takes its time."""
    project = Project(tmp_path, None)
    project.file("docs/index.md", "# Home\n")
    project.file("docs/other.md", "# Other\n\nNothing is computed here.\n")
    project.file("docs/chapter.md", PAGE)
    project.file("mkdocs.yml", CONFIG)
    return project


def slow(project: Project, seconds: float, slope: float) -> None:
    """Have the snippet take some seconds, and its caption, drawing, number and formula agree."""
    project.snippet(SLOW.format(seconds, slope))
    script = project.root / "snippets/chapter/line.py"
    words = '"""' + SAYS + '\n"""'
    script.write_text(re.sub('""".*?"""', words, script.read_text(), count=1, flags=re.DOTALL))


@pytest.fixture
def serve(project):
    """Start servers, which end with the test."""
    servers = []

    def start() -> Server:
        servers.append(Server(project.root))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


def numbers(page: str) -> set[str]:
    """Give the numbers that a page says of the snippet, in its caption, its text and a formula."""
    text = page.partition("<h1")[2].partition("<style>")[0]
    return set(NUMBER.findall(re.sub("<(svg|pre)\\b.*?</\\1>", "", text, flags=re.DOTALL)))


def test_a_page_is_there_before_its_runs_and_says_so_where_they_are_missing(project, serve):
    slow(project, 6, 1.25)
    server = serve()
    page = server.read("chapter/", "line</b> is being run")
    assert server.ask("other/")[0] == 200
    assert "The drawn slope is" in page
    assert '<figure id="figure-line">' in page
    assert 'aria-label="not run yet"' in page
    assert numbers(page.replace("It is", "")) == set()
    assert numbers(server.read("chapter/", ">1.25</a>")) == {"1.25"}
    assert "weave-error" not in server.ask("chapter/")[1]
    said = server.log.read_text()
    assert f"Serving on http://{server.address}/" in said
    assert "WARNING" not in said


def test_what_runs_holds_no_other_page_and_shows_old_or_new_but_never_both(project, serve):
    slow(project, 0, 1.25)
    server = serve()
    server.read("chapter/", ">1.25</a>")
    slow(project, 8, 2.75)
    server.wait_for_runs(lambda runs: "chapter/line" in runs["runs"])
    project.file("docs/other.md", "# Other\n\nEdited meanwhile.\n")
    seen, longest, edited = set(), 0.0, False
    while "2.75" not in seen:
        begun = time.monotonic()
        if "Edited meanwhile" in server.ask("other/")[1] and server.runs()["runs"]:
            edited = True
        page = server.ask("chapter/")[1]
        longest = max(longest, time.monotonic() - begun)
        found = numbers(page)
        assert len(found) == 1, f"a page says {found} of one snippet"
        seen |= found
        time.sleep(0.1)
    assert seen == {"1.25", "2.75"}
    assert edited
    assert longest < 3, "two pages and a state, asked while a site is made"


def test_a_run_that_is_not_wanted_any_more_is_stopped(project, serve):
    slow(project, 50, 1.25)
    server = serve()
    server.wait_for_runs(lambda runs: "chapter/line" in runs["runs"])
    slow(project, 0, 2.75)
    begun = time.monotonic()
    server.read("chapter/", ">2.75</a>")
    assert time.monotonic() - begun < 40
    assert server.runs()["runs"] == {}


def test_an_error_after_a_while_is_shown_and_mended(project, serve):
    slow(project, 3, "missing")
    server = serve()
    server.read("chapter/", "is being run")
    server.read("chapter/", "NameError", "weave-error")
    slow(project, 0, 2.75)
    assert "weave-error" not in server.read("chapter/", ">2.75</a>")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_leaves_no_process_and_nothing_that_a_build_would_show(
    project, serve, how, caplog
):
    slow(project, 4, 1.25)
    project.snippet("other = 1.5", name="chapter/quick")
    server = serve()
    server.read("chapter/", "is being run")
    server.wait_for_runs(lambda runs: "chapter/quick" in runs["done"])
    server.end(how)
    assert server.leaves_processes() == []
    project.log = caplog
    built = project.build(PAGE, strict=True)
    assert numbers(built.html) == {"1.25"}
    for page in (project.root / "site").rglob("*.html"):
        assert "pending" not in page.read_text("utf-8")


def test_two_servers_of_one_project_do_not_hurt_each_other(project, serve):
    slow(project, 2, 1.25)
    one, other = serve(), serve()
    for slope in ("1.25", "2.75"):
        for server in (one, other):
            assert numbers(server.read("chapter/", f">{slope}</a>")) == {slope}
        slow(project, 1, 2.75)


def test_going_to_another_branch_while_something_runs_shows_that_branch(project, serve):
    slow(project, 0, 1.25)
    server = serve()
    server.read("chapter/", ">1.25</a>")
    slow(project, 30, 2.75)
    server.wait_for_runs(lambda runs: "chapter/line" in runs["runs"])
    slow(project, 0, 1.25)
    project.file("docs/chapter.md", f"{PAGE}\nBack again.\n")
    assert numbers(server.read("chapter/", "Back again.")) == {"1.25"}
    server.wait_for_runs(lambda runs: not runs["runs"])


def test_a_server_that_makes_nothing_again_waits_for_all(project, serve, monkeypatch):
    slow(project, 2, 1.25)
    monkeypatch.setattr(Server, "OPTIONS", ["--no-livereload"])
    assert numbers(serve().read("chapter/", "It is")) == {"1.25"}


# Without a server.


@pytest.fixture
def pending(project) -> Woven:
    """A project of which nothing has been run yet."""
    slow(project, 3, 1.25)
    project.snippet("law = 1.5", name="claims/law")
    project.snippet("import law\n\nread = law.law", name="claims/reads_law")
    woven = Woven(project.root)
    yield woven
    woven.runner.close()


def test_what_has_not_been_run_is_an_answer_that_a_page_notes(pending):
    pending.refresh(0)
    page = Context(pending, "chapter.md")
    with pytest.raises(PendingError):
        page.results("chapter/line")
    assert page.waits == {"chapter/line"}
    before = dict(page.trace)
    pending.refresh()
    assert page.results("chapter/line").slope == 1.25
    assert page.trace != before
    assert not pending.pending


def test_nothing_changes_between_two_refreshes(pending):
    pending.refresh(0)
    pending.runner.wait()
    with pytest.raises(PendingError):
        pending.run_of("chapter/line")
    pending.refresh(0)
    assert pending.results("chapter/line").slope == 1.25


def test_ledgers_come_before_those_that_read_them(pending):
    pending.refresh(0)
    assert "claims/reads_law" in pending.pending
    assert "claims/reads_law" not in pending.runner.state()["queued"]
    pending.refresh()
    assert pending.results("claims/reads_law").read == 1.5


def test_a_failure_of_files_that_have_been_mended_meanwhile_is_none(project):
    project.file("snippets/chapter/law.py", "slope = missing\n")
    project.snippet("import time\n\ntime.sleep(2)\nfrom law import slope")
    woven = Woven(project.root)
    woven.refresh(0.5)
    project.file("snippets/chapter/law.py", "slope = 1.25\n")
    woven.refresh(0)  # sees the mend, and lets the run go on, which may not need it
    woven.runner.wait()
    woven.refresh()
    assert woven.failed == {}
    assert woven.results("chapter/line").slope == 1.25


def test_what_is_preferred_runs_first(project):
    names = [f"chapter/{letter}" for letter in "abcdefgh"]
    runner = Runner(project.root, 60)
    began = []
    start_next = Runner.start_next

    def noted(*arguments):
        waiting = set(runner.waiting)
        start_next(*arguments)
        began.extend(waiting - set(runner.waiting))

    runner.start_next = lambda *arguments: noted(runner, *arguments)
    for name in names:
        project.snippet("x = 1", name=name)
    runner.prefer(["chapter/g", "chapter/e"])
    runner.want({n: Job(project.root / f"snippets/{n}.py", (0, 0)) for n in names})
    runner.wait()
    assert began[:2] == ["chapter/g", "chapter/e"]
    assert sorted(began) == names
    assert {each.name for each in runner.take()} == {*names}
    assert runner.take() == []


def test_a_file_that_cannot_be_read_while_something_runs_is_said_and_not_over_and_over(
    project, serve
):
    slow(project, 4, 1.25)
    server = serve()
    server.wait_for_runs(lambda runs: "chapter/line" in runs["runs"])
    project.file("docs/other.md", "<<<<<<< HEAD\n")
    server.wait(server.log.read_text, "left from a merge")
    server.wait_for_runs(lambda runs: runs["is over"])
    time.sleep(2)
    # Once for the edit, and once or twice as the run goes on and ends; not at every look.
    assert server.log.read_text().count("left from a merge") < 10
    assert server.ask("chapter/")[0] == 200
    project.file("docs/other.md", "# Other\n")
    server.read("chapter/", ">1.25</a>")


def test_what_a_refresh_that_broke_off_has_not_done_the_next_one_does(pending, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(pending.store, "write", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            pending.refresh()
    pending.refresh()
    assert pending.results("chapter/line").slope == 1.25


def test_a_run_that_reads_what_changes_all_the_time_is_run_once(project):
    project.file("snippets/chapter/log.txt", "1")
    project.snippet(
        "from pathlib import Path\n\n"
        "file = Path(__file__).with_name('log.txt')\nlog = file.read_text()"
    )
    woven = Woven(project.root)
    took = woven.runner.take

    def take():
        project.file("snippets/chapter/log.txt", f"{time.monotonic()}")
        return took()

    woven.stamps_now = lambda: {(project.root, 1, 1)}  # nobody notices
    woven.runner.take = take
    woven.refresh()
    assert woven.results("chapter/line").log
    assert woven.runner.state()["done"] == ["chapter/line"]
