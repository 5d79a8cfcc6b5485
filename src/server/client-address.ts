// The address of a client behind proxies. X-Forwarded-For is anybody's to write, so that each entry counts only as long
// as a trusted proxy has added it: the last one was added by the proxy that is connected.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';

/** Whether the proxy at this address is trusted. */
export type TrustsProxy = (address: string) => boolean;

export class TrustedProxiesRefused extends Error {}

/**
 * `text`: of TRUST_PROXY. Null: no proxy is trusted. Throws TrustedProxiesRefused, which says what it may be. A number
 * of proxies is none of it: it says nothing about who is connected, so that a client beside the proxy could write any
 * address.
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

/** Of a connection that Fastify does not see, by the library that finds Fastify's `request.ip`. */
export function addressOf(request: IncomingMessage, trusts: TrustsProxy | null): string {
  return proxyAddr(request, trusts ?? (() => false));
}
