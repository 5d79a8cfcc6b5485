import { describe, expect, it } from 'vitest';
import { readApiDescription, readWebhookDescription } from '../../github-emulator/openapi/description.ts';
import { ok, route } from '../../github-emulator/http/route.ts';

describe('GitHub’s description of the API', () => {
  const description = readApiDescription();
  const getRef = route('GET', '/repos/{owner}/{repo}/git/ref/{ref}', () => ok({}));
  const ref = {
    ref: 'refs/heads/main',
    node_id: 'REF_1',
    url: 'https://example.com',
    object: { type: 'commit', sha: 'a'.repeat(40), url: 'https://example.com' },
  };

  it.each([
    ['of a ref is valid', ok(ref), []],
    [
      'of a ref without its id is faulty',
      ok({ ...ref, node_id: undefined }),
      ["the answer must have required property 'node_id'"],
    ],
    [
      'of a ref with a short id is faulty',
      ok({ ...ref, object: { ...ref.object, sha: 'a' } }),
      [expect.stringContaining('sha')],
    ],
    [
      'with a field that GitHub does not have is faulty',
      ok({ ...ref, colour: 'red' }),
      ['GitHub describes no field colour'],
    ],
    [
      'with a status that GitHub does not have is faulty',
      { status: 418, body: {} },
      ['GitHub describes no answer 418'],
    ],
  ])('says that an answer %s', (_name, answer, faults) => {
    expect(description.findFaults(getRef, answer)).toEqual(faults);
  });

  it('has no operation that GitHub does not have', () => {
    const invented = route('GET', '/repos/{owner}/{repo}/sausages', () => ok({}));
    expect(() => description.mustDescribe(invented)).toThrow(
      'github.json has no operation GET /repos/{owner}/{repo}/sausages.',
    );
  });
});

describe('GitHub’s description of webhooks', () => {
  const description = readWebhookDescription();

  it.each([
    ['push', null, {}],
    ['pull_request', 'synchronize', { action: 'synchronize', number: 1 }],
    ['check_run', 'completed', { action: 'created' }],
    ['installation_repositories', 'added', { action: 'added' }],
  ])('finds the faults in a wrong payload of %s %s', (event, action, payload) => {
    expect(description.findFaults(event, action, payload)).not.toEqual([]);
  });

  it('has no webhook that GitHub does not send', () => {
    expect(description.findFaults('pull_request', 'eaten', {})).toEqual([
      'GitHub describes no webhook pull-request-eaten',
    ]);
  });
});
