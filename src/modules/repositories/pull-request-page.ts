// The page of a pull request here, for links at its host, which may be another site.
import type { Context } from '../../context.ts';

export function pullRequestPage(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { owner, name }: { readonly owner: string; readonly name: string },
  number: number,
): string {
  return `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/pull/${number}`;
}
