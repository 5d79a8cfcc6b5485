// `npm run verify -- <owner>/<name>`: derives every proof again from git and rows; exit 1 when one does not hold.
import color from 'picocolors';
import { calledAs } from './launcher/called-as.ts';
import { verifyRepository } from './modules/queue/index.ts';
import { runTool, withNamedRepository } from './tool.ts';

async function main(): Promise<number> {
  const program = calledAs('verify');
  const description = 'Derives every landing’s proof again, from plain git and the records.';
  return await withNamedRepository({ program, description }, async ({ ctx, repository, name, json }) => {
    const verifications = await verifyRepository(ctx, repository);
    if (json) console.log(JSON.stringify(verifications, null, 2));
    else for (const verification of verifications) say(verification);
    if (!json && verifications.length === 0) console.log(`${name}: no branch is managed yet.`);
    return verifications.some(({ failures }) => failures.length > 0) ? 1 : 0;
  });
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
      : color.red(`  ${failures.length} do not hold`),
  );
}

runTool(main);
