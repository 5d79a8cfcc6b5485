// Which names refs and branches may have.

/**
 * A file name has at most 255 bytes. The last part of a ref is a file name, and its lock has the same name with
 * `.lock`.
 */
const longestRefBytes = 255;

/**
 * Whether a full name, such as `refs/heads/main`, is valid by the rules of `git check-ref-format`. This function is
 * stricter than git. The name begins with `refs/`, and has three parts or more and at most 255 bytes. No part begins
 * with a hyphen, because programs read such a name as an option.
 */
export function isRefName(ref: string): boolean {
  if (!ref.startsWith('refs/') || !ref.isWellFormed() || Buffer.byteLength(ref) > longestRefBytes) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(ref)) return false;
  const parts = ref.split('/');
  return (
    parts.length > 2 && parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock') && !part.startsWith('-'))
  );
}

/** Whether a branch may have this name. No branch may be named `HEAD`, because git reads it as the current branch. */
export function isBranchName(name: string): boolean {
  return name !== 'HEAD' && isRefName(`refs/heads/${name}`);
}
