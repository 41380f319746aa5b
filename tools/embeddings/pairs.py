"""Writes pairs of texts that mean the same: pairs.py FOLDER OUT.json, FOLDER as fetch.sh leaves it.

What a person asks for, and what answers to it: operations of APIs (the description as a request; service, name and arguments),
and WordNet's words (the gloss as a request; the words) and examples (the example; words and gloss). Chosen by their SHA-256.
No text comes from a set that search is judged with.
"""
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus import ASKING, MAX_CHARS, WANTING, Method, digest, imperative, in_words, methods, pick, synsets

# More operations of APIs than this made the model worse at other fields: it learns the words of their services.
COUNTS = {'methods': 12_000, 'glosses': 40_000, 'examples': 17_000}
MIN_GLOSS_CHARS = 16

Pair = tuple[str, str]


def method_pairs(seen: Iterable[Method]) -> Iterator[Pair]:
    for service, name, description, arguments in seen:
        if not description:
            continue
        wish = imperative(description)
        asked = pick(ASKING, wish).format(wish) if wish is not None else description
        named = f' arguments: {", ".join(in_words(argument) for argument in arguments[:8])}' if arguments else ''
        yield asked, f'{in_words(service)}: {in_words(name)}{named}'


def gloss_pairs(folder: Path) -> Iterator[Pair]:
    for part, words, gloss in synsets(folder):
        meaning = gloss.split('; "')[0]
        if part in ('verb', 'noun') and len(meaning) >= MIN_GLOSS_CHARS:
            around = pick(ASKING if part == 'verb' else WANTING, gloss)
            yield around.format(meaning, 'this'), ', '.join(words[:4])


def example_pairs(folder: Path) -> Iterator[Pair]:
    for part, words, gloss in synsets(folder):
        found = re.findall(r'"([^"]{12,})"', gloss)
        if part in ('verb', 'noun') and found:
            yield found[0], f'{", ".join(words[:4])}: {gloss.split("; " + chr(34))[0]}'


def chosen(pairs: Iterable[Pair], count: int) -> list[Pair]:
    """At most `count` different pairs, by their digests."""
    clean = {(' '.join(one.split())[:MAX_CHARS], ' '.join(other.split())[:MAX_CHARS]) for one, other in pairs}
    return sorted(clean, key=lambda pair: digest('\n'.join(pair)))[:count]


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    sources = {'methods': method_pairs(methods()), 'glosses': gloss_pairs(folder), 'examples': example_pairs(folder)}
    pairs = {name: chosen(source, COUNTS[name]) for name, source in sources.items()}
    out.write_text(json.dumps(pairs))
    print({name: len(found) for name, found in pairs.items()}, digest(out.read_text()))


if __name__ == '__main__':
    main()
