import { rulesOfPlanner } from '../../../bench/simulator/policies/rules.ts';

export const usual = {
  targets: [null, null, null, null],
  arrive: 'at once',
  redsToBlame: 1,
  mayConflict: false,
} as const;

export const speculative = {
  ...rulesOfPlanner,
  speculation: 'adaptive',
  useAffectedTargets: true,
  maxParallelBuilds: 2,
} as const;

export const worldOfSpeculation = { ...usual, redsToBlame: 2 } as const;

// The longest world takes a minute of CPU. On a busy machine this may be several minutes.
export const testTimeoutMs = 1_800_000;
