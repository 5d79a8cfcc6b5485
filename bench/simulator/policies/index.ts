// All policies by name. A file has one policy and its variants.
import type { MakePolicy } from '../../../src/domain/simulation/policy.ts';
import { batches } from './batches.ts';
import { earlyLanding, earlyLandingLearned } from './early-landing.ts';
import { inOrderOracle } from './in-order-oracle.ts';
import { interlock, interlockTrained, interlockWithoutPrefixRule } from './interlock.ts';
import { interlockLinear, interlockLinearBatches } from './linear.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { optimistic } from './optimistic.ts';
import { prefixWindow } from './prefix-window.ts';
import { reorderingBound } from './reordering-bound.ts';
import { speculateAll } from './speculate-all.ts';
import { submitQueueOpen } from './submitqueue-open.ts';
import { submitQueue, submitQueueLearned } from './submitqueue.ts';
import { zuulConflictGraph, zuulOneLane } from './zuul.ts';

export const policies: Readonly<Record<string, MakePolicy>> = {
  interlock,
  'interlock-trained': interlockTrained,
  'interlock-without-prefix-rule': interlockWithoutPrefixRule,
  'interlock-linear': interlockLinear,
  'interlock-linear-batches': interlockLinearBatches,
  'one-at-a-time': oneAtATime,
  batches,
  'prefix-window': prefixWindow,
  'zuul-one-lane': zuulOneLane,
  'zuul-conflict-graph': zuulConflictGraph,
  optimistic,
  'speculate-all': speculateAll,
  submitqueue: submitQueue,
  'submitqueue-learned': submitQueueLearned,
  'submitqueue-open': submitQueueOpen,
  'early-landing': earlyLanding,
  'early-landing-learned': earlyLandingLearned,
  'in-order-oracle': inOrderOracle,
  'reordering-bound': reorderingBound,
};

/** All times are shown as ratios to the times of this policy. */
export const referencePolicy = 'in-order-oracle';
