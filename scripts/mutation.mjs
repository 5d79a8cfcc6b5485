// `npm run mutation -- <folders or files>` changes the code in one place after the other, and runs the tests that reach
// the place. CONTRIBUTING.md says how to read the result, and has the last scores.
import { join } from 'node:path';
import { findNode, finish, isHelpShown, prepare, root, runForeground, toolEnvironment } from './toolchain.mjs';

const folder = join(root, 'scripts', 'mutation');

async function run(sources) {
  prepare();
  prepare(folder);
  const node = findNode();
  // Each property is tested with a few random cases only, because every mutant runs the tests again.
  const env = { FC_RUNS: '20', ...toolEnvironment(node) };
  return await runForeground(node, [join(folder, 'run.mjs'), ...sources], { env });
}

const usage = `Usage: npm run mutation -- <folder or file>...

Changes the code in one place after the other, and runs the tests that reach the place. Prints the changes that no test
finds. \`file.ts:10-50\` changes only these lines. The sources themselves stay as they are.`;

const sources = process.argv.slice(2);
if (!isHelpShown(sources.length === 0 ? ['--help'] : sources, usage)) finish(run(sources));
