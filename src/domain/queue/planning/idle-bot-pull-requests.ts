// Decides which bot pull request without a build the next build reuses, and which ones no build will reuse.

export interface IdleBotPullRequest {
  readonly id: string;
  /** Members of the batch that used it last. */
  readonly pullRequests: readonly string[];
}

/**
 * Returns the bot pull request whose last batch has most pull requests in common with the new batch. Among equals the
 * newest is chosen. Null: none has a pull request in common.
 */
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

/**
 * Returns the bot pull requests that no build will reuse, because each of their pull requests has left the line or has
 * a started build.
 */
export function findUnusableBotPullRequests<Bot extends IdleBotPullRequest>(
  idle: readonly Bot[],
  { inLine, building }: { readonly inLine: ReadonlySet<string>; readonly building: ReadonlySet<string> },
): Bot[] {
  return idle.filter(({ pullRequests }) => pullRequests.every((id) => !inLine.has(id) || building.has(id)));
}
