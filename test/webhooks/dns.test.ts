// Names that lead into the network of the service, by a real resolver and a DNS server of the test. They run in a
// network namespace, in which the hosts of the test have private and public addresses.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { addresses, attacks, goodName, privateAddress, publicAddress, rebinding } from './dns.table.ts';
import type { Report } from './dns-process.ts';

const refused = {
  status: null,
  error: 'The address is private, loopback or link-local: this installation sends nothing to such addresses.',
};
const reached = { status: 200, error: null };

const namespaces = ['--net', '--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
/** Not on macOS, and not in a container that forbids namespaces. `http-out.test.ts` needs none. */
const canMakeNamespaces = spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

describe.runIf(canMakeNamespaces)('a name', () => {
  let report: Report;
  beforeAll(async () => {
    report = await runInNamespace(fileURLToPath(new URL('dns-process.ts', import.meta.url)));
  });

  it('with a public address is connected to', () => {
    expect(report.guarded[goodName.name]).toEqual({ answer: reached, received: [mapped(publicAddress)] });
  });

  it.each(attacks)('with $what is not connected to', ({ name }) => {
    expect(report.guarded[name]).toEqual({ answer: refused, received: [] });
    // Control: a client without the guard reaches one of these addresses.
    expect(report.open[name]).toEqual({ answer: reached, received: [expect.any(String)] });
  });

  it(`with ${rebinding.what} is connected to at the address that was judged, and not afterwards`, () => {
    const [first, second] = report.rebound;
    expect(first).toEqual({ answer: reached, received: [mapped(publicAddress)] });
    // If the address were judged by one question and connected to by another, there would be two of a type.
    expect(report.questionsOfFirst).toEqual({ A: 1, AAAA: 1 });
    expect(second).toEqual({ answer: refused, received: [] });
  });

  it.each([`http://${privateAddress}/`, 'http://private.test/', '//[::1]/'])(
    'with a public address whose server redirects to %s is not followed there',
    (target) => {
      expect(report.redirects[target]).toEqual({
        answer: { status: 307, error: null },
        received: [mapped(publicAddress)],
      });
    },
  );
});

/** The server listens on IPv6, so it sees IPv4 addresses in this form. */
function mapped(address: string): string {
  return `::ffff:${address}`;
}

async function runInNamespace(script: string): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-dns-'));
  const resolver = join(folder, 'resolv.conf');
  const names = join(folder, 'nsswitch.conf');
  await writeFile(resolver, 'nameserver 127.0.0.1\n');
  await writeFile(names, 'hosts: dns\n');
  const setUp = [
    'ip link set lo up',
    ...addresses.map((address) => `ip addr add ${address}/${address.includes(':') ? '128 nodad' : '32'} dev lo`),
    'mount --bind "$0" /etc/resolv.conf',
    '{ ! test -e /etc/nsswitch.conf || mount --bind "$1" /etc/nsswitch.conf; }',
    'exec "$2" "$3"',
  ].join(' && ');
  const args = [...namespaces, 'sh', '-c', setUp, resolver, names, process.execPath, script];
  try {
    const { stdout } = await promisify(execFile)('unshare', args, { timeout: 60_000 });
    return JSON.parse(stdout) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
