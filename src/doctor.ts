// `npm run doctor -- <owner>/<name>`: proves by reversible probes that a repository can land pull requests, and says
// how to correct what is missing. The exit code is 1 if something is missing. Without a repository, it checks the
// invariants of the installation. With `--growth`, it reports how much space the data take.
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import color from 'picocolors';
import type { Finding } from './domain/doctor/finding.ts';
import { invariantNames, invariants, type Findings } from './domain/health/invariants.ts';
import { growthText, measureGrowth } from './growth.ts';
import { calledAs, examplesOf } from './launcher/called-as.ts';
import { compareWithInvariants } from './modules/health/index.ts';
import { examineOidc, openOidc } from './modules/oidc/index.ts';
import { examineRepository } from './modules/queue/index.ts';
import { oidcFrom, retentionFrom } from './parts.ts';
import { parseArguments, runTool } from './run-tool.ts';
import { withNamedRepository, withService } from './tool.ts';

async function main(): Promise<number> {
  if (process.argv.includes('--growth')) return await showGrowth();
  if (!process.argv.slice(2).some(isRepository)) return await compareInvariants();
  const description = 'Checks whether a repository can land pull requests, and says how to correct what is missing.';
  const calls = ['acme/shop', 'acme/shop --json'];
  return await withNamedRepository(
    { program: 'doctor', description, calls },
    async ({ ctx, repository, name, json }) => {
      const findings: Finding[] = [];
      const report = (finding: Finding): void => {
        findings.push(finding);
        if (!json) say(finding);
      };
      await examineRepository(ctx, repository, report);
      const oidc = oidcFrom(process.env);
      const publicUrl = process.env['INTERLOCK_PUBLIC_URL'] ?? ctx.publicUrl;
      if (oidc !== null)
        for (const finding of await examineOidc(ctx.db, openOidc({ ...ctx, publicUrl }, oidc))) report(finding);
      const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
      const isReady = count('missing') === 0;
      if (json) console.log(JSON.stringify({ repository: name, isReady, findings }, null, 2));
      else console.log(`\n${count('ok')} ok, ${count('warning')} to look at, ${count('missing')} missing.`);
      return isReady ? 0 : 1;
    },
  );
}

/** Whether an argument is `<owner>/<name>`: it is no option, and no value of an option. */
function isRepository(argument: string, at: number, all: readonly string[]): boolean {
  const takesValue = ['--data', '--database-url', '--account'].includes(all[at - 1] ?? '');
  return !argument.startsWith('-') && !takesValue;
}

/** Returns the exit code: 1 if an invariant does not hold or cannot be compared. */
async function compareInvariants(): Promise<number> {
  const command = new Command(calledAs('doctor'))
    .description(
      'Compares the installation with the rules that always hold. With <owner/name>: proves that the repository can land pull requests.',
    )
    .argument('[owner/name]', 'repository; without it, the whole installation')
    .option('--growth', 'prints how much room records take, instead of the checks')
    .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
    .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', examplesOf('doctor', '--json', 'acme/shop', '--growth'));
  parseArguments(command);
  const { data, databaseUrl, json } = command.opts<{ data: string; databaseUrl?: string; json?: boolean }>();
  return await withService({ dataDir: data, databaseUrl }, async ({ ports }) => {
    const startedAt = performance.now();
    const findings = await compareWithInvariants(ports, { scope: 'all' });
    const tookMs = Math.round(performance.now() - startedAt);
    if (json) console.log(JSON.stringify({ tookMs, ...findings }, null, 2));
    else sayInvariants(findings, tookMs);
    return findings.violations.length + findings.uncompared.length === 0 ? 0 : 1;
  });
}

const maxSentences = 20;

function sayInvariants({ violations, uncompared }: Findings, tookMs: number): void {
  for (const name of invariantNames) {
    const broken = violations.filter(({ invariant }) => invariant === name);
    const unknown = uncompared.filter(({ invariant }) => invariant === name);
    const found = [...broken, ...unknown];
    console.log(`${stateText(broken, unknown)}  ${name}: ${invariants[name].sentence}`);
    for (const { account, sentence } of found.slice(0, maxSentences))
      console.log(`         ${account === '' ? '' : `account ${account}: `}${sentence}`);
    if (found.length > maxSentences) console.log(`         and ${found.length - maxSentences} more`);
  }
  const { length } = violations;
  console.log(`\n${length === 1 ? '1 violation' : `${length} violations`}, found in ${tookMs} ms.`);
  if (uncompared.length > 0)
    console.log('The doctor could not compare everything: for an invariant that is unknown, the text above says why.');
}

function stateText(broken: readonly unknown[], unknown: readonly unknown[]): string {
  if (broken.length > 0) return color.red('broken ');
  return unknown.length > 0 ? color.yellow('unknown') : color.green('holds  ');
}

/** Returns the exit code: 1 if a record is older than its setting allows. */
async function showGrowth(): Promise<number> {
  const command = new Command(calledAs('doctor'))
    .description(
      'Prints how much room each kind of record takes, the age of the oldest record, and how long records are kept.',
    )
    .requiredOption('--growth', 'this report')
    .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
    .addOption(new Option('--database-url <url>', 'your own PostgreSQL').env('DATABASE_URL'))
    .option('--json', 'one JSON document instead of text');
  parseArguments(command);
  const { data, databaseUrl, json } = command.opts<{ data: string; databaseUrl?: string; json?: boolean }>();
  const retention = retentionFrom(process.env);
  return await withService({ dataDir: data, databaseUrl }, async ({ ports: { db, clock } }) => {
    const now = clock();
    const growth = await measureGrowth({ db, dataDir: resolve(data), retention, now });
    console.log(json ? JSON.stringify(growth, null, 2) : growthText(growth, now));
    return growth.kinds.some(({ isLate }) => isLate) ? 1 : 0;
  });
}

const shown = {
  ok: color.green('ok     '),
  warning: color.yellow('warning'),
  missing: color.red('missing'),
} as const satisfies Record<Finding['state'], string>;

function say({ probe, state, message, cure }: Finding): void {
  console.log(`${shown[state]}  ${probe}: ${message}`);
  if (cure !== null) console.log(cure.replaceAll(/^/gm, '         '));
}

runTool(main);
