// `npm run demo`: starts an Interlock in a temporary directory, plays twelve pull requests and their release, and
// checks the outcome.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import color from 'picocolors';
import { githubDemoHost, localDemoHost, type DemoHost } from './demo/host.ts';
import { checkOutcome } from './demo/outcome.ts';
import { playDemo } from './demo/play.ts';
import { playPreview } from './demo/preview.ts';
import { playReleases } from './demo/releases.ts';
import { playRunbook } from './demo/runbook.ts';
import { demoScenario, githubScenario, type Scenario } from './demo/scenario.ts';
import { createProgress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { stopOnSignals } from './launcher/stop-signals.ts';
import { nodeFlags } from './platform/node-flags.ts';
import { projectRoot } from './platform/project-root.ts';
import { closeInheritedDescriptors } from './platform/spawning/inherited.ts';
import { startInterlock, type Interlock } from './start.ts';

const colours = {
  landed: color.green,
  deployed: color.green,
  passed: color.green,
  forced: color.green,
  bisected: color.yellow,
  'went back': color.yellow,
  blocked: color.red,
  red: color.red,
  failed: color.red,
} as const;

/** Colours the word after the time. Without a terminal there are no colours. */
function paint(line: string): string {
  return line.replace(/(?<= s {2})(landed|deployed|passed|forced|bisected|went back|blocked|red|failed)\b/, (word) =>
    colours[word as keyof typeof colours](word),
  );
}

interface Flags {
  readonly host: 'local' | 'github';
  readonly showAsMerged: boolean;
  readonly stay: boolean;
}

const program = new Command('npm run demo --')
  .description(
    'Plays twelve pull requests, a release of them, a runbook and a preview in a temporary folder, and checks the outcome.',
  )
  .addOption(
    new Option(
      '--host <name>',
      'where the repository lives: local, which is Interlock itself, or github, an emulator of GitHub on this machine',
    )
      .choices(['local', 'github'])
      .default('local'),
  )
  .option(
    '--show-as-merged',
    'with --host github: GitHub shows landed pull requests as merged and not as closed',
    false,
  )
  .option('--stay', 'keep Interlock running after the demo, until Ctrl-C', false);

/** Unlike GitHub, the emulator needs no pause between pushes. */
const pushPace = { perMinute: 600, gatherMs: 1_000 };

async function main(): Promise<number> {
  closeInheritedDescriptors();
  const flags = program.parse().opts<Flags>();
  const isAtGitHub = flags.host === 'github';
  if (flags.showAsMerged && !isAtGitHub) throw new StartError('--show-as-merged needs --host github.');
  const scenario = isAtGitHub ? githubScenario(flags) : demoScenario;
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-demo-'));
  const starting = startInterlock(
    {
      dataDir,
      port: 0,
      host: '127.0.0.1',
      databaseUrl: null,
      temporalAddress: null,
      reset: false,
      ciConcurrency: Math.max(2, availableParallelism()),
      ...(isAtGitHub && {
        github: { kind: 'emulator', port: 0, owner: scenario.owner, hasRepository: false },
        pushPace,
      }),
    },
    createProgress(say),
  );
  const stopRequested = Promise.withResolvers<void>();
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    stopRequested.resolve();
    await (stopping ??= clearAway(starting, dataDir));
  };
  // The exit code if the demo is interrupted before its end.
  let code = 130;
  stopOnSignals({ stop, exit: () => process.exit(code) });
  try {
    const interlock = await starting;
    code = await playAndCheck(interlock, { scenario, dataDir });
    if (!flags.stay) return code;
    say(`\n${await linkOf(interlock, scenario)}   stays up until Ctrl-C`);
    await stopRequested.promise;
    return code;
  } catch (error) {
    // An error after a signal is a consequence of the stop. The signal determines the exit code.
    return stopping === null ? Promise.reject(error) : 130;
  } finally {
    await stop();
  }
}

interface Play {
  readonly scenario: Scenario;
  readonly dataDir: string;
}

async function playAndCheck(interlock: Interlock, { scenario, dataDir }: Play): Promise<number> {
  const host = hostOf(interlock, scenario);
  say(`\n${await linkOf(interlock, scenario)}   Temporal UI ${interlock.temporalUi}`);
  for (const line of interlock.githubLines) say(line);
  if (host.page !== null) say(`Look at ${host.page}`);
  say('');
  const run = { ...interlock, host, scenario, say: (line: string) => say(paint(line)) };
  const played = await playDemo(run);
  say('');
  const landed = await checkOutcome({ ...run, played, say });
  const released = await playReleases(run);
  const renamed = await playRunbook(run);
  const seen = await playPreview(run);
  const proved = await verify(scenario, dataDir);
  const failures = [...landed, ...released, ...renamed, ...seen, ...proved];
  if (failures.length === 0) {
    say(color.green('\nThe demo has the expected outcome.'));
    return 0;
  }
  say(color.red(`\nThe demo has a wrong outcome:\n${failures.map((failure) => `  ${failure}`).join('\n')}`));
  return 1;
}

/** The address of the queue's page. The link signs a browser in, once. */
async function linkOf(interlock: Interlock, { owner, name }: Scenario): Promise<string> {
  return (await interlock.signInLink(`/${owner}/${name}/queue/main`)) ?? interlock.url;
}

function hostOf(interlock: Interlock, scenario: Scenario): DemoHost {
  const place = { ...interlock, scenario };
  return interlock.githubPerson === null ? localDemoHost(place) : githubDemoHost(place, interlock.githubPerson);
}

/** Runs `verify` as a user would. Returns a sentence for each fault. Empty: every proof holds. */
async function verify({ owner, name }: Scenario, dataDir: string): Promise<readonly string[]> {
  say(`\nnpm run verify -- ${owner}/${name}`);
  const program = join(projectRoot, 'dist', 'programs', 'verify.js');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...nodeFlags(),
      program,
      `${owner}/${name}`,
      '--data',
      dataDir,
    ]);
    say(stdout.trimEnd());
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return [`not every proof holds: ${stdout}${stderr}`];
  }
}

async function clearAway(starting: Promise<Interlock>, dataDir: string): Promise<void> {
  await starting.then(
    async (interlock) => await interlock.stop(),
    () => {},
  );
  await rm(dataDir, { recursive: true, force: true });
}

function say(line: string): void {
  console.log(line);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof StartError ? color.red(error.message) : error);
    process.exit(1);
  },
);
