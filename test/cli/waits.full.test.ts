// Waits that end with a failure, and a simulation, from the command line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { startProxy } from './service-proxy.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  await shop.addEnvironment();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

test('--wait ends with exit code 1 if the pull request leaves the queue', async () => {
  await shop.run('pause', '--yes');
  const onStderr = (text: string): void => {
    if (text.startsWith('#1: ')) void shop.run('dequeue', '1', '--yes');
  };
  const waited = await shop.runWith({ onStderr }, 'queue', '--wait');
  expect([waited.code, waited.stdout]).toEqual([1, expect.stringContaining('#1 is open.')]);
});

test('--wait ends with exit code 1 if the deployment fails', async () => {
  await shop.run('release', 'shop', '1.0-rc1');
  const input = { project: 'shop', environment: 'production', version: '1.0-rc1', status: 'FAILURE' };
  const onStderr = (text: string): void => {
    if (text === '1.0-rc1: pending\n') void shop.mutate('reportDeployment', input);
  };
  const deployed = await shop.runWith({ onStderr }, 'deploy', 'shop', 'production', '1.0-rc1', '--yes', '--wait');
  expect([deployed.code, deployed.stdout]).toEqual([1, expect.stringContaining('shop/production 1.0-rc1: failure.')]);
});

test.each([
  ['stdout', 'FAILURE', 1],
  ['stderr', 'SUCCESS', 0],
] as const)(
  '--wait outlives the reader of its %s, and a deployment that ends as %s ends it with %i',
  async (closed, status, code) => {
    const version = `2.0-rc${code + 1}`;
    await shop.run('release', 'shop', version);
    const bin = join(projectRoot, 'cli', 'bin.cjs');
    const argv = [bin, 'deploy', 'shop', 'production', version, '--yes', '--wait'];
    const child = spawn(process.execPath, argv, { cwd: shop.checkout, env: { ...process.env, ...shop.env } });
    child[closed].destroy();
    const ended = once(child, 'exit');
    await expect
      .poll(async () => await shop.s.rows("select 1 from deployment where status = 'pending'"))
      .toHaveLength(1);
    await shop.mutate('reportDeployment', { project: 'shop', environment: 'production', version, status });
    expect(await ended).toEqual([code, null]);
  },
);

test('--wait notices that the pull request left the queue while its cursor expired', async () => {
  await using proxy = await startProxy(new URL(shop.s.url));
  await shop.run('pause', '--yes');
  await shop.run('queue', '1');
  let said = '';
  const onStderr = (text: string): void => void (said += text);
  const waiting = shop.runWith({ onStderr }, 'queue', '1', '--wait', '--url', proxy.url);
  // The second sentence comes from the first read of the wait, which has the cursor.
  await expect.poll(() => said.match(/#1: /g)?.length).toBe(2);
  proxy.cut();
  await expect.poll(() => said).toContain('The connection is lost. Trying again …');
  await shop.run('dequeue', '1', '--yes');
  await shop.s.rows('update installation set epoch = epoch + 1');
  proxy.restore();
  const { code, stdout, stderr } = await waiting;
  expect([code, stdout], stderr).toEqual([1, expect.stringContaining('#1 is open.')]);
});

test('config simulate replays the last days with a configuration', async () => {
  await writeFile(join(shop.checkout, 'new.yml'), 'merge_rules:\n  labels:\n    trigger: go\n');
  const simulated = await shop.run('config', 'simulate', 'new.yml', '--days', '2', '--json');
  expect([simulated.code, simulated.stderr]).toEqual([0, 'Replaying 2 days …\n']);
  expect(JSON.parse(simulated.stdout)).toMatchObject({ accepted: true, problems: [] });
  expect((await shop.run('config', 'simulate', '--days', 'two')).stderr).toContain('--days must be a number from 1');
});
