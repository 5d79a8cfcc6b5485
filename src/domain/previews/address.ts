// The address of a preview: a host below the service's own, so that its pages share no origin with the service.

const label = 'preview';
/** The slug of a sandbox is one label of a host name. */
const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * `https://<slug>.preview.<public host>`. If the public host is an IP address, `localhost` is used instead, because an
 * IP address has no names below it.
 */
export function previewUrl(publicUrl: string, slug: string): string {
  const { protocol } = new URL(publicUrl);
  return `${protocol}//${slug}.${previewHost(publicUrl)}`;
}

/**
 * Reads the slug of a preview from the host of a request. Null: the host is not a preview's. The port is ignored,
 * because a proxy may change it.
 */
export function slugReader(publicUrl: string): (host: string) => string | null {
  const below = `.${withoutPort(previewHost(publicUrl))}`;
  return (host) => {
    const name = withoutPort(host.toLowerCase());
    if (!name.endsWith(below)) return null;
    const slug = name.slice(0, -below.length);
    return slugPattern.test(slug) ? slug : null;
  };
}

function previewHost(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  const named = isNumeric(hostname) ? 'localhost' : hostname;
  return `${label}.${named}${port === '' ? '' : `:${port}`}`;
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A URL writes every IP address as four numbers or in brackets. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
}
