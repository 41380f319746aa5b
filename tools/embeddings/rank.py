"""What the teacher itself finds: rank.py FOLDER TEXTS.json OUT.json, TEXTS.json as `npm run eval:search -- --write-texts` writes it.

OUT.json: for each set and question the ids of the ten nearest tools, by the cosine of the teacher's vectors.
"""
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from teach import Teacher


def main() -> None:
    folder, texts, out = (Path(argument) for argument in sys.argv[1:4])
    teacher = Teacher(folder)
    ranks = {}
    for name, given in json.loads(texts.read_text()).items():
        tools, queries = teacher.texts(given['tools']), teacher.texts(given['queries'])
        order = np.argsort(-(queries @ tools.T), axis=1, kind='stable')[:, :10]
        ranks[name] = {query: [given['ids'][at] for at in row] for query, row in zip(given['queries'], order)}
    model = hashlib.sha256((folder / 'teacher/all-minilm-l6-v2-q.onnx').read_bytes()).hexdigest()
    recipe = {'program': 'tools/embeddings/rank.py', 'teacherSha256': model, 'textsSha256': hashlib.sha256(texts.read_bytes()).hexdigest()}
    out.write_text(json.dumps({'recipe': recipe, 'ranks': ranks}, ensure_ascii=False, indent=0))


if __name__ == '__main__':
    main()
