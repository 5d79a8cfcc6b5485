import { expect, it } from 'vitest';
import { previewUrl, slugReader } from '../../../src/domain/previews/address.ts';

it.each([
  ['http://localhost:4000', 'http://k3v.preview.localhost:4000'],
  ['http://127.0.0.1:4000', 'http://k3v.preview.localhost:4000'],
  ['http://[::1]:4000', 'http://k3v.preview.localhost:4000'],
  ['https://merge.example.org', 'https://k3v.preview.merge.example.org'],
  ['https://merge.example.org:8443/below', 'https://k3v.preview.merge.example.org:8443'],
])('for the public URL %s a preview is at %s, and is found by that host', (publicUrl, url) => {
  expect(previewUrl(publicUrl, 'k3v')).toBe(url);
  expect(slugReader(publicUrl)(new URL(url).host)).toBe('k3v');
});

it.each([
  ['another port, as behind a proxy', 'k3v.preview.merge.example.org:80', 'k3v'],
  ['capitals', 'K3V.Preview.Merge.Example.ORG', 'k3v'],
  ['a dot at the end', 'k3v.preview.merge.example.org.', 'k3v'],
  ['the host of the service itself', 'merge.example.org', null],
  ['no slug', 'preview.merge.example.org', null],
  ['an empty slug', '.preview.merge.example.org', null],
  ['two labels', 'a.b.preview.merge.example.org', null],
  ['a name that only contains it', 'k3v.preview.merge.example.org.evil.org', null],
  ['a name that only looks like it', 'k3vpreview.merge.example.org', null],
  ['nothing', '', null],
])('the preview of a host: %s', (_what, host, slug) => {
  expect(slugReader('https://merge.example.org')(host)).toBe(slug);
});
