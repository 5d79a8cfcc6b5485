// `npm run test:live` tests the contract of code hosts on GitHub itself (docs/live-suite.md).
import { join } from 'node:path';
import { findNode, finish, isHelpShown, prepare, root, runForeground, toolEnvironment } from './toolchain.mjs';

const needed = ['GITHUB_TEST_APP_ID', 'GITHUB_TEST_APP_KEY', 'GITHUB_TEST_REPOSITORY', 'GITHUB_TEST_TOKEN'];

async function live(args) {
  const absent = needed.filter((name) => !process.env[name]);
  if (absent.length > 0) {
    console.log(`The live suite is skipped: set ${absent.join(', ')} (docs/live-suite.md).`);
    return 0;
  }
  prepare();
  const node = findNode();
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  return await runForeground(node, [program, 'run', '--config', join(root, 'vitest.live.config.ts'), ...args], {
    env: toolEnvironment(node),
  });
}

const usage = `Usage: npm run test:live

Runs the contract of code hosts on GitHub itself. Needs ${needed.join(', ')} (docs/live-suite.md).`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(live(process.argv.slice(2)));
