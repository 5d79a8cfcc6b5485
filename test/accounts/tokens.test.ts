import { createHmac, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  areSecretsOfInstallation,
  createAccount,
  createAuthenticator,
  tokenForgetting,
} from '../../src/modules/accounts/index.ts';
import {
  decryptSigningDigest,
  deriveSecrets,
  digestToken,
  encryptSigningDigest,
  generateSecrets,
  generateToken,
  isSameBytes,
  lookupOf,
  signingDigest,
} from '../../src/modules/accounts/tokens.ts';
import { forget } from '../support/forget.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe('a token', () => {
  it('is a prefix and 80 random characters, longer than a block of SHA-256', () => {
    expect(generateToken('account')).toMatch(/^il_live_[A-Za-z0-9_-]{80}$/);
    expect(generateToken('user')).toMatch(/^il_user_[A-Za-z0-9_-]{80}$/);
    expect(new Set(Array.from({ length: 100 }, () => lookupOf(generateToken('user')))).size).toBe(100);
    expect(
      ['', 'il_live_', `il_live_${'a'.repeat(79)}`, `il_test_${'a'.repeat(80)}`, `il_live_${'a'.repeat(81)}`].map(
        lookupOf,
      ),
    ).toEqual([null, null, null, null, null]);
  });

  it('signs by its digest as it would sign itself', () => {
    const token = generateToken('account');
    const body = randomBytes(1000);
    expect(createHmac('sha256', signingDigest(token)).update(body).digest('hex')).toBe(
      createHmac('sha256', token).update(body).digest('hex'),
    );
  });

  it('is recognised by a digest that depends on the secrets of the server', () => {
    const [a, b] = [generateSecrets(), generateSecrets()];
    const token = generateToken('user');
    expect(isSameBytes(digestToken(a, token), digestToken(a, token))).toBe(true);
    expect(isSameBytes(digestToken(a, token), digestToken(b, token))).toBe(false);
    expect(isSameBytes(digestToken(a, token), Buffer.alloc(3))).toBe(false);
  });

  it('has a signing digest that only its own row and key can decrypt', () => {
    const secrets = generateSecrets();
    const owner = { accountId: '1', tokenId: '2' };
    const digest = signingDigest(generateToken('account'));
    const sealed = encryptSigningDigest(secrets, owner, digest);
    expect(decryptSigningDigest(secrets, owner, sealed)).toEqual(digest);
    expect(sealed.includes(digest)).toBe(false);
    expect(() => decryptSigningDigest(secrets, { ...owner, accountId: '3' }, sealed)).toThrow('unable to authenticate');
    expect(() => decryptSigningDigest(secrets, { ...owner, tokenId: '3' }, sealed)).toThrow('unable to authenticate');
    expect(() => decryptSigningDigest(generateSecrets(), owner, sealed)).toThrow('unable to authenticate');
    const changed = Buffer.from(sealed);
    changed[20] = (changed[20] ?? 0) ^ 1;
    expect(() => decryptSigningDigest(secrets, owner, changed)).toThrow('unable to authenticate');
    expect(() => decryptSigningDigest(secrets, owner, Buffer.concat([Buffer.of(9), sealed.subarray(1)]))).toThrow(
      'Another version',
    );
  });

  it('uses secrets that are the same for the same INTERLOCK_SECRET, which must be long', () => {
    expect(deriveSecrets('x'.repeat(32))).toEqual(deriveSecrets('x'.repeat(32)));
    expect(deriveSecrets('x'.repeat(32))).not.toEqual(deriveSecrets('y'.repeat(32)));
    expect(() => deriveSecrets('short')).toThrow('at least 32 characters');
  });
});

