// The help of every program that is a process of its own: the npm scripts, the programs of `interlock`, those of
// production, and scripts that npm does not call. test/cli/help.test.ts has the other commands of `interlock`.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { commandsIn, exampleIn } from '../cli/help-text.ts';

interface Help {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function helpOf(argv: readonly string[], program = process.execPath): Promise<Help> {
  return await new Promise((resolve) => {
    execFile(program, [...argv, '--help'], { cwd: projectRoot }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** Asserts that the help names the call in its first paragraph, and then says what the program does. */
function expectHelp({ code, stdout, stderr }: Help, call: string): void {
  expect([code, stderr], stderr).toEqual([0, '']);
  const [usage = '', ...rest] = stdout.split('\n\n');
  expect(usage).toMatch(/^usage: /i);
  expect(usage).toContain(call);
  expect(rest.join('\n\n')).toMatch(/^[A-Z].{10,}/);
}

const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** The npm scripts that users call, with the arguments of Node. Scripts such as `prestart` run before another script. */
const ours = Object.entries(scripts).flatMap(([name, command]) => {
  const [, argv] = /^(?:exec )?node (scripts\/.*)$/.exec(command) ?? [];
  const isBefore = Object.keys(scripts).some((other) => name === `pre${other}`) || name === 'prepack';
  return argv === undefined || isBefore ? [] : [{ name, argv: argv.split(' ') }];
});
const callOf = (name: string): string => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);

test('package.json has the npm scripts whose help is tested', () => {
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.map(({ name }) => name)).toEqual(expect.arrayContaining(['start', 'bench:all', 'chaos', 'export']));
});

test.each(ours)('the npm script $name has a help', async ({ name, argv }) => {
  expectHelp(await helpOf(argv), callOf(name));
});

test.each([
  ['scripts/fuzz-configuration.mjs', 'node scripts/fuzz-configuration.mjs'],
  ['scripts/schemathesis.mjs', 'node scripts/schemathesis.mjs'],
])('%s has a help', async (script, call) => {
  expectHelp(await helpOf([script]), call);
});

test('the program that verifies proofs without Interlock has a help', async () => {
  expectHelp(await helpOf(['proofs/verify.py'], 'python3'), 'verify.py');
});

test.each(['start', 'import', 'backup', 'restore', 'export', 'recover'])(
  'interlock %s has a help with an example, which calls it so',
  async (name) => {
    const help = await helpOf(['cli/bin.cjs', name]);
    expectHelp(help, `interlock ${name} `);
    expect(exampleIn(help.stdout)).toContain(`interlock ${name} `);
  },
);

test('production.js and each of its commands have a help', async () => {
  const program = join('dist', 'programs', 'production.js');
  const help = await helpOf([program]);
  expectHelp(help, 'node dist/programs/production.js');
  const commands = commandsIn(help.stdout).filter((name) => name !== 'help');
  expect(commands).toEqual(['server', 'worker', 'migrate', 'account']);
  for (const name of commands) expectHelp(await helpOf([program, name]), `node dist/programs/production.js ${name} `);
});
