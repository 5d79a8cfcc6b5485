// What may become an argument of git.
import { HostRefused } from '../port.ts';

export const zeroObjectId = '0'.repeat(40);

export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** The id itself. Throws HostRefused when it is no full object id. */
export function objectId(text: string): string {
  if (!isObjectId(text))
    throw new HostRefused(`${JSON.stringify(text.slice(0, 80))} is not a full commit id (40 hexadecimal digits)`);
  return text;
}

/** The rules of `git check-ref-format`, for a full name such as `refs/heads/main`. */
export function isRefName(ref: string): boolean {
  if (ref.length > 255 || !ref.startsWith('refs/')) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(ref)) return false;
  const parts = ref.split('/');
  return (
    parts.length > 2 && parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock') && !part.startsWith('-'))
  );
}

/** The ref itself. Throws HostRefused when git would not take it as a full ref name. */
export function refName(ref: string): string {
  if (!isRefName(ref)) throw new HostRefused(`${JSON.stringify(ref.slice(0, 80))} is not a valid ref name`);
  return ref;
}

export function branchRef(branch: string): string {
  return refName(`refs/heads/${branch}`);
}

/** `main` of `refs/heads/main`; null for what is no branch. */
export function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** Refs only the service itself writes: landing and build refs, bot and temporary branches. */
export function isReservedRef(ref: string): boolean {
  return ref.startsWith('refs/interlock/') || ref.startsWith('refs/heads/mq-');
}

export function isBotBranch(branch: string): boolean {
  return branch.startsWith('mq-bot-');
}

/** Branches CI must not run on. */
export function isTemporaryBranch(branch: string): boolean {
  return branch.startsWith('mq-tmp-');
}
