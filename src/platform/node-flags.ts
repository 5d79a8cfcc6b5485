// The flags of Node with which every program of Interlock is started.

/**
 * Node 24 may never end (nodejs/node#54918): at its end it waits for V8's threads, and one of them, which compiles, waits
 * for a garbage collection by the main thread. It happened here to one start in some thousands, on a busy machine. With
 * these flags V8's threads write no code to the heap. They are flags of the command line because V8 must have them before
 * it starts: set by `node:v8` in a running process, they end one process in some thousands by "Check failed".
 */
const flagsOfNode24 = ['--no-concurrent-sparkplug', '--no-maglev-build-code-on-background'];

/** `version`: of the Node that is started. Other versions than 24 refuse flags that they do not know. */
export function nodeFlags(version: string = process.version): readonly string[] {
  return ['--disable-warning=ExperimentalWarning', ...(version.startsWith('v24.') ? flagsOfNode24 : [])];
}
