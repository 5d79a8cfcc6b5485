// Bot pull requests without a build: whose next build takes which.

export interface IdleBotPullRequest {
  readonly id: string;
  /** Members of the batch it was last used for. */
  readonly pullRequests: readonly string[];
}

/** The one that shares most pull requests with the batch; of several the newest. Null: it shares none with any. */
export function chooseBotPullRequest<Bot extends IdleBotPullRequest>(
  idle: readonly Bot[],
  members: readonly string[],
): Bot | null {
  const wanted = new Set(members);
  const shared = (bot: Bot): number => bot.pullRequests.filter((id) => wanted.has(id)).length;
  const [best] = idle
    .filter((bot) => shared(bot) > 0)
    .toSorted((a, b) => shared(b) - shared(a) || Number(BigInt(b.id) - BigInt(a.id)));
  return best ?? null;
}

/** Those that no build will take: none of their pull requests stands in line without a build that has begun. */
export function findUnusable<Bot extends IdleBotPullRequest>(
  idle: readonly Bot[],
  { inLine, building }: { readonly inLine: ReadonlySet<string>; readonly building: ReadonlySet<string> },
): Bot[] {
  return idle.filter(({ pullRequests }) => pullRequests.every((id) => !inLine.has(id) || building.has(id)));
}
