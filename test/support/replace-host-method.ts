import type { LocalHost } from '../../src/hosts/local/index.ts';
import type { World } from './world.ts';

/** Replaces a method of the local host. `does` gets the original method, and returns the new one. */
export function replaceHostMethod<Name extends keyof LocalHost>(
  w: World,
  name: Name,
  does: (original: LocalHost[Name]) => LocalHost[Name],
): void {
  const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
  host[name] = does(host[name]);
}
