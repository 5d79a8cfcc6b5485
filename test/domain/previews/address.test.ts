import { expect, it } from 'vitest';
import { previewUrl, slugReader } from '../../../src/domain/previews/address.ts';

it.each([
  ['http://localhost:4000', 'http://k3v.preview.localhost:4000'],
  ['http://127.0.0.1:4000', 'http://k3v.preview.localhost:4000'],
  ['http://[::1]:4000', 'http://k3v.preview.localhost:4000'],
  ['https://merge.example.org', 'https://k3v.preview.merge.example.org'],
  ['https://merge.example.org:8443/below', 'https://k3v.preview.merge.example.org:8443'],
])('a preview of %s is at %s, and found by that host', (publicUrl, url) => {
  expect(previewUrl(publicUrl, 'k3v')).toBe(url);
  expect(slugReader(publicUrl)(new URL(url).host)).toBe('k3v');
});

it.each([
  ['another port, as a proxy before us sees it', 'k3v.preview.merge.example.org:80', 'k3v'],
  ['capitals', 'K3V.Preview.Merge.Example.ORG', 'k3v'],
  ['a dot at the end', 'k3v.preview.merge.example.org.', 'k3v'],
  ['ourselves', 'merge.example.org', null],
  ['no slug', 'preview.merge.example.org', null],
  ['an empty slug', '.preview.merge.example.org', null],
  ['two labels', 'a.b.preview.merge.example.org', null],
  ['what only ends like it', 'k3v.preview.merge.example.org.evil.org', null],
  ['what only begins like it', 'k3vpreview.merge.example.org', null],
  ['nothing', '', null],
])('of a host with %s', (_what, host, slug) => {
  expect(slugReader('https://merge.example.org')(host)).toBe(slug);
});
