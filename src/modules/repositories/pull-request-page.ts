// The address of a pull request's page in the dashboard. It is absolute, because the code host shows it on another
// site.
import type { Context } from '../../context.ts';

export function pullRequestPage(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { owner, name }: { readonly owner: string; readonly name: string },
  number: number,
): string {
  return `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/pull/${number}`;
}
