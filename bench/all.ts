// `npm run bench:all` measures every figure that has an aim, and prints one table. Each bench is a process of its own,
// so that no bench warms or fills the memory of the next bench.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { tableOfFigures, thisMachine, type Figure } from './figures.ts';

/** The arguments are so small that all benches together end within 20 minutes on two idle cores. */
const benches = [
  { name: 'landing', args: ['--pull-requests', '80'] },
  { name: 'idle-landing', args: ['--pull-requests', '20'] },
  { name: 'requests', args: ['--pull-requests', '80'] },
  { name: 'turn', args: ['--lines', '1000,10000', '--times', '20'] },
  { name: 'repositories', args: ['--repositories', '100'] },
  { name: 'idle', args: ['--repositories', '1000', '--seconds', '60'] },
  { name: 'reads', args: ['--rounds', '10', '--requests', '300'] },
  { name: 'subscriptions', args: ['--sockets', '10000'] },
  { name: 'events', args: ['--commits', '2000'] },
  { name: 'webhooks', args: ['--deliveries', '2000'] },
  { name: 'long-line', args: ['--lines', '100000', '--times', '10'] },
  { name: 'doctor', args: ['--pull-requests', '1000', '--times', '20'] },
  { name: 'histories', args: [] },
  { name: 'start', args: [] },
] as const;

const program = new Command('npm run bench:all --')
  .description(
    `Measures every figure that has an aim, and prints them as one table: ${benches.map(({ name }) => name).join(', ')}. It takes up to 20 minutes on two idle cores. \`npm run bench -- <name>\` measures one of them.`,
  )
  .option('--only <name,…>', 'run only these benches', (text) => text.split(','))
  .option('--json', 'one JSON document instead of text', false);

program.parse();
const options = program.opts<{ readonly only?: readonly string[]; readonly json: boolean }>();
const chosen = benches.filter(({ name }) => options.only?.includes(name) ?? true);
const began = performance.now();
const failed: string[] = [];
const figures: (Figure & { readonly bench: string })[] = [];

for (const { name, args } of chosen) {
  const startedAt = performance.now();
  const found = await run(name, args);
  if (found === null) failed.push(name);
  else figures.push(...found.map((each) => ({ bench: name, ...each })));
  console.error(`${name} … ${found === null ? 'failed, ' : ''}${secondsSince(startedAt)} s`);
  // The figures of each bench are printed at once, so that the user has them if the run is broken off.
  if (found !== null) console.error(`${tableOfFigures(found)}\n`);
}

const machine = thisMachine();
if (options.json) console.log(JSON.stringify({ machine, figures, failed }, null, 2));
else {
  console.log(
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load}; ${secondsSince(began)} s\n\n${tableOfFigures(figures)}`,
  );
  if (failed.length > 0) console.log(`\nNot measured, because the bench failed: ${failed.join(', ')}.`);
}
process.exitCode = failed.length === 0 ? 0 : 1;

function secondsSince(at: number): string {
  return ((performance.now() - at) / 1_000).toFixed(0);
}

/** Returns the figures of a bench. Null: the bench failed, and has printed the reason. */
async function run(name: string, args: readonly string[]): Promise<readonly Figure[] | null> {
  const main = fileURLToPath(new URL(`./main${extname(fileURLToPath(import.meta.url))}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, main, name, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) return null;
  return (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly figures: readonly Figure[] }).figures;
}
