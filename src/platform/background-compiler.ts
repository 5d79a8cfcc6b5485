// Node 24 may never end (nodejs/node#54918): at its end it waits for V8's threads, and one of them, which compiles, waits
// for a garbage collection by the main thread. It happened here to one start in some thousands, on a busy machine. Only
// code that is written to the heap by these threads can wait so, and compiling that on the main thread costs little.
import { setFlagsFromString } from 'node:v8';

/** For the beginning of a program: V8's threads write no code to the heap from now on. */
export function keepCodeOffBackgroundThreads(): void {
  setFlagsFromString('--no-concurrent-sparkplug');
  setFlagsFromString('--no-maglev-build-code-on-background');
}
