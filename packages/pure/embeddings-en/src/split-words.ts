// Cuts a text into words as BERT's uncased tokenizer does: lower case without accents, punctuation and ideographs apart.
// Never throws, whatever the text; control characters and unpaired surrogates are dropped.
import { MAX_TEXT_CHARS, MAX_WORDS } from './limits.js';

const isAscii = /^[\0-\x7f]*$/;
const accents = /\p{Mn}/gu;
const dropped = /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]|(?![\t\n\r])\p{Cc}/gu;

/** One punctuation mark or ideograph, or a run of anything else but white space. */
const wordsOf = () =>
  /[!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]|[^\s!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]+/gu;

export function splitWords(text: string): readonly string[] {
  const read = text.slice(0, MAX_TEXT_CHARS);
  const clean = read.replace(dropped, '');
  const plain = isAscii.test(clean) ? clean.toLowerCase() : clean.normalize('NFD').replace(accents, '').toLowerCase();
  const found: string[] = [];
  for (const [word] of plain.matchAll(wordsOf())) {
    found.push(word);
    if (found.length === MAX_WORDS) break;
  }
  return found;
}
