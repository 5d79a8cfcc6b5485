// A worker that a test can kill. It boots a preview of a bare repository, prints its address, and stays.
import { execFileSync } from 'node:child_process';
import type { CodeHost } from '../../src/hosts/port.ts';
import { createProcessSandboxes } from '../../src/platform/previews/process.ts';
import { findSandbox, type SandboxKind } from '../../src/platform/sandbox/index.ts';

const given = (name: string): string => process.env[name] ?? '';

const checkOut: CodeHost['checkOut'] = async (_repository, commit, { folder }) => {
  execFileSync('git', ['clone', '-q', '--no-checkout', given('DIRECTORY'), folder], { stdio: 'ignore' });
  execFileSync('git', ['-C', folder, 'checkout', '-q', commit]);
  await Promise.resolve();
};
const { sandbox } = await findSandbox({ allowPlain: true, kinds: [given('KIND') as SandboxKind] });
const sandboxes = createProcessSandboxes({
  hosts: () => ({ checkOut }) as CodeHost,
  sandbox,
  directories: [],
  workDir: given('WORK_DIR'),
});
const preview = await sandboxes.boot(
  {
    name: 'interlock-preview-1-1',
    image: { kind: 'command', source: 'true' },
    repository: { accountId: '1', id: '1', owner: 'acme', name: 'shop', host: 'local' },
    commit: given('COMMIT'),
    port: 3000,
    setup: given('SETUP'),
    teardown: null,
    env: {},
    secrets: {},
    bootTimeoutMs: 20_000,
    lifeMs: 120_000,
  },
  { signal: new AbortController().signal, onOutput: () => {} },
);
console.log(preview.address);
setInterval(() => {}, 1_000);
