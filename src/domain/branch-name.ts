// Which names refs and branches may have.

/** The file of a ref and the file of its lock must fit into a folder, where a name has at most 255 bytes. */
const longestRefBytes = 255;

/**
 * Whether a full name, such as `refs/heads/main`, is valid by the rules of `git check-ref-format`. Stricter than git: no
 * part begins with a hyphen, because programs read such a name as an option, and the name has at most 255 bytes.
 */
export function isRefName(ref: string): boolean {
  if (!ref.startsWith('refs/') || !ref.isWellFormed() || Buffer.byteLength(ref) > longestRefBytes) return false;
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(ref)) return false;
  const parts = ref.split('/');
  return (
    parts.length > 2 && parts.every((part) => !part.startsWith('.') && !part.endsWith('.lock') && !part.startsWith('-'))
  );
}

/** Whether a branch may have this name. `HEAD` is no name of a branch, because git reads it as the current branch. */
export function isBranchName(name: string): boolean {
  return name !== 'HEAD' && isRefName(`refs/heads/${name}`);
}
