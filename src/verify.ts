// `npm run verify -- <owner>/<name>`: derives every proof again from git and the rows. The exit code is 1 if a proof
// is wrong.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import color from 'picocolors';
import { StartError } from './launcher/start-error.ts';
import { createTicker } from './launcher/ticker.ts';
import { exportProofs, writeProofFile } from './modules/proofs/index.ts';
import { verifyRepository } from './modules/queue/index.ts';
import { projectRoot } from './platform/project-root.ts';
import { runTool } from './run-tool.ts';
import { callersFolder, withNamedRepository, type NamedRepository } from './tool.ts';

async function main(): Promise<number> {
  const description = 'Derives the proof of every landing again, from plain git and the records.';
  const calls = ['acme/shop', 'acme/shop --json', 'acme/shop --export proofs.json'];
  const options = [['--export <file>', 'write the proofs as a file for proofs/verify.py instead']] as const;
  return await withNamedRepository({ program: 'verify', description, calls, options }, async (named) => {
    const { ctx, repository, name, json } = named;
    if (named.options['export'] !== undefined) return await exportTo(named.options['export'], named);
    const ticker = createTicker(process.stderr);
    const verifications = await verifyRepository(ctx, repository, ({ baseBranch, done, all }) =>
      ticker.show(`${baseBranch}: ${done} of ${all} commits are verified`),
    ).finally(ticker.end);
    if (json) console.log(JSON.stringify(verifications, null, 2));
    else for (const verification of verifications) say(verification);
    if (!json && verifications.length === 0) console.log(`${name}: no branch is managed yet.`);
    return verifications.some(({ failures }) => failures.length > 0) ? 1 : 0;
  });
}

/** Writes the proofs into a new file. An existing file is never replaced. */
async function exportTo(file: string, { ctx, repository, secrets }: NamedRepository): Promise<number> {
  if (secrets === null)
    throw new StartError(
      'The proofs are signed: set INTERLOCK_SECRET, or name the data directory that has secrets.json.',
    );
  const proofs = await exportProofs(ctx, secrets, repository);
  const path = resolve(callersFolder(), file);
  await writeFile(path, writeProofFile(proofs), { mode: 0o600, flag: 'wx' });
  const count = proofs.branches.reduce((sum, branch) => sum + branch.proofs.length, 0);
  console.log(`${count} proofs of ${proofs.repository} are in ${path}. The public key is ${proofs.keys[0]}.`);
  console.log(
    `In a clone: python3 ${join(projectRoot, 'proofs', 'verify.py')} ${path} <clone> --key ${proofs.keys[0]}`,
  );
  return 0;
}

function say({
  baseBranch,
  commits,
  grades,
  pullRequests,
  failures,
}: Awaited<ReturnType<typeof verifyRepository>>[number]): void {
  const counts = Object.entries(grades)
    .map(([grade, count]) => `${count} ${grade}`)
    .join(', ');
  console.log(
    `${baseBranch}: ${commits} first-parent commits, ${pullRequests} pull requests: ${counts || 'nothing landed yet'}`,
  );
  for (const failure of failures) console.log(color.red(`  ${failure}`));
  console.log(
    failures.length === 0
      ? color.green('  every proof was derived again from git and the records')
      : color.red(`  failures: ${failures.length}`),
  );
}

runTool(main);
