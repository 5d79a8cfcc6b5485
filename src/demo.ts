// `npm run demo`: an Interlock of its own in a temporary directory, twelve pull requests, and a check of the outcome.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import color from 'picocolors';
import { checkOutcome } from './demo/outcome.ts';
import { playDemo } from './demo/play.ts';
import { demoScenario } from './demo/scenario.ts';
import { createProgress } from './launcher/progress.ts';
import { StartError } from './launcher/start-error.ts';
import { stopOnSignals } from './launcher/stop-signals.ts';
import { startInterlock } from './start.ts';

const colours = { landed: color.green, bisected: color.yellow, blocked: color.red, red: color.red } as const;

/** The word after the time. Without a terminal there are no colours. */
function paint(line: string): string {
  return line.replace(/(?<= s {2})(landed|bisected|blocked|red)\b/, (word) =>
    colours[word as keyof typeof colours](word),
  );
}

async function main(): Promise<number> {
  const progress = createProgress((line) => console.log(line));
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
    progress,
  );
  const stop = async (): Promise<void> => {
    await starting.then(
      async (interlock) => await interlock.stop(),
      () => {},
    );
    await rm(dataDir, { recursive: true, force: true });
  };
  stopOnSignals({ stop });
  try {
    const interlock = await starting;
    console.log(`\n${interlock.url}   Temporal UI ${interlock.temporalUi}\n`);
    const played = await playDemo({ ...interlock, scenario: demoScenario, say: (line) => console.log(paint(line)) });
    console.log('');
    const failures = await checkOutcome({
      ...interlock,
      scenario: demoScenario,
      played,
      say: (line) => console.log(line),
    });
    console.log(
      failures.length === 0
        ? color.green('\nThe demo came out as it should.')
        : color.red(`\nThe demo came out wrong:\n${failures.map((failure) => `  ${failure}`).join('\n')}`),
    );
    return failures.length === 0 ? 0 : 1;
  } finally {
    await stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof StartError ? color.red(error.message) : error);
    process.exit(1);
  },
);
