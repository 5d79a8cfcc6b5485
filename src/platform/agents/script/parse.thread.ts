// Reads scripts in a thread: the author of a prompt may write a script that takes for ever to read.
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
    // The stack is not as deep as what is nested there.
    if (error instanceof RangeError) return { fault: 'This is nested too deeply.' };
    throw error;
  }
}
