// Runs verifications on the production worker. Checks what users see in Temporal. Checks that no secret of a preview is
// in any table or in any history of Temporal.
import { WorkflowFailedError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantPreviewSecret, setPreviewSecret } from '../../src/modules/previews/secrets/secrets.service.ts';
import { verificationWorkflowId } from '../../workflows/verification/messages.ts';
import { pullRequestNumberAttribute, verificationStatusAttribute } from '../../workflows/shared/search-attributes.ts';
import { endpoint, sandboxOf, skillPath, verificationsOf } from '../previews/verification-world.ts';
import { engineWorld, eventually, keepHistory, type EngineWorld } from './engine-world.ts';

let e: EngineWorld;
let v: ReturnType<typeof verificationsOf>;
beforeAll(async () => {
  e = await engineWorld();
  v = verificationsOf(e.w, async (isSo) => await eventually(isSo, 'the run', 90_000));
  await e.start();
});
afterAll(async () => {
  await v[Symbol.asyncDispose]();
  await e[Symbol.asyncDispose]();
});

const ofAccount = 'canary-account-7c1f50e2';
const ofRegistration = 'canary-registration-51b0aa9d';

const app = `require('node:http').createServer((request, response) => {
  console.log('asked with ' + process.env.API_TOKEN);
  response.setHeader('x-token', process.env.API_TOKEN);
  response.end('I have ' + process.env.API_TOKEN);
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const skill = `# Shop

## Login

GET /?token={{secret.API_TOKEN}}

Expect: status 200
`;

async function textOf(verificationId: string): Promise<string> {
  const { accountId } = e.w.ctx;
  const handle = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId }));
  // If a verification ends with status `error`, its workflow fails.
  await handle.result().catch((error: unknown) => {
    if (!(error instanceof WorkflowFailedError)) throw error;
  });
  const json = historyToJSON(await handle.fetchHistory());
  const decoded = [...json.matchAll(/"data":\s*"([^"]*)"/g)].map(([, data]) => Buffer.from(data ?? '', 'base64'));
  return [json, JSON.stringify((await handle.describe()).raw), ...decoded.map(String)].join('\n');
}

/** The tables that contain one of the words in a row, as text or as hex in a bytea column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await e.w.rows<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
       and has_table_privilege(oid, 'select')`,
  );
  expect(tables.length).toBeGreaterThan(60);
  const found: string[] = [];
  for (const { name } of tables)
    for (const word of words)
      for (const shape of [word, Buffer.from(word).toString('hex')]) {
        const [row] = await e.w.rows(`select 1 as one from "${name}" t where strpos(t::text, $1) > 0 limit 1`, [shape]);
        if (row !== undefined) found.push(name);
      }
  return [...new Set(found)];
}

describe('on Temporal', () => {
  it('a verification waits for its preview, tests it and reports its status; a newer head cancels the verification', async () => {
    await v.verify(endpoint);
    const number = await v.open('feature', { 'feature.txt': 'new\n' });
    const waiting = await v.comesTo(number, 'waiting');
    const { accountId } = v.ctx;
    const handle = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: waiting.id }));
    await eventually(
      async () => (await handle.describe()).typedSearchAttributes.get(verificationStatusAttribute) === 'waiting',
      'Temporal has the status of the verification',
      30_000,
    );
    expect((await handle.describe()).typedSearchAttributes.get(pullRequestNumberAttribute)).toBe(number);
    await v.register(number, await v.app((_, response) => response.end()));
    const passed = await v.comesTo(number, 'passed');
    expect(await handle.result()).toEqual({
      status: 'passed',
      summary: `acme/shop#${number} at ${passed.head.slice(0, 10)}: passed`,
    });
    expect(await v.check(passed.head)).toMatchObject({ state: 'success' });
    await keepHistory('verifications.endpoint', await handle.fetchHistory());

    await v.commit('feature', { 'more.txt': 'more\n' });
    const second = await v.comesTo(number, 'waiting', 1);
    await v.commit('feature', { 'again.txt': 'again\n' });
    const other = e.client.workflow.getHandle(verificationWorkflowId({ accountId, verificationId: second.id }));
    expect(await other.result()).toMatchObject({ status: 'canceled' });
    await keepHistory('verifications.canceled', await other.fetchHistory());
  });

  it('the secrets of previews are in no row and in no history, whatever the app does with them', async () => {
    await setPreviewSecret(v.ctx, v.secrets, { key: 'API_TOKEN', value: ofAccount });
    await grantPreviewSecret(v.ctx, { key: 'API_TOKEN', repository: v.repository });
    await v.image('node', { kind: 'command', source: 'echo "starting with $API_TOKEN"' });

    await v.verify(sandboxOf('secrets: [API_TOKEN]\n'));
    const setup = 'echo "setup has $API_TOKEN" >&2\nnode app.cjs &\n';
    const files = { 'app.cjs': app, '.service/scripts/preview-setup.sh': setup, [skillPath]: skill };
    const first = await v.open('first', files);
    await eventually(
      async () => ((await v.runs(first)).at(-1)?.status ?? '') !== '',
      'the verification has started',
      30_000,
    );
    const over = ['passed', 'failed', 'error'];
    await eventually(
      async () => over.includes((await v.runs(first)).at(-1)?.status ?? ''),
      'the verification has ended',
      90_000,
    );
    const driven = (await v.runs(first)).at(-1);

    const failing = await v.open('failing', {
      ...files,
      '.service/scripts/preview-setup.sh': 'echo "dying with $API_TOKEN"; exit 3\n',
    });
    const failed = await v.comesTo(failing, 'error');
    expect(failed.summary).toContain('dying with ***');

    await v.verify(endpoint);
    const second = await v.open('second', { 'second.txt': 'new\n', [skillPath]: skill });
    await v.comesTo(second, 'waiting');
    const url = await v.app((_request, response) =>
      response.writeHead(500, { 'x-token': ofRegistration }).end(ofRegistration),
    );
    await v.register(second, url, { secrets: { API_TOKEN: ofRegistration } });
    await eventually(
      async () => over.includes((await v.runs(second)).at(-1)?.status ?? ''),
      'the verification has ended',
      90_000,
    );
    const registered = (await v.runs(second)).at(-1);

    const log = await v.log(driven ?? failed);
    expect(log).toContain('setup has ***');
    expect(log).toContain('starting with ***');
    expect(await tablesWith(ofAccount, ofRegistration)).toEqual([]);
    for (const run of [driven, failed, registered]) {
      const history = await textOf(run?.id ?? '');
      expect(history).not.toContain(ofAccount);
      expect(history).not.toContain(ofRegistration);
    }
    // Proves that the search works: a planted secret is found.
    await e.w.rows('insert into verification_log (account_id, verification_id, text, at) values ($1, $2, $3, now())', [
      v.ctx.accountId,
      failed.id,
      `x${ofAccount}x`,
    ]);
    expect(await tablesWith(ofAccount)).toEqual(['verification_log']);
  });
});
