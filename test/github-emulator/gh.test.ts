// The documents that GitHub's command line sends, in the order in which it sent them, with ids put in.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

interface Captured {
  readonly command: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const captured = JSON.parse(readFileSync(new URL('./gh-documents.json', import.meta.url), 'utf8')) as Captured[];

let w: EmulatorWorld;
let reviewer: string;
beforeAll(async () => {
  w = await emulatorWorld();
  reviewer = w.emulator.addPerson('mona', 'admin').token;
  await w.person.issues.createLabel({ ...w.place, name: 'queue-me', color: 'ff0000' });
  await w.clone.push('topic', { 'b.txt': 'b\n' });
});
afterAll(async () => await w[Symbol.asyncDispose]());

interface Answer {
  readonly data: unknown;
  readonly errors?: unknown;
}

async function ask(token: string, query: string, variables: object = {}): Promise<Answer> {
  const response = await fetch(w.emulator.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

interface Ids {
  readonly repository: { readonly id: string; readonly label: { readonly id: string }; readonly owner: { id: string } };
}

async function withIds({ command, variables }: Captured): Promise<object> {
  const number = / 2\b/.test(command) ? 2 : 1;
  const query = `{ repository(owner: "${w.owner}", name: "${w.repo}") { id owner { id } label(name: "queue-me") { id } } }`;
  const { data } = (await ask(w.emulator.token, query)) as { data: Ids };
  const one = `{ repository(owner: "${w.owner}", name: "${w.repo}") { pullRequest(number: ${number}) { id } } }`;
  const pull = (await ask(w.emulator.token, one)) as { data: { repository: { pullRequest: { id: string } | null } } };
  const { repository } = data;
  const text = JSON.stringify(variables)
    .replaceAll('<repository>', repository.id)
    .replaceAll('<owner>', repository.owner.id)
    .replaceAll('<label>', repository.label.id)
    .replaceAll('<pull request>', pull.data.repository.pullRequest?.id ?? '');
  return JSON.parse(text) as object;
}

it("every query of GitHub's command line is answered without errors, and every mutation has its effect", async () => {
  for (const document of captured) {
    if (document.command.startsWith('gh pr close 2') && document.query.startsWith('query')) await w.open('other');
    const token = document.query.includes('PullRequestReviewAdd') ? reviewer : w.emulator.token;
    const { data, errors } = await ask(token, document.query, await withIds(document));
    expect({ command: document.command, errors }).toEqual({ command: document.command });
    expect(Object.values(data as object)).not.toContain(null);
    await w.emulator.core.settled();
  }
  const first = await w.person.pulls.get({ ...w.place, pull_number: 1 });
  expect(first.data).toMatchObject({ title: 'A change', merged: true, labels: [{ name: 'queue-me' }], comments: 1 });
  const reviews = await w.person.pulls.listReviews({ ...w.place, pull_number: 1 });
  expect(reviews.data).toMatchObject([{ state: 'APPROVED', user: { login: 'mona' } }]);
  const second = await w.person.pulls.get({ ...w.place, pull_number: 2 });
  expect(second.data).toMatchObject({ state: 'open', draft: true });
  w.expectNoMistakes();
});
