// What unpacking a push may cost, by how large it is. Text shrinks to a tenth or so; what shrinks to less than a
// twentieth, and is large, was made to be large.

import { readMegabytes, readRunBounds, type Environment } from './bounds.ts';

export interface PushBounds {
  /** Of what is received. */
  readonly maxPushBytes: number;
  /** That a small push may inflate to. */
  readonly maxInflatedBytes: number;
  /** For each program that unpacks it. */
  readonly memoryBytes: number;
  /** That a push leaves free on the disk. */
  readonly freeBytes: number;
}

/** Throws RunBoundsRefused, which names the variable. */
export function readPushBounds(env: Environment): PushBounds {
  const { memoryBytes, freeBytes } = readRunBounds(env);
  return {
    maxPushBytes: readMegabytes(env, 'GIT_PUSH_MB', 2048),
    maxInflatedBytes: readMegabytes(env, 'GIT_INFLATED_MB', 1024),
    memoryBytes,
    freeBytes,
  };
}

export const usualPushBounds: PushBounds = readPushBounds({});

export interface UnpackBounds {
  /** Of its objects together. An object that is stored as a difference counts by the largest of them alone. */
  readonly inflatedBytes: number;
  readonly memoryBytes: number;
  /** For each program. */
  readonly processorSec: number;
}

const usualShrinkage = 20;
const leastProcessorSec = 60;
const bytesPerProcessorSec = 1_000_000;

export function decideUnpackBounds(pushBytes: number, bounds: PushBounds): UnpackBounds {
  return {
    inflatedBytes: bounds.maxInflatedBytes + pushBytes * usualShrinkage,
    memoryBytes: bounds.memoryBytes,
    processorSec: leastProcessorSec + Math.ceil(pushBytes / bytesPerProcessorSec),
  };
}