describe('tokens of an account', () => {
  let s: TestServer;
  let now = Date.now();
  beforeAll(async () => (s = await startServer({ clock: () => new Date(now) })));
  afterAll(async () => await s.close());

  const create = async (input: Record<string, unknown>, token?: string) =>
    await s.graphql<{ createApiToken: { token: string; apiToken: { id: string } } }>(
      'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token apiToken { id name kind scopes signsWebhooks userEmail expiresAt } } }',
      { input },
      token,
    );
  const revoke = async (id: string, successor?: string) =>
    await s.graphql(
      'mutation ($id: ID!, $successor: ID) { revokeApiToken(input: {id: $id, successor: $successor}) { apiToken { revokedAt signsWebhooks } } }',
      { id, successor },
    );
  const status = async (token: string, url = s.url) =>
    (await fetch(`${url}/api/v1/repo`, { headers: { authorization: `Bearer ${token}` } })).status;

  it('are shown once, and are nowhere in the database', async () => {
    const { data } = await create({ name: 'CI', kind: 'ACCOUNT', scopes: ['QUEUE_READ', 'QUEUE_WRITE'] });
    const { token } = data.createApiToken;
    expect(data.createApiToken.apiToken).toMatchObject({
      name: 'CI',
      kind: 'ACCOUNT',
      scopes: ['QUEUE_READ', 'QUEUE_WRITE'],
      signsWebhooks: false,
      userEmail: 'service@acme.test',
      expiresAt: null,
    });
    expect(await status(token)).toBe(200);
    const random = token.slice('il_live_'.length + 12);
    const stored = (
      await s.rows<{ row: string }>(
        'select to_jsonb(t)::text as row from api_token t union all select to_jsonb(e)::text from event e',
      )
    )
      .map(({ row }) => row)
      .join('\n');
    expect(stored).toContain(lookupOf(token));
    for (const secret of [random, random.slice(0, 16), signingDigest(token).toString('hex')])
      expect(stored).not.toContain(secret);
  });

  it.each([
    ['no token', undefined],
    ['another scheme', 'Basic abc'],
    ['a malformed token', 'Bearer x'],
    ['an unknown token', `Bearer ${generateToken('user')}`],
    ['an empty token', 'Bearer '],
  ])('are refused with the same answer for %s', async (_what, authorization) => {
    const response = await fetch(`${s.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: '{"query":"{viewer{email}}"}',
    });
    expect([response.status, response.headers.get('www-authenticate'), await response.json()]).toEqual([
      401,
      'Bearer',
      { errors: [{ message: 'Unauthorized', extensions: { code: 'UNAUTHENTICATED' } }] },
    ]);
  });

  it('are refused if only their first characters are right', async () => {
    const token = s.token.slice(0, 30) + generateToken('account').slice(30);
    expect(await status(token)).toBe(401);
  });

  it('are at most 100 in force for each user, also if they are created at the same time', async () => {
    const other = await s.otherAccount();
    const insert = `insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes, revoked_at, expires_at)
      select t.account_id, t.user_id, t.kind, 'more', md5(random()::text), decode(md5(random()::text), 'hex'), t.scopes, $2, $3
      from api_token t, generate_series(1, $4::int) where t.account_id = $1 and t.signs_webhooks`;
    const past = new Date(now - 1_000).toISOString();
    await s.rows(insert, [other.accountId, past, null, 60]);
    await s.rows(insert, [other.accountId, null, past, 60]);
    await s.rows(insert, [other.accountId, null, null, 97]);
    const one = { name: 'one', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] };
    const answers = await Promise.all(Array.from({ length: 4 }, async () => await create(one, other.token)));
    const refused = answers.flatMap(({ errors }) => errors);
    expect(refused.map(({ message, extensions }) => [extensions.code, message])).toEqual(
      Array.from({ length: 2 }, () => [
        'CONFLICT',
        'This user has 100 tokens in force, and 100 are allowed. Revoke one that is not needed any more.',
      ]),
    );
    expect((await create({ ...one, kind: 'USER' })).errors).toEqual([]);
  });

  it('never grant a scope that the token of the request lacks', async () => {
    const admin = await s.tokenWith(['admin', 'queue:read']);
    const refused = await create({ name: 'More', scopes: ['QUEUE_READ', 'CONFIG_WRITE'] }, admin);
    expect(refused.errors).toMatchObject([
      {
        message: 'A token can only grant scopes that it has; this token lacks config:write.',
        extensions: { code: 'FORBIDDEN', field: 'input.scopes' },
      },
    ]);
    expect((await create({ name: 'Same', scopes: ['QUEUE_READ'] }, admin)).errors).toEqual([]);
  });

  it.each([
    [{ name: ' ', scopes: ['QUEUE_READ'] }, 'input.name'],
    [{ name: 'x'.repeat(101), scopes: ['QUEUE_READ'] }, 'input.name'],
    [{ name: 'x', scopes: [] }, 'input.scopes'],
    [{ name: 'x', scopes: ['QUEUE_READ'], expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
  ])('cannot be made with %j', async (input, field) => {
    expect((await create(input)).errors).toMatchObject([{ extensions: { code: 'BAD_INPUT', field } }]);
  });

  it('end when they expire', async () => {
    const token = await s.tokenWith(['queue:read'], { expiresAt: new Date(now + 500) });
    now += 499;
    expect(await status(token)).toBe(200);
    now += 1;
    expect(await status(token)).toBe(401);
  });

  it('end in every server when they are revoked', async () => {
    // The clock stands still, so the server does not read the token again because of its age.
    const other = await s.another();
    const { data } = await create({ name: 'Short', scopes: ['QUEUE_READ'] });
    const { token, apiToken } = data.createApiToken;
    expect([await status(token), await status(token, other.url)]).toEqual([200, 200]);
    const revoked = await revoke(apiToken.id);
    expect(revoked.errors).toEqual([]);
    await expect
      .poll(async () => [await status(token), await status(token, other.url)], { interval: 20 })
      .toEqual([401, 401]);
    const [before] = await s.rows('select revoked_at from api_token where name = $1', ['Short']);
    await revoke(apiToken.id);
    expect(await s.rows('select revoked_at from api_token where name = $1', ['Short'])).toEqual([before]);
  });

  it('are refused from the next request on by the server that revoked them, even without a notification', async () => {
    const { data } = await create({ name: 'Gone', scopes: ['QUEUE_READ'] });
    const { token, apiToken } = data.createApiToken;
    expect(await status(token)).toBe(200);
    // The server gets no notification until it has connected again.
    const owner = new pg.Client({ connectionString: s.databaseUrl });
    await owner.connect();
    const { rowCount } = await owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'interlock-listen'",
    );
    await owner.end();
    expect(rowCount).toBeGreaterThan(0);
    expect((await revoke(apiToken.id)).errors).toEqual([]);
    expect(await status(token)).toBe(401);
  });

  it('that sign webhooks can be revoked only if another account token signs instead', async () => {
    const { data } = await s.graphql<{ apiTokens: { id: string; name: string; signsWebhooks: boolean }[] }>(
      '{ apiTokens { id name signsWebhooks } }',
    );
    const signing = data.apiTokens.find(({ signsWebhooks }) => signsWebhooks)?.id ?? '';
    const user = (await create({ name: 'User', scopes: ['QUEUE_READ'] })).data.createApiToken.apiToken.id;
    const account = (await create({ name: 'Next', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] })).data.createApiToken
      .apiToken.id;
    expect((await revoke(signing)).errors).toMatchObject([
      { extensions: { code: 'CONFLICT', field: 'input.successor' } },
    ]);
    for (const wrong of [user, signing])
      expect((await revoke(signing, wrong)).errors).toMatchObject([
        { extensions: { code: 'BAD_INPUT', field: 'input.successor' } },
      ]);
    expect(await status(s.token)).toBe(200);
    expect((await revoke(account, signing)).errors).toEqual([]);
    const next = (await create({ name: 'Next 2', kind: 'ACCOUNT', scopes: ['QUEUE_READ'] })).data.createApiToken
      .apiToken.id;
    expect((await revoke(signing, next)).errors).toEqual([]);
    const signers = await s.rows<{ name: string }>(
      'select name from api_token where account_id = $1 and signs_webhooks',
      [s.accountId],
    );
    expect(signers).toEqual([{ name: 'Next 2' }]);
  });

  it('are listed in pages, newest first, and ended ones are deleted 90 days after their end if no row refers to them', async () => {
    const other = await startServer({ clock: () => new Date(now) });
    try {
      const day = 86_400_000;
      const end = (days: number): string => new Date(now - days * day).toISOString();
      await other.rows(
        `insert into api_token (account_id, user_id, kind, name, lookup, token_hmac, scopes, revoked_at, expires_at)
         select t.account_id, t.user_id, 'account', made.name, made.name, '\\x00', t.scopes, made.revoked::timestamptz, made.expires::timestamptz
         from api_token t, jsonb_to_recordset($1::jsonb) as made (name text, revoked text, expires text)`,
        [
          JSON.stringify([
            { name: 'revoked lately', revoked: end(89), expires: null },
            { name: 'revoked long ago', revoked: end(91), expires: null },
            { name: 'expired long ago', revoked: null, expires: end(91) },
            { name: 'expired lately', revoked: null, expires: end(89) },
            { name: 'began a session', revoked: end(91), expires: null },
            { name: 'made another', revoked: end(91), expires: null },
            { name: 'made by another', revoked: end(91), expires: null },
            { name: 'signed before', revoked: end(91), expires: null },
            { name: 'signs', revoked: null, expires: end(91) },
            { name: 'in force', revoked: null, expires: null },
          ]),
        ],
      );
      await other.rows("update api_token set signs_webhooks = name = 'signs'");
      await other.rows(
        "update api_token t set ends_with = m.id from api_token m where t.name = 'made by another' and m.name = 'made another'",
      );
      await other.rows(
        `insert into user_session (account_id, user_id, digest, scopes, token_id, started_at, used_at)
         select account_id, user_id, '\\x01', scopes, id, now(), now() from api_token where name = 'began a session'`,
      );
      await other.rows(
        `insert into webhook_signing (account_id, previous_token_id, previous_until)
         select account_id, id, now() from api_token where name = 'signed before'`,
      );
      const names = async (): Promise<string[]> => {
        const found: { id: string; name: string }[] = [];
        for (;;) {
          const { data, errors } = await other.graphql<{ apiTokens: { id: string; name: string }[] }>(
            'query ($after: ID) { apiTokens(first: 4, after: $after) { id name } }',
            { after: found.at(-1)?.id ?? null },
          );
          expect(errors).toEqual([]);
          found.push(...data.apiTokens);
          if (data.apiTokens.length < 4) return found.map(({ name }) => name);
        }
      };
      expect(await names()).toHaveLength(11);
      expect(await forget(other.ports.db, tokenForgetting, new Date(now))).toBe(4);
      expect(await names()).toEqual([
        'in force',
        'signs',
        'signed before',
        'began a session',
        'expired lately',
        'revoked lately',
        'First token',
      ]);
      const { errors } = await other.graphql('{ apiTokens(first: 101) { id } }');
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT', field: 'first' } }]);
    } finally {
      await other.close();
    }
  });

  it('show when they were last used, which is written at most once a minute', async () => {
    const other = await startServer({ clock: () => new Date(now) });
    try {
      const used = async (): Promise<number | undefined> =>
        (
          await other.rows<{ last_used_at: Date | null }>('select last_used_at from api_token')
        )[0]?.last_used_at?.getTime();
      const authenticator = await createAuthenticator({ ports: other.ports, secrets: other.secrets });
      const first = now;
      await authenticator.authenticateToken(other.token, 'test');
      await expect.poll(used).toBe(first);
      now += 30_000;
      await authenticator.authenticateToken(other.token, 'test');
      now += 31_000;
      await authenticator.authenticateToken(other.token, 'test');
      await expect.poll(used).toBe(now);
      await authenticator.close();
    } finally {
      await other.close();
    }
  });

  it('of a user leave an entry in the audit log if the user acts over GraphQL, and otherwise none', async () => {
    const fresh = await startServer();
    try {
      const user = await fresh.tokenWith(['admin', 'queue:read', 'queue:pause']);
      const pause =
        'mutation ($p: Boolean!) { pauseRepository(input: {repository: {owner: "acme", name: "shop"}, paused: $p}) { repository { id } } }';
      await fresh.graphql(
        'mutation { createRepository(input: {owner: "acme", name: "shop", host: LOCAL}) { repository { id } } }',
        {},
        user,
      );
      await fresh.graphql(pause, { p: true }, user);
      await fresh.graphql(pause, { p: false });
      await fresh.rest('POST', '/api/v1/repo', { body: { org: 'acme', name: 'shop', paused: true }, token: user });
      expect(await fresh.rows('select action, actor, entity, target from user_action order by id')).toEqual([
        { action: 'repository_created', actor: 'service@acme.test', entity: 'repository', target: 'acme/shop' },
        { action: 'repository_paused', actor: 'service@acme.test', entity: 'repository', target: 'acme/shop' },
      ]);
    } finally {
      await fresh.close();
    }
  });
});

it('a token that was once made with other secrets, and that no server accepts, does not tell those of the installation', async () => {
  const s = await startServer();
  try {
    const { secrets } = s;
    expect((await s.graphql('{ viewer { email } }')).status).toBe(200);
    await expect
      .poll(async () => await s.rows('select 1 from api_token where last_used_at is not null'))
      .toHaveLength(1);
    const others = generateSecrets();
    await createAccount(s.ports, others, { name: 'stray', email: 'stray@example.com' });
    expect([await areSecretsOfInstallation(s.ports, secrets), await areSecretsOfInstallation(s.ports, others)]).toEqual(
      [true, false],
    );
  } finally {
    await s.close();
  }
});
