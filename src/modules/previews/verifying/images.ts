// Where an image boots.
import type { PreviewImageKind } from '../../../domain/previews/preview.ts';
import type { PreviewSandboxes } from '../../../platform/previews/port.ts';

/** Null: none of them boots such an image. */
export async function sandboxesFor(
  sandboxes: readonly PreviewSandboxes[],
  kind: PreviewImageKind,
): Promise<PreviewSandboxes | null> {
  for (const candidate of sandboxes) if ((await candidate.refusal(kind)) === null) return candidate;
  return null;
}

/** Why nobody here boots such an image; null: somebody does. */
export async function refusalOf(
  sandboxes: readonly PreviewSandboxes[],
  kind: PreviewImageKind,
): Promise<string | null> {
  const refusals = await Promise.all(sandboxes.map(async (candidate) => await candidate.refusal(kind)));
  if (refusals.includes(null)) return null;
  return refusals.join(' ') || 'No sandboxes run here.';
}
