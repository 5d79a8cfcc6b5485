// `node scripts/fuzz-configuration.mjs [--runs 1000000] [--seed 1]` tests how a million mutated configurations are read.
import { join } from 'node:path';
import { findNode, finish, prepare, root, runForeground } from './toolchain.mjs';

async function fuzz(args) {
  prepare();
  return await runForeground(findNode(), [join(root, 'test', 'domain', 'configuration', 'fuzz.ts'), ...args]);
}

finish(fuzz(process.argv.slice(2)));
