// Tests how a million mutated configurations are read.
import { join } from 'node:path';
import { findNode, finish, isHelpShown, prepare, root, runForeground } from './toolchain.mjs';

async function fuzz(args) {
  prepare();
  return await runForeground(findNode(), [join(root, 'test', 'domain', 'configuration', 'fuzz.ts'), ...args]);
}

const usage = `Usage: node scripts/fuzz-configuration.mjs [--runs <number>] [--seed <number>]

Tests how mutated configurations are read: a million, if --runs is left out. The same seed gives the same configurations.`;

if (!isHelpShown(process.argv.slice(2), usage)) finish(fuzz(process.argv.slice(2)));
