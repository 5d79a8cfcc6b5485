// A Temporal behind TLS that requires a certificate of its clients. A proxy ends the TLS and forwards to the Temporal
// of the tests.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { StartError } from '../../src/launcher/start-error.ts';
import { prepareNamespace, searchAttributes } from '../../src/launcher/temporal-namespace.ts';
import { temporalSecurityFrom, type TemporalSecurity } from '../../src/launcher/temporal-security.ts';
import { connectTemporal } from '../../src/temporal.ts';

let folder = '';
let proxy: Server;
let address = '';
let security: TemporalSecurity;
const at = (name: string): string => join(folder, name);

/** Makes a certificate authority, and certificates of it for the server 127.0.0.1 and for a client. */
function makeCertificates(): void {
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  writeFileSync(at('extensions'), 'subjectAltName=IP:127.0.0.1');
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'extensions'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.crt`);
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-tls-'));
  makeCertificates();
  const [host = '', port = ''] = inject('temporal').address.split(':');
  const read = (name: string): Buffer => readFileSync(at(name));
  proxy = createServer(
    {
      cert: read('server.crt'),
      key: read('server.key'),
      ca: read('ca.crt'),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (outer) => {
      const inner = connect(Number(port), host);
      for (const socket of [outer, inner]) socket.on('error', () => [outer, inner].forEach((each) => each.destroy()));
      outer.pipe(inner).pipe(outer);
    },
  );
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  security = temporalSecurityFrom({
    TEMPORAL_TLS_CA: at('ca.crt'),
    TEMPORAL_TLS_CERT: at('client.crt'),
    TEMPORAL_TLS_KEY: at('client.key'),
  });
});
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true });
});

const { namespace } = inject('temporal');

it('the launcher, servers and workers connect with a certificate', async () => {
  await prepareNamespace({ address, namespace, searchAttributes, security });
  const client = connectTemporal({ address, namespace, security, log: pino({ level: 'silent' }) });
  const { pollers } = await client.client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: 'none' } });
  expect(pollers).toEqual([]);
  await client.close();
  const connection = await NativeConnection.connect({ address, ...security });
  await connection.close();
});

it('without a certificate or without TLS, a start fails and says that Temporal cannot be reached', async () => {
  const authority = temporalSecurityFrom({ TEMPORAL_TLS_CA: at('ca.crt') });
  for (const lesser of [authority, {}]) {
    const refusal = prepareNamespace({ address, namespace, searchAttributes, withinSec: 1, security: lesser });
    await expect(refusal).rejects.toThrow(StartError);
    await expect(refusal).rejects.toThrow(`Temporal at ${address} cannot be reached`);
  }
});
