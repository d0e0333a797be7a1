"""Small programs that the demo agent writes, each with a test that finds its one mistake."""

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Program:
    """A program, its test, and the mistake that the test finds."""

    name: str
    words: tuple[str, ...]
    what: str
    source: str
    test: str
    mistake: str
    remedy: str
    lesson: str
    argument: str

    @property
    def file(self) -> str:
        """Where the program goes."""
        return f"{self.name}.py"

    @property
    def test_file(self) -> str:
        """Where its test goes."""
        return f"test_{self.name}.py"

    @property
    def fixed(self) -> str:
        """The program without its mistake."""
        return self.source.replace(self.mistake, self.remedy)


def _program(source: str) -> str:
    return dedent(source).lstrip()


FIBONACCI = Program(
    name="fibonacci",
    words=("fibonacci",),
    what="prints the first Fibonacci numbers",
    source=_program('''
        """Prints the first Fibonacci numbers."""

        import sys


        def fibonacci(count):
            numbers, a, b = [], 0, 1
            for _ in range(count - 1):
                numbers.append(a)
                a, b = b, a + b
            return numbers


        if __name__ == "__main__":
            print(*fibonacci(int(sys.argv[1])))
    '''),
    test=_program("""
        import unittest

        from fibonacci import fibonacci


        class FibonacciTest(unittest.TestCase):
            def test_the_first_eight(self):
                self.assertEqual(fibonacci(8), [0, 1, 1, 2, 3, 5, 8, 13])

            def test_none(self):
                self.assertEqual(fibonacci(0), [])


        if __name__ == "__main__":
            unittest.main()
    """),
    mistake="range(count - 1)",
    remedy="range(count)",
    lesson="the loop stopped one number too early",
    argument="10",
)

PRIMES = Program(
    name="primes",
    words=("prime",),
    what="prints every prime number up to a limit",
    source=_program('''
        """Prints every prime number up to a limit."""

        import sys


        def primes(limit):
            sieve = [True] * (limit + 1)
            found = []
            for number in range(1, limit + 1):
                if sieve[number]:
                    found.append(number)
                    for multiple in range(number * number, limit + 1, number):
                        sieve[multiple] = False
            return found


        if __name__ == "__main__":
            print(*primes(int(sys.argv[1])))
    '''),
    test=_program("""
        import unittest

        from primes import primes


        class PrimesTest(unittest.TestCase):
            def test_up_to_twenty(self):
                self.assertEqual(primes(20), [2, 3, 5, 7, 11, 13, 17, 19])

            def test_nothing_below_two(self):
                self.assertEqual(primes(1), [])


        if __name__ == "__main__":
            unittest.main()
    """),
    mistake="range(1, limit + 1)",
    remedy="range(2, limit + 1)",
    lesson="the sieve took 1 for a prime and then crossed out everything else",
    argument="50",
)

WORD_COUNT = Program(
    name="word_count",
    words=("word count", "count words", "counts words", "wordcount", "word frequency", "count the words"),
    what="counts how often each word occurs in a text",
    source=_program('''
        """Counts how often each word occurs in a text."""

        import collections
        import re
        import sys


        def count_words(text):
            return collections.Counter(re.findall(r"[a-z']+", text))


        if __name__ == "__main__":
            for word, times in count_words(sys.argv[1]).most_common(5):
                print(f"{times:3} {word}")
    '''),
    test=_program("""
        import unittest

        from word_count import count_words


        class CountWordsTest(unittest.TestCase):
            def test_capitals_do_not_matter(self):
                self.assertEqual(count_words("The cat saw the dog")["the"], 2)

            def test_punctuation_is_not_a_word(self):
                self.assertEqual(sum(count_words("stop, stop!").values()), 2)


        if __name__ == "__main__":
            unittest.main()
    """),
    mistake="text))",
    remedy="text.lower()))",
    lesson="capital letters were not part of any word",
    argument="'The cat saw the dog and the dog saw the cat'",
)

TODO = Program(
    name="todo",
    words=("todo", "to-do", "to do list", "task list"),
    what="keeps a list of things to do",
    source=_program('''
        """Keeps a list of things to do."""

        import sys


        class TodoList:
            def __init__(self):
                self.items = []

            def add(self, text):
                self.items.append({"text": text, "done": False})

            def finish(self, text):
                for item in self.items:
                    if item["text"] == text:
                        item["done"] == True

            def open(self):
                return [item["text"] for item in self.items if not item["done"]]


        if __name__ == "__main__":
            todo = TodoList()
            for text in sys.argv[1:]:
                todo.add(text)
            todo.finish(sys.argv[1])
            print("still open:", ", ".join(todo.open()))
    '''),
    test=_program("""
        import unittest

        from todo import TodoList


        class TodoListTest(unittest.TestCase):
            def test_what_is_added_is_open(self):
                todo = TodoList()
                todo.add("write")
                self.assertEqual(todo.open(), ["write"])

            def test_what_is_finished_is_not_open(self):
                todo = TodoList()
                todo.add("write")
                todo.add("rest")
                todo.finish("write")
                self.assertEqual(todo.open(), ["rest"])


        if __name__ == "__main__":
            unittest.main()
    """),
    mistake='item["done"] == True',
    remedy='item["done"] = True',
    lesson="a comparison stood where an assignment was meant",
    argument="write test rest",
)

SLUG = Program(
    name="slug",
    words=(),
    what="turns any title into a short name for a web address",
    source=_program('''
        """Turns any title into a short name for a web address."""

        import re
        import sys


        def slug(title):
            return re.sub(r"[^a-z0-9]+", "-", title.lower())


        if __name__ == "__main__":
            print(slug(" ".join(sys.argv[1:])))
    '''),
    test=_program("""
        import unittest

        from slug import slug


        class SlugTest(unittest.TestCase):
            def test_words_are_joined_by_dashes(self):
                self.assertEqual(slug("Nothing is lost"), "nothing-is-lost")

            def test_no_dash_at_the_end(self):
                self.assertEqual(slug("It never gets stuck!"), "it-never-gets-stuck")


        if __name__ == "__main__":
            unittest.main()
    """),
    mistake='"-", title.lower())',
    remedy='"-", title.lower()).strip("-")',
    lesson="punctuation at the end of a title left a dash behind",
    argument="'Agent chats that survive everything!'",
)

PROGRAMS = (FIBONACCI, PRIMES, WORD_COUNT, TODO)


def wanted(request: str) -> Program:
    """The program that fits what the user asked for."""
    return named(request) or SLUG


def named(request: str) -> Program | None:
    """The program whose words are in the request, if any are."""
    text = request.lower()
    return next((program for program in PROGRAMS if any(word in text for word in program.words)), None)
