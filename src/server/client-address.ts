// Finds the address of a client behind proxies. Every client can write X-Forwarded-For, so an entry is believed only if
// a trusted proxy has added it. The proxy of the connection has added the last entry.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';

/** Whether the proxy at this address is trusted. */
export type TrustsProxy = (address: string) => boolean;

export class TrustedProxiesRefused extends Error {}

/**
 * `text` is the value of TRUST_PROXY. Null: no proxy is trusted. Throws TrustedProxiesRefused, whose message says which
 * values are allowed. A number of proxies is not allowed, because a client that connects past the proxy could then
 * claim any address.
 */
export function readTrustedProxies(text: string | undefined): TrustsProxy | null {
  const given = text?.trim() ?? '';
  if (given === '') return null;
  const trusted = new BlockList();
  for (const entry of given.split(',').map((each) => each.trim())) addRange(trusted, entry);
  return (address) => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

function addRange(trusted: BlockList, entry: string): void {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const length = bits === undefined ? longest : Number(bits);
  if (family === 0 || length > longest || length === 0)
    throw new TrustedProxiesRefused(
      `TRUST_PROXY names "${entry}". It must be addresses and ranges of proxies, separated by commas, such as 10.0.0.0/8,fd00::1.`,
    );
  trusted.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The client's address of a request that Fastify does not handle, such as a WebSocket upgrade. It is computed like
 * Fastify's `request.ip`.
 */
export function addressOf(request: IncomingMessage, trusts: TrustsProxy | null): string {
  return proxyAddr(request, trusts ?? (() => false));
}

/**
 * What limits count by: an IPv4 address, or the /64 network of an IPv6 address, because one machine may have all
 * addresses of such a network. An IPv4 address that is written as IPv6 counts as itself.
 * Undefined: the client has gone.
 */
export function networkOf(address: string | undefined): string {
  const [bare = ''] = address?.split('%') ?? [];
  if (isIP(bare) !== 6) return bare;
  const { address: canonical } = new SocketAddress({ address: bare, family: 'ipv6' });
  const [, mapped] = /^::ffff:([\d.]+)$/.exec(canonical) ?? [];
  if (mapped !== undefined) return mapped;
  const [start = [], end = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => '0');
  return `${[...start, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
}
