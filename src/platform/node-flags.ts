// The Node flags with which every program of Interlock is started.

/**
 * These flags prevent a deadlock at the exit of Node 24 (nodejs/node#54918). At its exit, Node waits for V8's threads,
 * while a compiler thread waits for a garbage collection by the main thread. On a busy machine, one process in some
 * thousands hung. With these flags, the compilers Sparkplug and Maglev write to the heap only on the main thread. The
 * flags must be on the command line, because Maglev reads them more than once during a compilation. When `node:v8` set
 * them in a running process, one process in some thousands crashed with "Check failed: !deopt_data.is_null()".
 */
const flagsOfNode24 = [
  '--no-concurrent-sparkplug',
  '--no-maglev-build-code-on-background',
  '--no-maglev-deopt-data-on-background',
];

/**
 * `version`: the version of the Node that is started. Other versions than 24 may not know these flags, and Node refuses
 * to start with unknown flags.
 */
export function nodeFlags(version: string = process.version): readonly string[] {
  return ['--disable-warning=ExperimentalWarning', ...(version.startsWith('v24.') ? flagsOfNode24 : [])];
}
