// The name of a sandbox says for which verification it was booted, and by which attempt. The worker of an earlier attempt
// may have been lost on another machine, and its container must not be taken for that of the present attempt.

export interface SandboxOwner {
  readonly accountId: string;
  readonly verificationId: string;
}

/** `attempt` is 1 for the first boot. */
export function sandboxName({ accountId, verificationId }: SandboxOwner, attempt: number): string {
  const first = `interlock-preview-${accountId}-${verificationId}`;
  return attempt <= 1 ? first : `${first}-${attempt}`;
}

/** Null: no verification has a sandbox of this name. */
export function ownerOfSandbox(name: string): SandboxOwner | null {
  const [, accountId, verificationId] = /^interlock-preview-(\d{1,18})-(\d{1,18})(?:-\d+)?$/.exec(name) ?? [];
  return accountId === undefined || verificationId === undefined ? null : { accountId, verificationId };
}
