// All policies by name. One file each; a new one is a line here.
import type { MakePolicy } from '../../../src/domain/simulation/policy.ts';
import { inOrderOracle } from './in-order-oracle.ts';
import { interlock } from './interlock.ts';
import { oneAtATime } from './one-at-a-time.ts';

export const policies: Readonly<Record<string, MakePolicy>> = {
  interlock,
  'one-at-a-time': oneAtATime,
  'in-order-oracle': inOrderOracle,
};

/** What times are ratios to. */
export const measure = 'in-order-oracle';
