// Text from an untrusted source: shown as text, with hidden characters named. Changes of direction stay inside it.
import { Fragment } from 'react';
import { toPieces } from '../lib/visible.js';

export function VisibleText({ text }: { readonly text: string }) {
  let at = 0;
  const pieces = toPieces(text).map((piece) => {
    at += piece.text.length;
    return { ...piece, key: at };
  });
  return (
    <bdi className="visible-text">
      {pieces.map(({ key, text: part, isHidden }) =>
        isHidden ? (
          <span key={key} className="hidden-character">
            {part}
          </span>
        ) : (
          <Fragment key={key}>{part}</Fragment>
        ),
      )}
    </bdi>
  );
}
