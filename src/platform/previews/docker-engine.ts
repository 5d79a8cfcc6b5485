// Calls to the Engine's API that are made in more than one place.
import type Docker from 'dockerode';

/** With all that runs in it. Idempotent. */
export async function removeContainer(docker: Docker, name: string): Promise<void> {
  await docker
    .getContainer(name)
    .remove({ force: true, v: true })
    .catch((error: unknown) => {
      // Gone already, or going: somebody else removes it.
      if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
    });
}

export function statusOf(error: unknown): number | null {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}
