import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  keyOfSecret,
  keyOfTokenDigest,
  promoteAfterMs,
  secretText,
  signatureHeaders,
  signingTokensAt,
} from '../../../src/domain/events/signature.ts';

const at = new Date('2022-04-13T02:41:58.000Z');
const message = (body: string) => ({ id: 'msg_loFOjxBNrRLzqYUf', body: Buffer.from(body), at });

describe('signatures', () => {
  it('equal those that Standard Webhooks publishes for its example', () => {
    const key = keyOfSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const headers = signatureHeaders(
      { current: key, next: null, previous: null },
      {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        body: Buffer.from('{"test": 2432232314}'),
        at: new Date(1614265330 * 1000),
      },
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(headers['webhook-timestamp']).toBe('1614265330');
  });

  it('are accepted by the library of Standard Webhooks for each key, and for no other body', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: at });
    onTestFinished(() => void vi.useRealTimers());
    const secrets = [1, 2, 3, 4].map((n) => secretText(Buffer.alloc(32, n)));
    const [current, next, previous] = secrets.map(keyOfSecret);
    if (!current || !next || !previous) throw new Error('unreachable');
    const sent = message('{"name":"grüße 🚀"}');
    const headers = signatureHeaders({ current, next, previous }, sent);
    const accepts = (secret: string, body: string): boolean => {
      try {
        new Webhook(secret).verify(body, headers);
        return true;
      } catch (error) {
        if (error instanceof WebhookVerificationError) return false;
        throw error;
      }
    };
    expect(secrets.map((secret) => accepts(secret, sent.body.toString()))).toEqual([true, true, true, false]);
    expect(accepts(secrets[0] ?? '', '{"name":"gruss"}')).toBe(false);
  });

  it('are the HMAC-SHA256 of RFC 4231 in lower-case hexadecimal, over the body alone', () => {
    const key = keyOfSecret('Jefe');
    const headers = signatureHeaders(
      { current: key, next: null, previous: null },
      message('what do ya want for nothing?'),
    );
    expect(headers['x-service-signature-sha256']).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('by a token use the digest of the token, even if the token is longer than a block', () => {
    const token = `il_live_${randomBytes(60).toString('base64url')}`;
    const key = keyOfTokenDigest(createHash('sha256').update(token).digest());
    const body = 'grüße 🚀\n';
    const headers = signatureHeaders({ current: key, next: null, previous: null }, message(body));
    expect(headers['x-service-signature-sha256']).toBe(createHmac('sha256', token).update(body, 'utf8').digest('hex'));
  });

  it('by several keys are in one header', () => {
    const [current, next, previous] = [1, 2, 3].map((n) => keyOfSecret(secretText(Buffer.alloc(32, n))));
    if (!current || !next || !previous) throw new Error('unreachable');
    const alone = signatureHeaders({ current, next: null, previous: null }, message('{}'));
    const all = signatureHeaders({ current, next, previous }, message('{}'));
    expect(Object.keys(alone)).toEqual([
      'x-service-signature-sha256',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(all['x-service-signature-sha256']).toBe(alone['x-service-signature-sha256']);
    expect(all['webhook-signature']?.split(' ')).toHaveLength(3);
    expect(all['webhook-signature']?.startsWith(`${alone['webhook-signature']} `)).toBe(true);
    const documented = (key: typeof current): string | undefined =>
      signatureHeaders({ current: key, next: null, previous: null }, message('{}'))['x-service-signature-sha256'];
    expect(all['x-service-signature-sha256-next']).toBe(documented(next));
    expect(all['x-service-signature-sha256-previous']).toBe(documented(previous));
    expect(new Set([current, next, previous].map(documented)).size).toBe(3);
  });

  it('by a secret that a user chose use the bytes of its text in both headers', () => {
    const headers = signatureHeaders({ current: keyOfSecret('Jefe'), next: null, previous: null }, message('{}'));
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.{}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'Jefe').update(signed).digest('base64')}`);
  });
});

describe('the signing tokens', () => {
  const day = 24 * 3_600_000;
  it.each([
    ['only the current token', { current: 'a', next: null, previous: null }, 0, 'a - -'],
    [
      'the named token beside the current one',
      { current: 'a', next: { token: 'b', promoteAt: 7 * day }, previous: null },
      7 * day - 1,
      'a b -',
    ],
    [
      'the named token beside the old one, from its day on',
      { current: 'a', next: { token: 'b', promoteAt: 7 * day }, previous: null },
      7 * day,
      'b - a',
    ],
    [
      'the named token beside the old one, to the end of its day',
      { current: 'a', next: { token: 'b', promoteAt: 7 * day }, previous: null },
      8 * day - 1,
      'b - a',
    ],
    [
      'only the named token, a day later',
      { current: 'a', next: { token: 'b', promoteAt: 7 * day }, previous: null },
      8 * day,
      'b - -',
    ],
    [
      'the token before, until its end',
      { current: 'b', next: null, previous: { token: 'a', until: day } },
      day - 1,
      'b - a',
    ],
    [
      'not the token before after its end',
      { current: 'b', next: null, previous: { token: 'a', until: day } },
      day,
      'b - -',
    ],
    [
      'a token that is named again while another still signs beside it',
      { current: 'b', next: { token: 'c', promoteAt: 9 * day }, previous: { token: 'a', until: day } },
      0,
      'b c a',
    ],
    [
      'each replaced token until its own end',
      {
        current: 'd',
        next: null,
        previous: { token: 'c', until: 3 * day },
        earlier: [
          { token: 'b', until: 2 * day },
          { token: 'a', until: day },
        ],
      },
      day,
      'd - c b',
    ],
    [
      'the token before the one that a due promotion replaces',
      { current: 'b', next: { token: 'c', promoteAt: 0 }, previous: { token: 'a', until: day / 2 } },
      day / 2 - 1,
      'c - b a',
    ],
    [
      'not the current token as a replaced one, if it was promoted again',
      { current: 'b', next: { token: 'a', promoteAt: 0 }, previous: { token: 'a', until: day } },
      1,
      'a - b',
    ],
    [
      'no token twice',
      { current: 'a', next: { token: 'a', promoteAt: 0 }, previous: { token: 'a', until: day } },
      0,
      'a - -',
    ],
  ] as const)('are %s', (_name, rotation, now, expected) => {
    const { current, next, previous, earlier } = signingTokensAt(rotation, now);
    expect([current, next ?? '-', previous ?? '-', ...earlier].join(' ')).toBe(expected);
  });

  it('are promoted after a week', () => expect(promoteAfterMs).toBe(7 * day));
});
