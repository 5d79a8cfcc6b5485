import type { LocalHost } from '../../src/hosts/local/index.ts';
import type { World } from './world.ts';

/** From now on the host does this instead, as often as it says so; `original` is what it did before. */
export function instead<Name extends keyof LocalHost>(
  w: World,
  name: Name,
  does: (original: LocalHost[Name]) => LocalHost[Name],
): void {
  const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
  host[name] = does(host[name]);
}
