// Calls to the API of the Docker Engine that several files need.
import type Docker from 'dockerode';

/** Removes a container and all processes in it. Idempotent. */
export async function removeContainer(docker: Docker, name: string): Promise<void> {
  await docker
    .getContainer(name)
    .remove({ force: true, v: true })
    .catch((error: unknown) => {
      // The container does not exist (404), or its removal is in progress (409).
      if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
    });
}

export function statusOf(error: unknown): number | null {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}
