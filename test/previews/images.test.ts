// The images that sandboxes boot, by name.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountOf } from '../accounts/account.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

const registering = `mutation ($input: RegisterPreviewImageInput!) {
  registerPreviewImage(input: $input) { previewImage { id name kind source createdBy } } }`;

async function names(token = s.token): Promise<string[]> {
  const { data } = await s.graphql<{ previewImages: { nodes: { name: string; source: string }[] } }>(
    '{ previewImages { nodes { name source } } }',
    {},
    token,
  );
  return data.previewImages.nodes.map(({ name, source }) => `${name} ${source}`);
}

it('an image is registered, replaced under its name, read by its id, and removed', async () => {
  const register = async (source: string): Promise<{ id: string }> => {
    const { data, errors } = await s.graphql<{ registerPreviewImage: { previewImage: { id: string } } }>(registering, {
      input: { name: 'web', kind: 'DOCKER', source },
    });
    expect(errors).toEqual([]);
    return data.registerPreviewImage.previewImage;
  };
  const first = await register('registry.example.test/web:1');
  expect(await register('registry.example.test/web:2')).toMatchObject({
    id: first.id,
    name: 'web',
    kind: 'DOCKER',
    source: 'registry.example.test/web:2',
    createdBy: 'service@acme.test',
  });
  expect(await names()).toEqual(['web registry.example.test/web:2']);
  const other = await s.otherAccount();
  const read = 'query ($id: ID!) { node(id: $id) { id } }';
  expect((await s.graphql(read, { id: first.id })).data).toEqual({ node: { id: first.id } });
  expect((await s.graphql(read, { id: first.id }, other.token)).data).toEqual({ node: null });
  expect(await names(other.token)).toEqual([]);
  const removing = 'mutation { removePreviewImage(input: {name: "web"}) { previewImage { id } } }';
  expect((await s.graphql(removing, {}, other.token)).errors[0]?.extensions.code).toBe('NOT_FOUND');
  expect((await s.graphql(removing)).data).toEqual({ removePreviewImage: { previewImage: { id: first.id } } });
  expect((await s.graphql(removing)).errors).toMatchObject([{ message: 'Preview image not found' }]);
  expect(await names()).toEqual([]);
});

it.each([
  ['DOCKER', 'web', '--privileged', "source must be an image's reference, such as registry.example.com/web:1"],
  ['DOCKER', 'web', 'web latest', "source must be an image's reference, such as registry.example.com/web:1"],
  ['DIRECTORY', 'web', 'previews/web', 'source must be an absolute path, without ..'],
  ['DIRECTORY', 'web', '/srv/../etc', 'source must be an absolute path, without ..'],
  ['COMMAND', 'web', '  ', 'source must be a command'],
  ['COMMAND', 'a b', 'true', 'name must be 1 to 200 characters without white space'],
  ['COMMAND', '', 'true', 'name must be 1 to 200 characters without white space'],
])('an image of kind %s with the name %j and the source %j is refused', async (kind, name, source, message) => {
  const { errors } = await s.graphql(registering, { input: { kind, name, source } });
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_INPUT' } }]);
});

it('only admins can register images', async () => {
  const bob = await accountOf(s).add('bob', { role: 'maintainer', scopes: ['config:write', 'preview:register'] });
  const input = { kind: 'COMMAND', name: 'web', source: 'true' };
  const { errors } = await s.graphql(registering, { input }, bob.token);
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});
