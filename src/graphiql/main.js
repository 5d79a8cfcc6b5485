// GraphiQL for /graphiql, bundled whole: it works without the internet. It asks with the session of the browser, or with a
// token, which is kept only for the tab. `#query=…&variables=…` in its address fills it in.
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './page.css';
import { GraphiQL } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-ws';
import { createElement as h, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';

const tokenKey = 'interlock-token';
const endpoint = new URL('/graphql', location.href);
const socketEndpoint = new URL('/graphql', location.href.replace(/^http/, 'ws'));

const defaultQuery = `# Interlock's GraphQL API.

query Queue {
  viewer { email account { name } }
  repositories(first: 10) {
    nodes {
      owner
      name
      queueDepth { queued processing waiting }
      queuedPullRequests { number title status explain { who sentence } }
    }
  }
}
`;

function fetcherOf(token) {
  const authorization = token === '' ? {} : { Authorization: `Bearer ${token}` };
  const sockets = createClient({ url: socketEndpoint.href, connectionParams: authorization, retryAttempts: 0 });
  return (params, options) => {
    const operation = options?.documentAST && getOperationAST(options.documentAST, params.operationName);
    if (operation?.operation === 'subscription') return sockets.iterate(params);
    return fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization, ...options?.headers },
      body: JSON.stringify(params),
    }).then((response) => response.json());
  };
}

const given = new URLSearchParams(location.hash.slice(1));
const filledIn = {
  defaultQuery,
  ...(given.has('query') && { initialQuery: given.get('query') }),
  ...(given.has('variables') && { initialVariables: given.get('variables') }),
};

/** The email address of the session's user. Null: the browser is not signed in. */
async function findSession() {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ viewer { email session { startedAt } } }"}',
  });
  if (!response.ok) return null;
  const { data } = await response.json();
  return data?.viewer?.session ? data.viewer.email : null;
}

function Page() {
  const [token, setToken] = useState(() => sessionStorage.getItem(tokenKey) ?? '');
  // Undefined while it is not known.
  const [email, setEmail] = useState();
  useEffect(() => void findSession().then(setEmail, () => setEmail(null)), []);
  const fetcher = useMemo(() => fetcherOf(token), [token]);
  const change = (event) => {
    sessionStorage.setItem(tokenKey, event.target.value.trim());
    setToken(event.target.value.trim());
  };
  const isKnown = token !== '' || typeof email === 'string';
  const next = encodeURIComponent(location.pathname + location.hash);
  return h(
    'div',
    { className: 'page' },
    h(
      'label',
      { className: 'token' },
      typeof email === 'string' ? `Signed in as ${String(email)}. Another token` : 'API token',
      h('input', {
        type: 'password',
        autoComplete: 'off',
        spellCheck: false,
        placeholder: 'il_live_…',
        value: token,
        onChange: change,
      }),
      h('a', { href: '/docs/api' }, 'REST reference'),
    ),
    // A new token is a new schema request. Without a token and a session there is none: its answer would be a refusal.
    isKnown
      ? h('div', { className: 'graphiql' }, h(GraphiQL, { key: token, fetcher, ...filledIn }))
      : email === null &&
          h(
            'p',
            { className: 'hint' },
            h('a', { href: `/session?next=${next}` }, 'Sign in'),
            ' or put an API token in the field above to explore the schema. The first token is in access.json in the data directory of npm start.',
          ),
  );
}

createRoot(document.getElementById('root')).render(h(Page));
