import { fc } from '../support/properties.ts';
import { expect, it } from 'vitest';
import { createMask, maskSecrets, type Secret } from '../../src/platform/providers/mask.ts';

function written(secret: Secret, pieces: readonly string[]): string {
  let said = '';
  const mask = createMask(secret, (text) => void (said += text));
  for (const piece of pieces) mask.write(piece);
  mask.end();
  return said;
}

it.each([
  ['a whole secret', 'sesame', ['open sesame now'], 'open *** now'],
  ['a secret that arrives in pieces', 'sesame', ['open ses', 'a', 'me now sesa'], 'open *** now sesa'],
  ['a secret twice in a row', 'sesame', ['sesamesesame'], '******'],
  ['a secret whose beginning is repeated', 'aab', ['aaab'], 'a***'],
  [
    'each line of a secret with several lines',
    'first line\nsecond line',
    ['x second line', '\nfirst line\r\n'],
    'x ***\n***\r\n',
  ],
  ['several lines of a secret together', 'first line\nsecond line', ['first li', 'ne\nsecond line.'], '***.'],
  ['each of several secrets', ['sesame', 'pin'], ['open ses', 'ame by p', 'in'], 'open *** by ***'],
  ['the longer of two secrets with the same beginning', ['sesame', 'sesame seed'], ['sesame se', 'ed'], '***'],
  ['nothing if there is no secret', null, ['sesame'], 'sesame'],
])('the mask hides %s', (_what, secret, pieces, expected) => {
  expect(written(secret, pieces)).toBe(expected);
});

it('the mask hides a secret however the text is cut into pieces, and changes no other text', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
  const secrets = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), secrets, (pieces, secret) => {
      const said = written(secret, pieces);
      expect(said).not.toContain(secret);
      expect(said.replaceAll('***', secret)).toBe(pieces.join(''));
      expect(said).toBe(maskSecrets(secret, pieces.join('')));
    }),
  );
});
