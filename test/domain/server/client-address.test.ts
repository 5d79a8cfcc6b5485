// The address of the client, decided from the connection, the header and the trusted proxies.
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { addressOf, networkOf, readTrustedProxies } from '../../../src/server/client-address.ts';

it.each([
  ['no proxy is trusted', undefined, '10.0.0.1', '192.0.2.1', '10.0.0.1'],
  ['an empty setting trusts none', ' ', '10.0.0.1', '192.0.2.1', '10.0.0.1'],
  ['the connected address is no proxy', '10.0.0.0/8', '203.0.113.9', '192.0.2.1', '203.0.113.9'],
  ['a proxy names the client', '10.0.0.0/8', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a proxy that Node shows as IPv6', '10.0.0.0/8', '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a client that writes an address itself', '10.0.0.0/8', '10.0.0.1', '192.0.2.1, 203.0.113.9', '203.0.113.9'],
  ['two proxies', '10.0.0.1, fd00::/8', 'fd00::5', '192.0.2.1, 10.0.0.1', '192.0.2.1'],
  ['a proxy that names nobody', '10.0.0.1', '10.0.0.1', undefined, '10.0.0.1'],
  ['there are only proxies', '10.0.0.0/8', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a text that is not an address', '10.0.0.0/8', '10.0.0.1', '192.0.2.1, unknown', 'unknown'],
])('%s', (_name, setting, remoteAddress, forwarded, address) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
  expect(addressOf(request, readTrustedProxies(setting))).toBe(address);
});

it.each(['true', '1', 'proxy.example.com', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1,,10.0.0.2', '::1/129'])(
  'refuses %s, and says what is accepted',
  (setting) => {
    expect(() => readTrustedProxies(setting)).toThrow('It must be addresses and ranges of proxies');
  },
);

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0:0:3:4:5:6:7', '2001:0:0:3::/64'],
  ['::192.0.2.1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['no address', 'no address'],
  [undefined, ''],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
