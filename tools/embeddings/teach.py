"""The teacher's vectors: teach.py FOLDER TEXTS.json OUT.npz, FOLDER as fetch.sh leaves it.

OUT.npz: `pieces` (vocabulary x 384), the vector of each word piece alone; `texts` (texts x 384), the vector of each text.
Both are means over the tokens, of length 1 for texts. One thread, so that sums have one order.
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime as ort
import tokenizers

MAX_TOKENS = 64
BATCH = 32


class Teacher:
    def __init__(self, folder: Path) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(str(folder / 'teacher/all-minilm-l6-v2-q.onnx'), options)
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / 'teacher/all-minilm-l6-v2-q-tokenizer.json'))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()

    def mean(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        feed = {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
        hidden = self.session.run(None, feed)[0]
        return (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)

    def pieces(self) -> np.ndarray:
        cls, sep = (self.tokenizer.token_to_id(name) for name in ('[CLS]', '[SEP]'))
        size = self.tokenizer.get_vocab_size()
        ids = np.array([[cls, piece, sep] for piece in range(size)], dtype=np.int64)
        parts = [self.mean(ids[at : at + 128], np.ones_like(ids[at : at + 128])) for at in range(0, size, 128)]
        return np.vstack(parts)

    def texts(self, texts: list[str]) -> np.ndarray:
        """Those of one length go together, so that none is padded by much."""
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda at: (len(encoded[at]), at))
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            longest = max(len(encoded[at]) for at in batch)
            ids = np.array([encoded[at] + [0] * (longest - len(encoded[at])) for at in batch], dtype=np.int64)
            mask = np.array([[1] * len(encoded[at]) + [0] * (longest - len(encoded[at])) for at in batch], dtype=np.int64)
            found = self.mean(ids, mask)
            vectors[batch] = found / np.linalg.norm(found, axis=1, keepdims=True)
        return vectors


def main() -> None:
    teacher = Teacher(Path(sys.argv[1]))
    texts = [text for source in json.loads(Path(sys.argv[2]).read_text()).values() for text in source]
    np.savez(sys.argv[3], pieces=teacher.pieces().astype(np.float16), texts=teacher.texts(texts).astype(np.float16))


if __name__ == '__main__':
    main()
