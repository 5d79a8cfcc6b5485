// Validates object ids and ref names before they become arguments of git.
import { isRefName } from '../../domain/branch-name.ts';
import { HostRefused } from '../port.ts';

export const zeroObjectId = '0'.repeat(40);

export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** Returns the id. Throws HostRefused if it is not a full object id. */
export function requireObjectId(text: string): string {
  if (!isObjectId(text))
    throw new HostRefused(`${JSON.stringify(text.slice(0, 80))} is not a full commit id (40 hexadecimal digits)`);
  return text;
}

/** Returns the ref. Throws HostRefused if it is not a valid full ref name. */
export function requireRefName(ref: string): string {
  if (!isRefName(ref)) throw new HostRefused(`${JSON.stringify(ref.slice(0, 80))} is not a valid ref name`);
  return ref;
}

export function branchRef(branch: string): string {
  return requireRefName(`refs/heads/${branch}`);
}

/** `main` for `refs/heads/main`. Null: the ref is not a branch. */
export function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** Whether only Interlock may write the ref: landing refs, build refs, bot branches and temporary branches. */
export function isReservedRef(ref: string): boolean {
  return ref.startsWith('refs/interlock/') || ref.startsWith('refs/heads/mq-');
}

export function isBotBranch(branch: string): boolean {
  return branch.startsWith('mq-bot-');
}

/** Whether the branch is one of Interlock's temporary branches, on which CI must not run. */
export function isTemporaryBranch(branch: string): boolean {
  return branch.startsWith('mq-tmp-');
}
