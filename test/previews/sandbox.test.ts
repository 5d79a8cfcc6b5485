import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BootFailed, type PreviewSandboxes } from '../../src/platform/previews/index.ts';
import { createProcessSandboxes } from '../../src/platform/previews/process.ts';
import { findSandbox, type Sandbox, type SandboxKind } from '../../src/platform/sandbox/index.ts';
import { until } from '../hosts/local-world.ts';
import { among } from '../support/tier.ts';
import { app, ask, previewWorld, setup, startsApp, teardown, type PreviewWorld } from './preview-world.ts';

const kinds = await Promise.all(
  (['bubblewrap', 'namespaces', 'plain'] as const).map(async (kind) => ({
    kind,
    ...(await findSandbox({ allowPlain: true, kinds: [kind] })),
  })),
);
const available = kinds.flatMap(({ kind, sandbox }) => (sandbox === null ? [] : [{ kind, sandbox }]));
// A preview has the same life in all kinds of sandboxes, but each kind isolates in another way. So only isolation is
// tested in each kind.
const lived = among(available, available.slice(0, 1));
const isolated = available.filter(({ kind }) => kind !== 'plain');

let world: PreviewWorld;
let images: string;
let sandboxes: PreviewSandboxes;

beforeAll(async () => void (world = await previewWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());
beforeEach(() => {
  world.forget();
  images = mkdtempSync(join(tmpdir(), 'il-images-'));
  chmodSync(images, 0o755);
});
afterEach(async () => {
  for (const name of await sandboxes.list()) await sandboxes.destroy(name);
  rmSync(images, { recursive: true, force: true });
});

function open(sandbox: Sandbox | null, directories: readonly string[] = [images]): PreviewSandboxes {
  sandboxes = createProcessSandboxes({
    hosts: () => world.local.host,
    sandbox,
    directories,
    workDir: world.workDir,
  });
  return sandboxes;
}

async function processes(): Promise<string> {
  const child = spawn('ps', ['-eo', 'args'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const piece of child.stdout) said += String(piece);
  return said;
}

describe.each(lived)('$kind', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  beforeEach(() => void open(sandbox));

  test('an app that the setup script leaves in the background is reached at its address', async () => {
    const preview = await world.boot(sandboxes, {
      secrets: { API_KEY: 'sesame-street' },
      env: { PREVIEW_URL: 'http://x' },
    });
    const echo = await ask(preview.address, '/cart?id=1', { method: 'POST', body: 'bread' });
    expect(echo).toMatchObject({ method: 'POST', url: '/cart?id=1', body: 'bread' });
    expect(echo.env).toMatchObject({ API_KEY: 'sesame-street', PREVIEW_URL: 'http://x' });
    expect(echo.files).toContain('app.cjs');
    expect(await sandboxes.list()).toEqual(['interlock-preview-1-1']);
    await preview.end();
    expect(await sandboxes.list()).toEqual([]);
    await expect(ask(preview.address)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|ENOENT/);
    expect(readdirSync(world.workDir)).toEqual([]);
  });

  test('the start command of an image runs together with the setup script', async () => {
    const preview = await world.boot(sandboxes, {
      image: { kind: 'command', source: 'node app.cjs' },
      files: { [setup]: 'echo made > made.txt' },
    });
    expect((await ask(preview.address)).files).toContain('made.txt');
  });

  test('a preview is ready when the setup script has exited and the port accepts connections', async () => {
    const slow = `setTimeout(() => { ${app} }, 700)`;
    const preview = await world.boot(sandboxes, { files: { 'app.cjs': slow } });
    expect((await ask(preview.address)).method).toBe('GET');
  });

  test('a setup script that fails is reported by its last line, without secrets', async () => {
    const booting = world.boot(sandboxes, {
      secrets: { TOKEN: 'sesame-street' },
      files: { [setup]: 'echo "no database for $TOKEN" >&2\nexit 3\n' },
    });
    await expect(booting).rejects.toThrow(new BootFailed(`${setup} exited with code 3: no database for ***`));
    expect(world.output()).toBe('no database for ***\n');
    expect(await sandboxes.list()).toEqual([]);
    expect(readdirSync(world.workDir)).toEqual([]);
  });

  test('a commit without the setup script is refused with advice', async () => {
    const booting = world.boot(sandboxes, { files: { [setup]: null } });
    await expect(booting).rejects.toThrow(
      new BootFailed(`The commit has no ${setup}: add it, or name another file by \`setup\` of the preview.`),
    );
  });

  test.each(['../../../etc/passwd', '/etc/passwd', '.'])(
    'the setup script must be a file of the checkout, not %s',
    async (path) => {
      await expect(world.boot(sandboxes, { setup: path })).rejects.toThrow(`The commit has no ${path}`);
    },
  );

  test('a boot fails if nothing listens on the port, or if the setup script does not end', async () => {
    const silent = world.boot(sandboxes, { files: { [setup]: 'echo done' }, bootTimeoutMs: 8_000 });
    const slow = world.boot(sandboxes, {
      name: 'interlock-preview-2-1',
      files: { [setup]: 'echo still; sleep 60' },
      bootTimeoutMs: 8_000,
    });
    await Promise.all([
      expect(silent).rejects.toThrow(/^Nothing listened on port \d+ \(PORT\) after 8 s: done$/),
      expect(slow).rejects.toThrow(`${setup} had not ended after 8 s: still`),
    ]);
    expect(readdirSync(world.workDir)).toEqual([]);
  });

  test('a start command that fails ends the boot at once, with its last line', async () => {
    const booting = world.boot(sandboxes, {
      image: { kind: 'command', source: 'echo no such module; exit 9' },
      files: { [setup]: 'sleep 60' },
    });
    await expect(booting).rejects.toThrow('The app ended during the boot with code 9: no such module');
  });

  test('a boot can be stopped, and a stopped boot is not a failure of the app', async () => {
    const stopping = new AbortController();
    const booting = world.boot(sandboxes, { files: { [setup]: 'echo up; sleep 60' }, signal: stopping.signal });
    booting.catch(() => {});
    await until('the setup script runs', async () => world.output().includes('up'));
    stopping.abort(new Error('not wanted any more'));
    await expect(booting).rejects.toThrow('not wanted any more');
    expect(readdirSync(world.workDir)).toEqual([]);
  });

  test('the teardown script runs once before the end, and its failure does not delay the end', async () => {
    const preview = await world.boot(sandboxes, {
      teardown,
      files: { [teardown]: '#!/bin/sh\necho "took $HEAD_SHA down"; exit 4' },
    });
    await Promise.all([preview.end(), preview.end()]);
    await preview.end();
    expect(world.output().match(/took [0-9a-f]{40} down/g)).toHaveLength(1);
    expect(world.output()).toContain(`[interlock] ${teardown} exited with code 4.`);
    expect(await preview.ended).toBe('The preview was stopped.');
  });

  test('a missing teardown script is reported, and does not delay the end', async () => {
    const preview = await world.boot(sandboxes, { teardown });
    await preview.end();
    expect(world.output()).toContain(`The commit has no ${teardown}`);
  });

  test('a sandbox that is booted under the name of another replaces it', async () => {
    const first = await world.boot(sandboxes);
    const second = await world.boot(sandboxes, { env: { AGAIN: 'yes' } });
    expect(await first.ended).toBe('The preview was stopped.');
    expect((await ask(second.address)).env).toMatchObject({ AGAIN: 'yes' });
    expect(await sandboxes.list()).toEqual(['interlock-preview-1-1']);
  });

  test('a sandbox that is destroyed by its name is torn down once, and destroying is idempotent', async () => {
    const preview = await world.boot(sandboxes, { teardown, files: { [teardown]: 'echo torn' } });
    await Promise.all([sandboxes.destroy('interlock-preview-1-1'), preview.end()]);
    await sandboxes.destroy('interlock-preview-1-1');
    await sandboxes.destroy('interlock-preview-1-2');
    expect(await preview.ended).toBe('The preview was stopped.');
    expect(world.output().match(/torn/g)).toHaveLength(1);
  });

  test('a sandbox that is removed by its name ends without its teardown script, and removing is idempotent', async () => {
    const preview = await world.boot(sandboxes, { teardown, files: { [teardown]: 'echo torn' } });
    await sandboxes.remove('interlock-preview-1-1');
    await sandboxes.remove('interlock-preview-1-1');
    await preview.ended;
    expect(await sandboxes.list()).toEqual([]);
    expect(world.output()).not.toContain('torn');
  });

  test('a sandbox that is booted in the place of another tears the old one down first', async () => {
    const files = { [teardown]: 'echo "torn: $WHO"' };
    const first = await world.boot(sandboxes, { teardown, files, env: { WHO: 'first' } });
    await world.boot(sandboxes, { teardown, files, env: { WHO: 'second' } });
    expect(await first.ended).toBe('The preview was stopped.');
    expect(world.output()).toContain('torn: first');
    expect(world.output()).not.toContain('torn: second');
  });

  test('at the end of its life, a sandbox has run its teardown script', async () => {
    const preview = await world.boot(sandboxes, { lifeMs: 30_000, teardown, files: { [teardown]: 'echo torn' } });
    expect(await preview.ended).toBe('The preview was stopped.');
    expect(world.output()).toContain('torn');
    expect(await sandboxes.list()).toEqual([]);
  });

  test('a sandbox ends by itself at the end of its life', async () => {
    const preview = await world.boot(sandboxes, { lifeMs: 8_000 });
    expect(await preview.ended).toBe('The preview was stopped at the end of its life.');
    await until('it is not listed', async () => (await sandboxes.list()).length === 0);
  });

  test('an app that exits ends the preview, with its last line of output', async () => {
    const preview = await world.boot(sandboxes, {
      image: {
        kind: 'command',
        source: 'node app.cjs & while ! test -e asked; do sleep 0.05; done; echo out of memory; kill $!; exit 137',
      },
      files: {
        [setup]: 'true',
        'app.cjs': `require('node:http').createServer((_, response) => {
          response.end('{}', () => require('node:fs').writeFileSync('asked', ''));
        }).listen(process.env.PORT, '127.0.0.1');`,
      },
    });
    await ask(preview.address);
    expect(await preview.ended).toBe('The app ended with code 137: out of memory');
  });

  test('a directory can be an image: the app finds its files, and its start is run', async () => {
    mkdirSync(join(images, 'shop'));
    writeFileSync(join(images, 'shop', 'start'), '#!/bin/sh\nexec node "$PREVIEW_IMAGE/server.cjs"\n', { mode: 0o755 });
    writeFileSync(join(images, 'shop', 'server.cjs'), app);
    chmodSync(join(images, 'shop'), 0o755);
    const preview = await world.boot(sandboxes, {
      image: { kind: 'directory', source: join(images, 'shop') },
      files: { [setup]: 'true' },
    });
    expect((await ask(preview.address)).files).toContain('app.cjs');
  });

  test.each([
    ['outside of the allowed directories', () => tmpdir()],
    ['with a name that only begins like an allowed one', () => `${images}-not`],
    ['outside of the allowed ones by `..`', () => `${images}/../`],
    ['that does not exist', () => join(images, 'nothing')],
    [
      'that is a link to outside',
      () => {
        symlinkSync('/etc', join(images, 'out'));
        return join(images, 'out');
      },
    ],
    [
      'that is a file',
      () => {
        writeFileSync(join(images, 'file'), '');
        return join(images, 'file');
      },
    ],
  ])('a directory %s is refused', async (_what, source) => {
    mkdirSync(`${images}-not`, { recursive: true });
    const booting = world.boot(sandboxes, { image: { kind: 'directory', source: source() } });
    await expect(booting).rejects.toThrow(
      /is not allowed on this worker: the operator names the allowed directories by PREVIEW_IMAGE_DIRECTORIES\.$/,
    );
    rmSync(`${images}-not`, { recursive: true });
  });

  test('a sandbox ends if its worker is killed', async () => {
    const marker = `sleep 6${Date.now() % 1_000_000}`;
    const commit = world.local.commit({
      branch: 'change',
      from: null,
      files: { 'app.cjs': app, [setup]: `${startsApp}${marker} &\n` },
    });
    const program = new URL('booting-process.ts', import.meta.url).pathname;
    const { directory } = world.local;
    const worker = spawn(process.execPath, ['--no-warnings', program], {
      env: {
        ...process.env,
        KIND: sandbox.kind,
        DIRECTORY: directory,
        COMMIT: commit,
        SETUP: setup,
        WORK_DIR: world.workDir,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await new Promise<Buffer[]>((resolve) =>
      worker.stdout.once('data', (...all: Buffer[]) => resolve(all)),
    );
    const address = String(said).trim();
    expect((await ask(address)).method).toBe('GET');
    expect(await processes()).toContain(marker);
    worker.kill('SIGKILL');
    await until('nothing of it is left', async () => !(await processes()).includes(marker));
    await expect(ask(address)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|ENOENT/);
    // The next process that lists this folder removes the files of the dead process.
    expect(readdirSync(world.workDir)).toHaveLength(1);
    const others = open(sandbox);
    await until('its folders are removed', async () => {
      expect(await others.list()).toEqual([]);
      return readdirSync(world.workDir).length === 0;
    });
  });
});

describe.each(isolated)('$kind isolates', ({ sandbox }: { kind: SandboxKind; sandbox: Sandbox }) => {
  beforeEach(() => void open(sandbox));

  test('an app has its own port, even if the same one is taken here and in another preview', async () => {
    const first = await world.boot(sandboxes, { name: 'a', env: { WHO: 'a' } });
    const second = await world.boot(sandboxes, { name: 'b', env: { WHO: 'b' } });
    expect((await ask(first.address)).env).toMatchObject({ WHO: 'a', PORT: '3000' });
    expect((await ask(second.address)).env).toMatchObject({ WHO: 'b', PORT: '3000' });
  });

  test('the app reaches nothing on this machine, nor the socket of its preview', async () => {
    const outside = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1');
    await once(outside, 'listening');
    const { port } = outside.address() as { port: number };
    const probe = `
      const { connect } = require('node:net'); const { execSync } = require('node:child_process');
      const say = (what) => console.log('PROBE ' + what);
      const { readdirSync, readlinkSync } = require('node:fs');
      const link = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
      say('sockets ' + readdirSync('/proc/self/fd').filter((fd) => fd > 2 && link(fd).startsWith('socket:')).length);
      const found = execSync("find / -type s 2>/dev/null || true").toString().trim(); say('paths [' + found + ']');
      connect(${port}, '127.0.0.1').on('connect', () => say('outside')).on('error', (error) => say(error.code));`;
    await world.boot(sandboxes, { files: { 'probe.cjs': probe, [setup]: `node probe.cjs\n${startsApp}` } });
    outside.close();
    expect(world.output()).toContain('PROBE ECONNREFUSED');
    expect(world.output()).toContain('PROBE sockets 0');
    expect(world.output()).toContain('PROBE paths []');
  });

  test('a directory image is read-only, and its links reach nothing outside', async () => {
    mkdirSync(join(images, 'shop', 'bin'), { recursive: true });
    writeFileSync(join(images, 'shop', 'hello'), 'hello\n');
    writeFileSync(join(images, 'secret'), 'sesame\n');
    symlinkSync(join(images, 'secret'), join(images, 'shop', 'link'));
    chmodSync(join(images, 'shop'), 0o777);
    const script = `echo "at $PREVIEW_IMAGE"; cat $PREVIEW_IMAGE/hello; cat $PREVIEW_IMAGE/link || echo nowhere
      touch $PREVIEW_IMAGE/mine || echo read-only\n${startsApp}`;
    await world.boot(sandboxes, {
      image: { kind: 'directory', source: join(images, 'shop') },
      files: { [setup]: script },
    });
    expect(world.output()).toContain('at /opt/preview\nhello\n');
    expect(world.output()).toContain('nowhere');
    expect(world.output()).toContain('read-only');
    expect(existsSync(join(images, 'shop', 'mine'))).toBe(false);
    expect(world.output()).not.toContain('sesame');
  });

  test('secrets are in no command line, and in no environment outside of the app', async () => {
    const preview = await world.boot(sandboxes, { secrets: { LD_PRELOAD: '/tmp/evil-sesame.so' } });
    expect((await ask(preview.address)).env).toMatchObject({ LD_PRELOAD: '/tmp/evil-sesame.so' });
    expect(await processes()).not.toContain('sesame');
    // The programs around the app are part of Interlock, and must not load a library that a secret names.
    expect(world.output()).not.toContain('evil');
  });

  test('a process has a limit of memory and of the size of a file', async () => {
    const hungry = "node -e 'const kept = []; for (;;) kept.push(Buffer.alloc(64 << 20, 1))'";
    sandboxes = createProcessSandboxes({
      hosts: () => world.local.host,
      sandbox: { ...sandbox, bounds: { ...sandbox.bounds, bytesPerFile: 1 << 20 } },
      directories: [],
      workDir: world.workDir,
      limits: { memoryBytes: 1 << 30, teardownTimeoutMs: 1_000 },
    });
    const script = `${hungry} >/dev/null 2>&1 || echo too hungry\nhead -c 2000000 /dev/zero > big || echo too big\n${startsApp}`;
    await world.boot(sandboxes, { files: { [setup]: script } });
    expect(world.output()).toContain('too hungry');
    expect(world.output()).toContain('too big');
  });
});

test('a preview that fills the disk is stopped, and the message gives the reason', async () => {
  const [{ sandbox } = { sandbox: null }] = available;
  open(sandbox && { ...sandbox, bounds: { ...sandbox.bounds, bytes: 20_000_000 } });
  const fills = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > "$HOME/$i"; done';
  await expect(world.boot(sandboxes, { files: { [setup]: fills } })).rejects.toThrow(
    /The app was stopped: its files take more than 20 MB together/,
  );
});

test('a commit whose files are larger than the disk of a run is not booted, and the message gives the reason', async () => {
  const [{ sandbox } = { sandbox: null }] = available;
  open(sandbox && { ...sandbox, bounds: { ...sandbox.bounds, bytes: 1_000_000 } });
  const booting = world.boot(sandboxes, { files: { 'large.txt': 'x'.repeat(1_500_000) } });
  await expect(booting).rejects.toThrow(BootFailed);
  await expect(booting).rejects.toThrow('is not checked out: its files take more than 1 MB together');
});

describe('a worker', () => {
  test('without a sandbox boots nothing, and says what to install', async () => {
    const message = /has no sandbox for previews. Install bubblewrap/;
    expect(await open(null).refusal('command')).toMatch(message);
    await expect(world.boot(sandboxes)).rejects.toThrow(message);
  });

  test('without docker refuses docker images, and without directories refuses directory images', async () => {
    open(available[0]?.sandbox ?? null, []);
    expect(await sandboxes.refusal('docker')).toBe('An image of docker needs a docker daemon.');
    expect(await sandboxes.refusal('directory')).toMatch(/PREVIEW_IMAGE_DIRECTORIES/);
    expect(await sandboxes.refusal('command')).toBeNull();
  });
});
