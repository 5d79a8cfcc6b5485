import type { HostUnderTest } from './host-under-test.ts';

/** A host with `main` at `base`, and `topic` at `head`, which is a commit ahead. */
export type Given = HostUnderTest & { readonly base: string; readonly head: string };
