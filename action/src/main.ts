// The process of the Action: inputs and the event in; outputs, a summary and annotations out.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { error, getInput, info, setOutput, setSecret, summary, warning } from '@actions/core';
import { carryOut, type Result } from './commands.ts';
import { InputError, readCommon, readRequest, type Event } from './inputs.ts';
import { createService, Refusal, type Clock } from './service.ts';

const clock: Clock = { now: () => Date.now(), delay: async (ms) => await delay(ms) };

function eventOf(env: NodeJS.ProcessEnv): Event {
  const file = env['GITHUB_EVENT_PATH'];
  return {
    name: env['GITHUB_EVENT_NAME'] ?? 'unknown',
    payload: file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Event['payload']),
    sha: env['GITHUB_SHA'] ?? '',
    branch: env['GITHUB_REF_TYPE'] === 'branch' ? (env['GITHUB_REF_NAME'] ?? null) : null,
  };
}

async function work(): Promise<Result> {
  const { url, token } = readCommon(getInput);
  setSecret(token);
  const request = readRequest(getInput, eventOf(process.env));
  if (request.command === 'register-preview')
    for (const secret of Object.values(request.secrets)) if (secret !== '') setSecret(secret);
  if (/^http:\/\/(?!localhost|127\.|\[::1\])/.test(url))
    warning(`The token is sent to ${url} unencrypted. Use https.`, { title: 'Interlock' });
  const service = createService({ url, token, clock });
  return await carryOut(request, { service, clock, say: (line) => info(`Interlock: ${oneLine(line)}`) });
}

/** A line of a log that begins with what others wrote could be a command to the runner. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

async function report({ isDone, title, sentence, outputs }: Result): Promise<void> {
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  if (isDone) info(`Interlock: ${oneLine(title)}. ${oneLine(sentence)}`);
  else fail(title, sentence);
  // Servers before GitHub Enterprise 3.6 have no summary.
  if (process.env['GITHUB_STEP_SUMMARY'] === undefined) return;
  // Between tags, what others wrote is no Markdown.
  await summary.addRaw(`<h3>Interlock: ${escaped(title)}</h3>\n<p>${escaped(sentence)}</p>`, true).write();
}

function escaped(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function fail(title: string, sentence: string): void {
  process.exitCode = 1;
  error(oneLine(sentence), { title: `Interlock: ${oneLine(title)}` });
}

try {
  await report(await work());
} catch (failure) {
  if (!(failure instanceof InputError || failure instanceof Refusal)) throw failure;
  await report({
    isDone: false,
    title: `${getInput('command') || 'the step'} is refused`,
    sentence: failure.message,
    outputs: {},
  });
}
