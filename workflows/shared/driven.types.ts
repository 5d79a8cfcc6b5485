// What the workflows of driven rows and their activities have in common.
/** What is driven is named by an id beside it. */
export interface DrivenInput {
  readonly accountId: string;
  /** The trace of the request that began the run, as W3C names it. Left out: none did, or nothing was traced. */
  readonly trace?: string;
}

export type Advance<Input, Advanced> = (input: Input) => Promise<Advanced>;
export type CarryOut<Input> = (input: Input) => Promise<string>;

/** The activities of a kind: a turn, and the one thing that a turn left to be done, which is answered by a sentence. */
export type DrivenActivities<Kind extends string, Input, Advanced> = Record<
  `advance${Kind}`,
  Advance<Input, Advanced>
> &
  Record<`carryOut${Kind}`, CarryOut<Input>>;
