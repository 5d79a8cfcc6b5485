// Types that the workflows of driven rows and their activities share.

/** The input of a workflow. Each kind adds the id of its row. */
export interface DrivenInput {
  readonly accountId: string;
  /**
   * The trace of the request that began the run, in the W3C format. Left out: there was no request, or it was not
   * traced.
   */
  readonly trace?: string;
}

export type Advance<Input, Advanced> = (input: Input) => Promise<Advanced>;
export type CarryOut<Input> = (input: Input) => Promise<string>;

/**
 * The activities of a kind. `advance…` takes a turn. `carryOut…` does what the turn decided, and returns a sentence
 * about the result.
 */
export type DrivenActivities<Kind extends string, Input, Advanced> = Record<
  `advance${Kind}`,
  Advance<Input, Advanced>
> &
  Record<`carryOut${Kind}`, CarryOut<Input>>;
