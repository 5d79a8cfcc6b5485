// The flags of Node with which every program of Interlock is started.

/**
 * Node 24 may never end (nodejs/node#54918): at its end it waits for V8's threads, and one of them, which compiles, waits
 * for a garbage collection by the main thread. It happened here to one start in some thousands, on a busy machine. With
 * these flags the compilers Sparkplug and Maglev write to the heap on the main thread alone. The flags belong on the
 * command line, because Maglev reads them more than once during a compilation: where `node:v8` changed them in a running
 * process, one start in some thousands ended by "Check failed: !deopt_data.is_null()".
 */
const flagsOfNode24 = [
  '--no-concurrent-sparkplug',
  '--no-maglev-build-code-on-background',
  '--no-maglev-deopt-data-on-background',
];

/** `version`: of the Node that is started. Other versions than 24 refuse flags that they do not know. */
export function nodeFlags(version: string = process.version): readonly string[] {
  return ['--disable-warning=ExperimentalWarning', ...(version.startsWith('v24.') ? flagsOfNode24 : [])];
}
