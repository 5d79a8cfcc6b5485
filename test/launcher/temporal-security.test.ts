import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporalSecurityFrom } from '../../src/launcher/temporal-security.ts';

let folder = '';
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-tls-'));
  for (const name of ['ca', 'cert', 'key']) writeFileSync(at(name), name);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('connections to Temporal', () => {
  const files = (): Readonly<Record<string, string>> => ({
    TEMPORAL_TLS_CA: at('ca'),
    TEMPORAL_TLS_CERT: at('cert'),
    TEMPORAL_TLS_KEY: at('key'),
  });
  const pair = { crt: Buffer.from('cert'), key: Buffer.from('key') };

  it('are not encrypted unless something is set', () => {
    expect([temporalSecurityFrom({}), temporalSecurityFrom({ TEMPORAL_TLS: 'false' })]).toEqual([{}, {}]);
  });

  it('are encrypted by any of the settings, and by all of them', () => {
    expect(temporalSecurityFrom({ TEMPORAL_TLS: 'true' })).toEqual({ tls: {} });
    expect(temporalSecurityFrom({ TEMPORAL_API_KEY: 'secret' })).toEqual({ tls: {}, apiKey: 'secret' });
    expect(temporalSecurityFrom({ ...files(), TEMPORAL_TLS_SERVER_NAME: 'temporal' })).toEqual({
      tls: { serverRootCACertificate: Buffer.from('ca'), clientCertPair: pair, serverNameOverride: 'temporal' },
    });
  });

  it.each([
    [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS must be true or false, not yes.'],
    [{ TEMPORAL_TLS_CA: '/nowhere/ca' }, 'TEMPORAL_TLS_CA names /nowhere/ca, which cannot be read (ENOENT).'],
    [{ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'secret' }, 'TEMPORAL_TLS is false, and another setting needs TLS'],
  ])('are refused for %j', (env, sentence) => {
    expect(() => temporalSecurityFrom(env)).toThrow(sentence);
  });

  it('need a certificate and its key together', () => {
    const { TEMPORAL_TLS_CERT } = files();
    expect(() => temporalSecurityFrom({ TEMPORAL_TLS_CERT })).toThrow('set both, or neither');
  });
});
