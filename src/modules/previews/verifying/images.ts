// Finds out which sandboxes of this worker can boot an image.
import type { PreviewImageKind } from '../../../domain/previews/preview.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';

/** The first kind of sandbox that can boot an image of this kind. Null: no kind of sandbox can. */
export async function sandboxesFor(
  sandboxes: readonly PreviewSandboxes[],
  kind: PreviewImageKind,
): Promise<PreviewSandboxes | null> {
  for (const candidate of sandboxes) if ((await candidate.refusal(kind)) === null) return candidate;
  return null;
}

/** Why no sandbox can boot an image of this kind. Null: a sandbox can boot it. */
export async function refusalOf(
  sandboxes: readonly PreviewSandboxes[],
  kind: PreviewImageKind,
): Promise<string | null> {
  const refusals = await Promise.all(sandboxes.map(async (candidate) => await candidate.refusal(kind)));
  if (refusals.includes(null)) return null;
  return refusals.join(' ') || 'This worker runs no sandboxes.';
}
