// Reads scripts in a thread of their own, which can be stopped, because some scripts would take extremely long to
// parse.
import { answerTasks } from '../../threads.ts';
import { parseScript, ScriptFault } from './parse.ts';
import type { Script } from './script.ts';

export type Reading = { readonly script: Script } | { readonly fault: string };

answerTasks((prompt) => read(prompt as string));

function read(prompt: string): Reading {
  try {
    return { script: parseScript(prompt) };
  } catch (error) {
    if (error instanceof ScriptFault) return { fault: error.message };
    // The parser is recursive, and the nesting overflowed its stack.
    if (error instanceof RangeError) return { fault: 'This is nested too deeply.' };
    throw error;
  }
}
