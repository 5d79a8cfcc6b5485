import type { Plugin } from 'vite';

export interface Mutant {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  /** Why the simulation of faults cannot show the fault. */
  readonly hidden?: string;
  /** The simulation looks for the fault only under the seeds of this configuration. */
  readonly configuration?: string;
}
export const mutants: readonly Mutant[];
export function planting(index: number): Plugin;
