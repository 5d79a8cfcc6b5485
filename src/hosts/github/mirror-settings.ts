// The settings of mirrors, which an operator sets by environment variables.
export interface MirrorSettings {
  /**
   * Whether each machine has its own mirrors (`GITHUB_MIRRORS=own`). If so, a commit without a branch is pushed to
   * GitHub, so that every machine can land it. If not, all processes share the mirrors of the data directory.
   */
  readonly keepsAtGitHub: boolean;
  /** How much room all mirrors of a machine may take (`GITHUB_MIRROR_MAX_GB`). Null: no limit. */
  readonly maxBytes: number | null;
}

export const defaultMirrorSettings: MirrorSettings = { keepsAtGitHub: false, maxBytes: null };

/** A variable has a value that is not allowed. The message names the variable, and says what to do. */
export class MirrorSettingRefused extends Error {}

/** Throws MirrorSettingRefused. */
export function readMirrorSettings(env: Readonly<Record<string, string | undefined>>): MirrorSettings {
  const mirrors = env['GITHUB_MIRRORS'] ?? 'shared';
  if (mirrors !== 'shared' && mirrors !== 'own')
    throw new MirrorSettingRefused(
      `GITHUB_MIRRORS is ${JSON.stringify(mirrors)}. Set shared if all servers and workers have one data directory, or own if each machine has a data directory of its own.`,
    );
  const max = env['GITHUB_MIRROR_MAX_GB'];
  const gigabytes = Number(max);
  if (max !== undefined && !(gigabytes > 0))
    throw new MirrorSettingRefused(
      `GITHUB_MIRROR_MAX_GB is ${JSON.stringify(max)}. Set a number above 0, or leave it out for no limit.`,
    );
  return { keepsAtGitHub: mirrors === 'own', maxBytes: max === undefined ? null : gigabytes * 1e9 };
}
