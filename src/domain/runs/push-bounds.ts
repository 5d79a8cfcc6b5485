// The limits of unpacking a push, by its size. git compresses text to about a tenth. A large push that is compressed to
// less than a twentieth was probably made to do harm.

import { readMegabytes, readRunBounds, type Environment } from './bounds.ts';

export interface PushBounds {
  /** The received bytes. */
  readonly maxPushBytes: number;
  /** The size to which a small push may inflate. */
  readonly maxInflatedBytes: number;
  /** The memory of each program that unpacks the push. */
  readonly memoryBytes: number;
  /** The disk space that a push must leave free. */
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

export const defaultPushBounds: PushBounds = readPushBounds({});

export interface UnpackBounds {
  /** The size of all objects of the push together. Of objects that are stored as differences, only the largest counts. */
  readonly inflatedBytes: number;
  readonly memoryBytes: number;
  /** The processor time of each program. */
  readonly processorSec: number;
}

const defaultShrinkage = 20;
const minProcessorSec = 60;
const bytesPerProcessorSec = 1_000_000;

export function decideUnpackBounds(pushBytes: number, bounds: PushBounds): UnpackBounds {
  return {
    inflatedBytes: bounds.maxInflatedBytes + pushBytes * defaultShrinkage,
    memoryBytes: bounds.memoryBytes,
    processorSec: minProcessorSec + Math.ceil(pushBytes / bytesPerProcessorSec),
  };
}
