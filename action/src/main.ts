// The process of the Action. Reads the inputs and the event, and writes outputs, a summary and annotations.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { error, getInput, info, setOutput, setSecret, summary, warning } from '@actions/core';
import { carryOut, type Result } from './commands.ts';
import { InputError, readCommon, readRequest, type Event } from './inputs.ts';
import { createService, Refusal, type Clock } from './service.ts';

const clock: Clock = { now: () => Date.now(), delay: async (ms) => await delay(ms) };

function readEvent(env: NodeJS.ProcessEnv): Event {
  const file = env['GITHUB_EVENT_PATH'];
  return {
    name: env['GITHUB_EVENT_NAME'] ?? 'unknown',
    payload: file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Event['payload']),
    sha: env['GITHUB_SHA'] ?? '',
    branch: env['GITHUB_REF_TYPE'] === 'branch' ? (env['GITHUB_REF_NAME'] ?? null) : null,
  };
}

async function runStep(): Promise<Result> {
  const { url, token } = readCommon(getInput);
  setSecret(token);
  const request = readRequest(getInput, readEvent(process.env));
  if (request.command === 'register-preview')
    for (const secret of Object.values(request.secrets)) if (secret !== '') setSecret(secret);
  if (/^http:\/\/(?!localhost|127\.|\[::1\])/.test(url))
    warning(`The token is sent to ${url} without encryption. Use https.`, { title: 'Interlock' });
  const service = createService({ url, token, clock });
  return await carryOut(request, { service, clock, say: (line) => info(`Interlock: ${inOneLine(line)}`) });
}

/** Puts a text into one line, because the runner takes lines with certain beginnings for commands. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

async function report({ isDone, title, sentence, outputs }: Result): Promise<void> {
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  if (isDone) info(`Interlock: ${inOneLine(title)}. ${inOneLine(sentence)}`);
  else fail(title, sentence);
  // GitHub Enterprise before 3.6 has no summaries.
  if (process.env['GITHUB_STEP_SUMMARY'] === undefined) return;
  // GitHub does not read a text between HTML tags as Markdown.
  await summary.addRaw(`<h3>Interlock: ${escaped(title)}</h3>\n<p>${escaped(sentence)}</p>`, true).write();
}

function escaped(text: string): string {
  return inOneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function fail(title: string, sentence: string): void {
  process.exitCode = 1;
  error(inOneLine(sentence), { title: `Interlock: ${inOneLine(title)}` });
}

try {
  await report(await runStep());
} catch (failure) {
  if (!(failure instanceof InputError || failure instanceof Refusal)) throw failure;
  await report({
    isDone: false,
    title: `${getInput('command') || 'the step'} was refused`,
    sentence: failure.message,
    outputs: {},
  });
}
