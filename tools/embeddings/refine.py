"""Second pass: draws texts that mean the same together. refine.py FITTED.npz PAIRS.json OUT.npz [DIMENSIONS]

Each batch asks which of its second texts belongs to each first text, and the other way round: cross-entropy over cosines at a
fixed temperature. Steps are few and small, so that the vectors stay near those that the teacher gave: more of them find more
of the pairs held back here, and less in sets of other fields.

OUT.npz: as fit.py writes it, with DIMENSIONS numbers a piece.
"""
import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import tokenizers

from fit import word_pieces

SEED = 23
EPOCHS = 2
BATCH = 512
RATE = 0.004  # of the root mean square of all numbers, a step; falls to a tenth
TEMPERATURE = 0.1
HELD_BACK = 2_048


def bag(texts: list[str], tokenizer: tokenizers.Tokenizer, size: int) -> sp.csr_matrix:
    encoded = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    rows = np.repeat(np.arange(len(encoded)), [len(ids) for ids in encoded])
    columns = np.concatenate([np.array(ids, dtype=int) for ids in encoded])
    ones = np.ones(len(columns), dtype=np.float32)
    return sp.csr_matrix((ones, (rows, columns)), shape=(len(encoded), size))


def unit(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
    return vectors / lengths, lengths


def gradient(first: sp.csr_matrix, second: sp.csr_matrix, vectors: np.ndarray) -> np.ndarray:
    (a, a_length), (b, b_length) = unit(first @ vectors), unit(second @ vectors)
    logits = a @ b.T / TEMPERATURE
    chance = [np.exp(logits - logits.max(axis, keepdims=True)) for axis in (0, 1)]
    error = sum(part / part.sum(axis, keepdims=True) for axis, part in enumerate(chance)) / 2
    error[np.diag_indices(len(error))] -= 1
    error /= len(error) * TEMPERATURE
    of_a, of_b = error @ b, error.T @ a
    of_a = (of_a - (of_a * a).sum(1, keepdims=True) * a) / a_length
    of_b = (of_b - (of_b * b).sum(1, keepdims=True) * b) / b_length
    return first.T @ of_a + second.T @ of_b


def refine(first: sp.csr_matrix, second: sp.csr_matrix, start: np.ndarray) -> np.ndarray:
    """Adam, with one second moment per piece."""
    random = np.random.default_rng(SEED)
    vectors, mean, square = start.copy(), np.zeros_like(start), np.zeros((len(start), 1), dtype=np.float32)
    scale = np.sqrt((start**2).mean())
    batches = [
        order[begin : begin + BATCH]
        for order in (random.permutation(first.shape[0]) for _ in range(EPOCHS))
        for begin in range(0, len(order) - BATCH, BATCH)
    ]
    for step, batch in enumerate(batches, 1):
        change = gradient(first[batch], second[batch], vectors)
        mean = 0.9 * mean + 0.1 * change
        square = 0.99 * square + 0.01 * (change**2).mean(1, keepdims=True)
        rate = RATE * scale * (1 - 0.9 * step / len(batches))
        vectors -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return vectors


def found_first(first: sp.csr_matrix, second: sp.csr_matrix, vectors: np.ndarray) -> float:
    (a, _), (b, _) = unit(first @ vectors), unit(second @ vectors)
    return float(((a @ b.T).argmax(1) == np.arange(a.shape[0])).mean())


def main() -> None:
    fitted, pairs_file, out = (Path(argument) for argument in sys.argv[1:4])
    loaded = np.load(fitted)
    dimensions = int(sys.argv[4]) if len(sys.argv) > 4 else loaded['vectors'].shape[1]
    start = loaded['vectors'][:, :dimensions].astype(np.float32)
    vocabulary = [str(piece) for piece in loaded['vocabulary']]
    pairs = [pair for source in json.loads(pairs_file.read_text()).values() for pair in source]
    pairs = [pairs[at] for at in np.random.default_rng(SEED).permutation(len(pairs))]
    tokenizer = word_pieces(vocabulary)
    first, second = (bag([pair[side] for pair in pairs], tokenizer, len(vocabulary)) for side in (0, 1))
    held, rest = slice(0, HELD_BACK), slice(HELD_BACK, None)
    vectors = refine(first[rest], second[rest], start)
    before, after = (found_first(first[held], second[held], each) for each in (start, vectors))
    print(f'pairs held back, found first: {before:.3f} before, {after:.3f} after')
    np.savez(out, vectors=vectors, vocabulary=loaded['vocabulary'], explained=loaded['explained'])


if __name__ == '__main__':
    main()
