"""Fits one vector to each word piece: fit.py FOLDER TEXTS.json TAUGHT.npz OUT.npz [DIMENSIONS] [LEAST_TEXTS].

A text is the sum of its pieces' vectors. They are found by ridge regression from the weighted bags of pieces to the
teacher's sentence vectors, around the teacher's own vectors of the pieces, and cut to DIMENSIONS by a singular value
decomposition. Pieces that fewer than LEAST_TEXTS texts have are left out of the vocabulary, single characters excepted:
their words are split further, as unknown words are.

OUT.npz: `vectors` (pieces x DIMENSIONS, each times its weight), the `vocabulary` by descending frequency, and the share of
the variance of the teacher's vectors that is `explained`.
"""
import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers

RIDGE = 0.1
STEPS = 40
IDF_FLOOR = 0.3


def word_pieces(vocabulary: list[str]) -> tokenizers.Tokenizer:
    """BERT's uncased tokenizer over a vocabulary of its own, without special tokens around a text."""
    places = {piece: at for at, piece in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(models.WordPiece(places, unk_token='[UNK]', max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def is_kept(piece: str, texts: int, least: int) -> bool:
    if piece == '[UNK]':
        return True
    if piece.startswith('[') and len(piece) > 1:
        return False
    return texts >= least or (len(piece.removeprefix('##')) == 1 and piece.isascii())


def bags(encoded: list[list[int]], size: int) -> tuple[np.ndarray, sp.csr_matrix]:
    """Weights of pieces, and the texts as weighted means of pieces."""
    counts = np.zeros(size)
    for ids in encoded:
        counts[list(set(ids))] += 1
    idf = np.log((len(encoded) + 1) / (counts + 1)) + IDF_FLOOR
    idf[0] = 0  # the unknown piece says nothing
    rows, columns, weights = [], [], []
    for at, ids in enumerate(encoded):
        weight = idf[ids]
        if weight.sum() > 0:
            rows += [at] * len(ids)
            columns += ids
            weights += list(weight / weight.sum())
    return idf, sp.csr_matrix((weights, (rows, columns)), shape=(len(encoded), size), dtype=np.float32)


def fit(bag: sp.csr_matrix, start: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Conjugate gradients on the normal equations, all columns at once."""
    transposed = bag.T.tocsr()
    residual = transposed @ (target - bag @ start)
    change, step = np.zeros_like(residual), residual.copy()
    norm = (residual * residual).sum(0)
    for _ in range(STEPS):
        applied = transposed @ (bag @ step) + RIDGE * step
        rate = norm / ((step * applied).sum(0) + 1e-12)
        change += rate * step
        residual -= rate * applied
        next_norm = (residual * residual).sum(0)
        step = residual + (next_norm / (norm + 1e-12)) * step
        norm = next_norm
    return start + change


def main() -> None:
    folder, texts_file, taught_file, out = (Path(argument) for argument in sys.argv[1:5])
    dimensions = int(sys.argv[5]) if len(sys.argv) > 5 else 256
    least = int(sys.argv[6]) if len(sys.argv) > 6 else 3
    texts = [text for source in json.loads(texts_file.read_text()).values() for text in source]
    taught = np.load(taught_file)
    teacher = tokenizers.Tokenizer.from_file(str(folder / 'teacher/all-minilm-l6-v2-q-tokenizer.json'))
    whole = [piece for piece, _ in sorted(teacher.get_vocab().items(), key=lambda item: item[1])]
    by_id = word_pieces(whole)
    counts = np.zeros(len(whole), dtype=int)
    for encoding in by_id.encode_batch(texts):
        counts[list(set(encoding.ids))] += 1
    found = [at for at, piece in enumerate(whole) if is_kept(piece, counts[at], least)]
    kept = sorted(found, key=lambda at: (whole[at] != '[UNK]', -counts[at], at))
    vocabulary = [whole[at] for at in kept]  # the commonest first
    encoded = [encoding.ids for encoding in word_pieces(vocabulary).encode_batch(texts)]
    idf, bag = bags(encoded, len(vocabulary))

    target = taught['texts'].astype(np.float32)
    target -= target.mean(0)
    start = taught['pieces'][kept].astype(np.float32)
    start -= start.mean(0)
    start *= np.sqrt((target**2).mean() / ((bag @ start) ** 2).mean())
    fitted = fit(bag, start, target)
    explained = 1 - ((target - bag @ fitted) ** 2).sum() / (target**2).sum()
    _, _, basis = np.linalg.svd(fitted * idf[:, None].clip(0) ** 0.5, full_matrices=False)
    vectors = fitted @ basis[:dimensions].T * idf[:, None]
    vectors[0] = 0
    print(f'{len(vocabulary)} pieces, explained {explained:.4f}')
    np.savez(out, vectors=vectors.astype(np.float32), vocabulary=np.array(vocabulary), explained=explained)


if __name__ == '__main__':
    main()
