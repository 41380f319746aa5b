// Signatures against a published vector.
import { expect, it } from 'vitest';
import { signatureHeaders } from './sign.js';

it('signs with HMAC-SHA256 as RFC 4231, test case 2, has it', () => {
  const hex = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  expect(signatureHeaders('Jefe', Buffer.from('what do ya want for nothing?'))).toEqual({
    'x-signature-sha256': hex,
    'x-service-signature-256': `sha256=${hex}`,
  });
});
