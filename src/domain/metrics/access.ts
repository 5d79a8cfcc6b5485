// Who may read /metrics. The page names repositories of every account, so only the operator may read it.

export interface MetricsRequest {
  /** Whether the bearer token of the request is INTERLOCK_METRICS_TOKEN. */
  readonly isTokenRight: boolean;
  /** The address from which the connection comes. */
  readonly address: string;
  /** Whether a proxy has forwarded the request. */
  readonly isForwarded: boolean;
}

export type MetricsAccess =
  | { readonly kind: 'granted' }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly sentence: string };

/**
 * If a token is set, only requests with the token may read. Otherwise only requests from this machine may read, and only
 * if the public address is of this machine: behind a proxy on this machine every request comes from this machine.
 */
export function decideMetricsAccess(
  request: MetricsRequest,
  { hasToken, publicUrl }: { readonly hasToken: boolean; readonly publicUrl: string },
): MetricsAccess {
  if (hasToken) {
    if (request.isTokenRight) return { kind: 'granted' };
    const sentence = 'The bearer token is not INTERLOCK_METRICS_TOKEN.';
    return { kind: 'refused', status: 401, sentence };
  }
  if (isLoopback(request.address) && !request.isForwarded && isLoopbackUrl(publicUrl)) return { kind: 'granted' };
  return {
    kind: 'refused',
    status: 403,
    sentence:
      'Only this machine may read metrics. Set INTERLOCK_METRICS_TOKEN, and send it as the bearer token, to read them from elsewhere or behind a proxy.',
  };
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === '::1';
}

function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
