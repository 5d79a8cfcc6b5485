export function sumUp(results: readonly Result[]): string;
export function whatIsLeft(
  results: readonly (readonly Result[])[],
  run: { readonly seed: number; readonly seeds: number },
): { readonly seed: number; readonly seeds: number } | null;

export interface Result {
  readonly seed: number;
  readonly days: number;
  readonly steps: number;
  readonly landings: number;
  readonly faults: number;
  readonly cpuSec: number;
  /** The first broken rule. Null: all rules held. */
  readonly problem: string | null;
}
interface Judgement {
  readonly isFound: boolean;
  readonly text: string;
}

/** The part of the JSON report of Vitest that is read. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export function judgePlanted(results: readonly Result[], status: number | null): Judgement;
export function judgeTests(report: Report | null, status: number | null): Judgement;
