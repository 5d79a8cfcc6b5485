// `npm start`: starts all parts in one process tree. It prints a line for each part, and then the addresses.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'commander';
import color from 'picocolors';
import { localDemoHost } from './demo/host.ts';
import { playDemo } from './demo/play.ts';
import { playFirstReleases } from './demo/releases.ts';
import { startScenario } from './demo/scenario.ts';
import { calledAs, examplesOf, installationFlags, nameHelpInErrors } from './launcher/called-as.ts';
import { readGitHubServer } from './launcher/general-settings.ts';
import { createProgress } from './launcher/progress.ts';
import { readSecretFiles } from './launcher/secret-files.ts';
import { StartError } from './launcher/start-error.ts';
import { stopOnSignals } from './launcher/stop-signals.ts';
import { closeInheritedDescriptors } from './platform/spawning/inherited.ts';
import type { GitHubOption } from './github.ts';
import { printFailure } from './run-tool.ts';
import { startInterlock, type Interlock } from './start.ts';

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly databaseUrl?: string;
  readonly temporalAddress?: string;
  readonly demo: boolean;
  readonly reset: boolean;
  readonly github?: string | true;
  readonly githubEmulator?: number | true;
}

const program = new Command(calledAs('start'))
  .description('Starts Interlock with an embedded PostgreSQL and Temporal.')
  .addOption(new Option('--port <n>', 'port of the API').default(4000).env('PORT').argParser(portOf))
  .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1').env('INTERLOCK_HOST'))
  .addOption(new Option('--data <dir>', 'directory with all data').default('.interlock').env('INTERLOCK_DATA'))
  .addOption(new Option('--database-url <url>', 'your own PostgreSQL instead of the embedded one').env('DATABASE_URL'))
  .addOption(
    new Option('--temporal-address <host:port>', 'your own Temporal instead of the embedded one').env(
      'TEMPORAL_ADDRESS',
    ),
  )
  .option('--demo', 'a demo repository in an empty data directory', true)
  .option('--no-demo', 'start without the demo repository')
  .option('--reset', 'delete all data in the data directory before the start', false)
  .addOption(
    new Option(
      '--github [server]',
      'print a link that makes a GitHub App and installs it; server: an Enterprise Server',
    )
      .env('GITHUB_SERVER')
      .conflicts('githubEmulator'),
  )
  .addOption(
    new Option('--github-emulator [port]', 'also start an emulator of GitHub, with a repository to try').argParser(
      portOf,
    ),
  )
  .addHelpText('after', examplesOf('start', '--port 4001 --data /var/lib/interlock', '--no-demo --github'));

/**
 * The time for stopping after PostgreSQL or Temporal has ended. In this time, running requests are answered and checks
 * are given back. Longer work would only wait for the server that has ended, so the next start continues it as after a
 * kill.
 */
const longestStopMs = 1_000;

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new StartError(`--port must be a number from 0 to 65535, not ${text}.`);
  return port;
}

function githubOf({ github, githubEmulator }: Flags): GitHubOption | null {
  if (githubEmulator !== undefined)
    return { kind: 'emulator', port: githubEmulator === true ? 4900 : githubEmulator, hasRepository: true };
  if (github === undefined) return null;
  return { kind: 'app', server: github === true ? 'https://github.com' : readGitHubServer(github) };
}

async function main(): Promise<void> {
  closeInheritedDescriptors();
  readSecretFiles(process.env);
  nameHelpInErrors(program, calledAs('start'));
  const flags = program.parse().opts<Flags>();
  const startedAt = performance.now();
  let isStopping = false;
  const starting = startInterlock(
    {
      dataDir: flags.data,
      port: flags.port,
      host: flags.host,
      databaseUrl: flags.databaseUrl ?? null,
      temporalAddress: flags.temporalAddress ?? null,
      reset: flags.reset,
      ciConcurrency: Math.max(2, availableParallelism()),
      github: githubOf(flags),
    },
    createProgress((line) => console.log(line)),
  );
  stopOnSignals({
    stop: async () => {
      isStopping = true;
      console.log('\nStopping. Running work is finished, or continued by the next start …');
      await starting.then(
        async (interlock) => await interlock.stop(),
        () => {},
      );
    },
  });
  const running = await starting;
  if (isStopping) return;
  welcome(running, flags, { seconds: (performance.now() - startedAt) / 1000, signInLink: await running.signInLink() });
  void running.lost.then(async (sentence) => await stopWithout(sentence, running));
  if (!running.isNew || !flags.demo) return;
  await playFirstDemo(running, flags).catch((error: unknown) => {
    // A failure of the demo does not stop the service.
    if (!isStopping)
      console.error(color.red(`The demo failed: ${error instanceof Error ? error.message : String(error)}`));
  });
}

/**
 * Stops Interlock after one of its parts has ended. The part is not restarted automatically, because the cause of its
 * failure would probably end the part again. The next start continues from the database.
 */
async function stopWithout(sentence: string, running: Interlock): Promise<void> {
  console.error(color.red(`\n${sentence} Interlock stops. Start it again, and it continues where it stopped.`));
  await Promise.race([running.stop(), delay(longestStopMs)]);
  process.exit(1);
}

async function playFirstDemo(running: Interlock, { data }: Flags): Promise<void> {
  const host = localDemoHost({ ...running, scenario: startScenario });
  const say = (line: string): void => console.log(color.dim(line));
  const demo = { ...running, host, scenario: startScenario, say };
  const played = await playDemo(demo);
  const wrong = await playFirstReleases(demo);
  const count = (wanted: string): number => played.filter(({ status }) => status === wanted).length;
  const { owner, name } = startScenario;
  const isUsualData = program.getOptionValueSource('data') === 'default';
  const verify = [calledAs('verify'), `${owner}/${name}`, ...(isUsualData ? [] : [installationFlags({ data })])];
  console.log(
    `\nThe demo is over: ${count('merged')} merged, ${count('blocked')} blocked. To verify all proofs: ${verify.join(' ')}`,
  );
  if (wrong.length > 0) console.error(color.red(`The releases of the demo have a wrong outcome: ${wrong.join('; ')}.`));
  else console.log(`To roll production back, press r and then Enter at ${running.url}/releases/${name}`);
}

function welcome(
  { url, token, temporalUi, sandbox, agent, githubLines }: Interlock,
  flags: Flags,
  { seconds, signInLink }: { readonly seconds: number; readonly signInLink: string | null },
): void {
  const access = join(flags.data, 'access.json');
  const shown = token === '' ? '<your token>' : `$(sed -n 's/.*"token": "\\(.*\\)".*/\\1/p' ${access})`;
  console.log(`\n${color.green('Interlock is ready')} after ${seconds.toFixed(1)} s; ${sandbox}; ${agent}.\n
  dashboard      ${signInLink === null ? `${url}/session   (sign in with a token)` : `${signInLink}   (signs you in: once, within 15 minutes)`}
  GraphQL        ${url}/graphql   (explore: ${url}/graphiql)
  REST           ${url}/api/v1
  git            ${url}/git/<owner>/<name>.git   (any user name, the token as password)
  Temporal UI    ${temporalUi === '' ? 'where your Temporal serves it' : temporalUi}
  data           ${flags.data}
  token          ${token === '' ? 'yours' : `in ${access}, which only you can read`}
${githubLines.map((line) => `  ${line}\n`).join('')}
Try it:
  curl -s -H "Authorization: Bearer ${shown}" ${url}/api/v1/repo\n\nCtrl-C stops Interlock, and the next start continues where it stopped.\n`);
}

main().catch((error: unknown) => {
  printFailure(error);
  process.exit(1);
});
