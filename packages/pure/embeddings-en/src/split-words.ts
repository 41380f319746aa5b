// Cuts a text into words as BERT's uncased tokenizer does: lower case without accents, punctuation and ideographs
// apart. Never throws; control characters and unpaired surrogates are dropped.
import { MAX_TEXT_CHARS, MAX_WORDS } from './limits.js';

const isAscii = /^[\0-\x7f]*$/;
const accents = /\p{Mn}/gu;
const dropped = /[\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]|(?![\t\n\r])\p{Cc}/gu;

/** One punctuation mark or ideograph, or a run of anything else but white space. */
const wordsOf = () =>
  /[!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]|[^\s!-/:-@[-`{-~\p{P}\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]+/gu;

/** Printable ASCII and white space: nothing of it is dropped. */
const isPlain = /^[\t\n\r -~]*$/;

export function splitWords(text: string): readonly string[] {
  const read = text.slice(0, MAX_TEXT_CHARS);
  if (isPlain.test(read)) return splitPlain(read.toLowerCase());
  const clean = read.replace(dropped, '');
  const plain = isAscii.test(clean) ? clean.toLowerCase() : clean.normalize('NFD').replace(accents, '').toLowerCase();
  const found: string[] = [];
  for (const [word] of plain.matchAll(wordsOf())) {
    found.push(word);
    if (found.length === MAX_WORDS) break;
  }
  return found;
}

/** The same for plain text in lower case, without the regular expression, which takes most of the time of a vector. */
function splitPlain(text: string): readonly string[] {
  const found: string[] = [];
  let start = -1; // of the word that is being read
  for (let at = 0; at < text.length && found.length < MAX_WORDS; at += 1) {
    const unit = text.charCodeAt(at);
    const isOfWord = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
    if (isOfWord) {
      if (start < 0) start = at;
      continue;
    }
    if (start >= 0) found.push(text.slice(start, at));
    start = -1;
    if (unit > 32 && found.length < MAX_WORDS) found.push(text.charAt(at));
  }
  if (start >= 0 && found.length < MAX_WORDS) found.push(text.slice(start));
  return found;
}
