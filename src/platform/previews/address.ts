// Connects to the app of a sandbox, by the address in the sandbox's row.
import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { NetConnectOpts } from 'node:net';

type Reached = { readonly host: string; readonly port: number } | { readonly path: string };

/** Parses an address, `tcp:<host>:<port>` or `unix:<path>`, into options of `net.connect`. Throws if it is invalid. */
export function connectOptions(address: string): Reached & NetConnectOpts {
  const unix = /^unix:(\/.+)$/.exec(address);
  if (unix?.[1] !== undefined) return { path: unix[1] };
  const tcp = /^tcp:(.+):(\d{1,5})$/.exec(address);
  if (tcp?.[1] === undefined) throw new Error(`This is no address of a sandbox: ${address}`);
  return { host: tcp[1].replace(/^\[(.*)\]$/, '$1'), port: Number(tcp[2]) };
}

/** Opens a request to the app, which the caller sends. The caller must set the `host` header. */
export function requestToSandbox(
  address: string,
  options: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'agent' | 'signal' | 'timeout'>,
  onResponse?: (response: IncomingMessage) => void,
): ClientRequest {
  const at = connectOptions(address);
  return httpRequest({ ...options, ...('path' in at ? { socketPath: at.path } : at) }, onResponse);
}
