import type { RunBounds } from '../../domain/runs/bounds.ts';
import { hostClient, HostRefused, type Hosts } from '../../hosts/port.ts';
import { BootFailed, type PreviewBoot } from './port.ts';

/** Checks out the commit of a preview. Throws BootFailed if the commit exceeds the bounds. */
export async function checkOutBoot(
  hosts: Hosts,
  { repository, commit }: PreviewBoot,
  into: { readonly folder: string; readonly bounds: RunBounds },
): Promise<void> {
  try {
    await hostClient({ hosts }, repository).checkOut(commit, into);
  } catch (error) {
    throw error instanceof HostRefused ? new BootFailed(error.message, { cause: error }) : error;
  }
}
