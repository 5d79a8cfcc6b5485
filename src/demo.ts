// `npm run demo`: an Interlock of its own in a temporary directory, twelve pull requests, a release of
// them, and a check of the outcome.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import color from 'picocolors';
import { checkOutcome } from './demo/outcome.ts';
import { playDemo } from './demo/play.ts';
import { playPreview } from './demo/preview.ts';
import { playReleases } from './demo/releases.ts';
import { playRunbook } from './demo/runbook.ts';
import { demoScenario } from './demo/scenario.ts';
import { createProgress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { stopOnSignals } from './launcher/stop-signals.ts';
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

/** The word after the time. Without a terminal there are no colours. */
function paint(line: string): string {
  return line.replace(/(?<= s {2})(landed|deployed|passed|forced|bisected|went back|blocked|red|failed)\b/, (word) =>
    colours[word as keyof typeof colours](word),
  );
}

const program = new Command('npm run demo --').description(
  'Plays twelve pull requests, a release of them, a runbook and a preview in a temporary folder, and checks what came of it.',
);

async function main(): Promise<number> {
  closeInheritedDescriptors();
  program.parse();
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
    },
    createProgress(say),
  );
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => await (stopping ??= clearAway(starting, dataDir));
  // Broken off, it has shown nothing.
  stopOnSignals({ stop, exit: () => process.exit(130) });
  try {
    return await playAndCheck(await starting);
  } catch (error) {
    // What fails because it was stopped is no news; the signal decides the exit code.
    return stopping === null ? Promise.reject(error) : 130;
  } finally {
    await stop();
  }
}

async function playAndCheck(interlock: Interlock): Promise<number> {
  const { owner, name } = demoScenario;
  const link = await interlock.signInLink(`/${owner}/${name}/queue/main`);
  say(`\n${link ?? interlock.url}   Temporal UI ${interlock.temporalUi}\n`);
  const played = await playDemo({ ...interlock, scenario: demoScenario, say: (line) => say(paint(line)) });
  say('');
  const landed = await checkOutcome({ ...interlock, scenario: demoScenario, played, say });
  const released = await playReleases({ ...interlock, scenario: demoScenario, say: (line) => say(paint(line)) });
  const renamed = await playRunbook({ ...interlock, scenario: demoScenario, say: (line) => say(paint(line)) });
  const seen = await playPreview({ ...interlock, scenario: demoScenario, say: (line) => say(paint(line)) });
  const failures = [...landed, ...released, ...renamed, ...seen];
  if (failures.length === 0) {
    say(color.green('\nThe demo came out as it should.'));
    return 0;
  }
  say(color.red(`\nThe demo came out wrong:\n${failures.map((failure) => `  ${failure}`).join('\n')}`));
  return 1;
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
