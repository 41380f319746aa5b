"""Writes the texts that the static model is fitted to: corpus.py FOLDER OUT.json, FOLDER as fetch.sh leaves it.

Six sources, each cut to a fixed number of texts by the SHA-256 of the text, so that the same sources give the same texts
in the same order on every machine. No text comes from a set that search is judged with.
"""
import gzip
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

COUNTS = {
    'debian': 30_000, 'wordnet': 70_000, 'examples': 25_000, 'methods': 26_000, 'tools': 25_000, 'requests': 60_000,
}
MAX_CHARS = 240


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def chosen(texts: Iterable[str], count: int) -> list[str]:
    """At most `count` different texts, by their digests."""
    clean = {' '.join(text.split())[:MAX_CHARS] for text in texts}
    return sorted((text for text in clean if len(text) > 8), key=digest)[:count]


def package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f'the Python package {name} is not installed: see requirements.txt')
    return Path(spec.origin).parent


def debian(folder: Path) -> Iterator[str]:
    """The one-line descriptions of Debian's packages."""
    for line in (folder / 'debian.txt').read_text(errors='replace').splitlines():
        if line.startswith('Description: '):
            yield line.removeprefix('Description: ')


def synsets(folder: Path) -> Iterator[tuple[str, list[str], str]]:
    """Part of speech, words and gloss of each synset of WordNet 3.1."""
    for part in ('verb', 'noun', 'adj', 'adv'):
        for line in (folder / f'wordnet/dict/data.{part}').read_text().splitlines():
            if line.startswith('  '):
                continue
            head, _, gloss = line.partition(' | ')
            fields = head.split(' ')
            words = [re.sub(r'\(.*\)$', '', fields[4 + 2 * at]) for at in range(int(fields[3], 16))]
            yield part, [word.replace('_', ' ') for word in words], gloss.strip()


def definitions(folder: Path) -> Iterator[str]:
    for _, words, gloss in synsets(folder):
        meaning, _, _ = gloss.partition('; "')
        yield f'{", ".join(words[:4])}: {meaning}'


def examples(folder: Path) -> Iterator[str]:
    for _, _, gloss in synsets(folder):
        yield from re.findall(r'"([^"]{12,})"', gloss)


def sentence(text: str) -> str:
    return re.split(r'(?<=[.!?])\s', ' '.join(re.sub(r'<[^>]+>', ' ', text).split()), maxsplit=1)[0]


def in_words(name: str) -> str:
    return re.sub(r'[_.\-/]+', ' ', re.sub(r'(?<=[a-z0-9])(?=[A-Z])', ' ', name)).lower()


class Method(NamedTuple):
    service: str
    name: str
    description: str
    arguments: list[str]


def methods() -> Iterator[Method]:
    """The operations of Google's and Amazon's APIs; of a description the first sentence."""
    for file in sorted((package_folder('googleapiclient') / 'discovery_cache/documents').glob('*.json')):
        service = json.loads(file.read_text())
        yield from google_methods(service, service.get('canonicalName', file.stem))
    for file in sorted((package_folder('botocore') / 'data').glob('*/*/service-2.json*')):
        yield from amazon_operations(file)


def google_methods(node: dict, service: str) -> Iterator[Method]:
    for method in node.get('methods', {}).values():
        name = ' '.join(method['id'].split('.')[-2:])
        yield Method(service, name, sentence(method.get('description', '')), list(method.get('parameters', {})))
    for resource in node.get('resources', {}).values():
        yield from google_methods(resource, service)


def amazon_operations(file: Path) -> Iterator[Method]:
    data = gzip.decompress(file.read_bytes()) if file.suffix == '.gz' else file.read_bytes()
    service = json.loads(data)
    title = service['metadata'].get('serviceId') or file.parts[-3]
    for name, operation in service['operations'].items():
        members = service['shapes'].get(operation.get('input', {}).get('shape'), {}).get('members', {})
        yield Method(title, name, sentence(operation.get('documentation', '')), list(members))


def method_texts(seen: list[Method]) -> Iterator[str]:
    for _, name, description, _ in seen:
        if description:
            yield description
            yield f'{in_words(name)}: {description}'


def tool_texts(seen: list[Method]) -> Iterator[str]:
    """As the product writes a tool down for a model: server, name, description, names of arguments."""
    for service, name, description, arguments in seen:
        named = f' arguments: {", ".join(in_words(argument) for argument in arguments[:8])}' if arguments else ''
        yield f'{in_words(service)}: {in_words(name)} {description}{named}'


ASKING = (
    'How do I {}?', 'I want to {}', 'I need to {} please', 'Can you {}?', 'help me {}', '{}', 'is there a way to {}?',
    'what tool can {}?', "I'd like to {}.", 'please {} for me',
)
WANTING = (
    'I am looking for {}', 'Can you recommend {}?', 'find me the best {}', 'what is {}?', 'where can I get {} near me?',
    'show me information about {}', 'tell me more about {}', 'How much does {} cost?', 'latest news about {}',
    'Could you give me some ideas for {}?', 'I have a question about {}', 'search for {}', 'compare {} and {}',
    'how does {} work?', 'I want to learn {}', 'make a list of {}', 'create a {}', 'delete the {}', 'update my {}',
)


def imperative(description: str) -> str | None:
    """`Deletes a record.` as `delete a record`; none where the sentence does not begin with a verb in -s."""
    first, _, rest = description.rstrip('.').partition(' ')
    if not re.fullmatch(r'[A-Z][a-z]+s', first) or not rest or len(rest) > 90:
        return None
    verb = first.lower()
    if re.search(r'(sh|ch|ss|x|z)es$', verb):
        verb = verb[:-2]
    elif verb.endswith('ies'):
        verb = verb[:-3] + 'y'
    else:
        verb = verb[:-1]
    return f'{verb} {rest[0].lower()}{rest[1:]}'


def pick(options: tuple[str, ...], text: str) -> str:
    return options[int(digest(text)[:8], 16) % len(options)]


def requests(folder: Path, seen: list[Method]) -> Iterator[str]:
    """What a person asks for, made from operations and from WordNet's words; the sentences around them are ours."""
    for _, _, description, _ in seen:
        wish = imperative(description)
        if wish is not None:
            yield pick(ASKING, wish).format(wish)
    nouns = [words[0] for part, words, _ in synsets(folder) if part == 'noun' and words[0].islower()]
    for at, noun in enumerate(nouns):
        yield pick(WANTING, noun).format(noun, nouns[(at * 7919 + 13) % len(nouns)])
    for part, words, gloss in synsets(folder):
        if part == 'verb':
            yield pick(ASKING, gloss).format(sentence(gloss.split(';')[0]))


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    seen = list(methods())
    sources = {
        'debian': debian(folder),
        'wordnet': definitions(folder),
        'examples': examples(folder),
        'methods': method_texts(seen),
        'tools': tool_texts(seen),
        'requests': requests(folder, seen),
    }
    texts = {name: chosen(source, COUNTS[name]) for name, source in sources.items()}
    out.write_text(json.dumps(texts))
    print({name: len(found) for name, found in texts.items()}, digest(out.read_text()))


if __name__ == '__main__':
    main()
