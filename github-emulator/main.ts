// The emulator as a program. It prints one line of JSON, and serves until it gets SIGTERM or SIGINT.
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { type Emulator, startEmulator } from './index.ts';

interface Flags {
  readonly port: number;
  readonly data: string;
  readonly owner: string;
  readonly login: string;
  readonly webhook?: string;
  readonly seed: number;
  readonly tlsPort?: number;
  readonly tlsKey?: string;
  readonly tlsCert?: string;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Use a whole number.');
  return number;
}

async function main(): Promise<void> {
  const program = new Command('npm run github:emulator --')
    .description('Serves an emulator of GitHub: REST, GraphQL, git, webhooks and pages.')
    .option('--port <number>', 'the port to listen on; 0 is any free port', wholeNumber, 4900)
    .option('--data <folder>', 'the folder of the state and the repositories', '.github-emulator')
    .option('--owner <login>', 'the organisation of a new state', 'acme')
    .option('--login <login>', 'the person of a new state', 'octocat')
    .option('--webhook <url>', 'the address to which the App gets its webhooks')
    .option('--seed <number>', 'the seed of all random choices', wholeNumber, 1)
    .option('--tls-port <number>', 'also listens on this port with TLS', wholeNumber)
    .option('--tls-key <file>', 'the key of the certificate, PEM')
    .option('--tls-cert <file>', 'the certificate, PEM');
  const { data, webhook, tlsPort, tlsKey, tlsCert, ...flags } = program.parse().opts<Flags>();
  const emulator = await startEmulator({
    ...flags,
    dataDir: data,
    ...(webhook === undefined ? {} : { webhookUrl: webhook }),
    ...(tlsPort === undefined || tlsKey === undefined || tlsCert === undefined
      ? {}
      : { tls: { port: tlsPort, key: readFileSync(tlsKey, 'utf8'), cert: readFileSync(tlsCert, 'utf8') } }),
  });
  if (webhook !== undefined) emulator.setWebhookUrl(webhook);
  process.stdout.write(`${JSON.stringify(accessOf(emulator))}\n`);
  const stop = (): void => void emulator.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function accessOf(emulator: Emulator): Record<string, unknown> {
  const left = new Set(['core', 'controls', 'stop', 'setWebhookUrl', 'addPerson', 'addRepository']);
  return Object.fromEntries(Object.entries(emulator).filter(([name]) => !left.has(name)));
}

await main();
